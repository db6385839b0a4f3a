// Try it yourself: other attention weights, by hand or by a search, and what the model then says.

import { following, post } from "./ask.js";
import { make, number } from "./dom.js";
import { likeliest, prediction } from "./prediction.js";

export class Weights {
  // asked: the text as the server takes it; changed is called with the weights, or null for the model's.
  constructor(asked, changed) {
    this.asked = asked;
    this.changed = changed;
    this.mine = null;
    this.other = null;
    this.rows = make("tbody");
    this.said = make("div", { class: "outcome", role: "status", "aria-live": "polite" });
    this.search = make("button", { type: "button", class: "main", onclick: () => this.find() });
    this.search.textContent = "Find other weights that give the same output";
    this.take = make(
      "button",
      { type: "button", hidden: true, onclick: () => this.set(this.other) },
      "Take these"
    );
    this.follow = following(() => this.ask());
    this.element = make(
      "details",
      { class: "weights", open: true },
      make("summary", {}, "Move the attention"),
      make(
        "p",
        { class: "note" },
        "The states of the words stay as they are; only how much each counts is yours. The others give " +
          "way, so that all sum to 1."
      ),
      make(
        "p",
        { class: "buttons" },
        this.search,
        this.take,
        make("button", { type: "button", onclick: () => this.set(this.even()) }, "All alike"),
        make("button", { type: "button", onclick: () => this.set(null) }, "Back to the model's")
      ),
      this.said,
      make(
        "div",
        { class: "scroll" },
        make(
          "table",
          {},
          make(
            "thead",
            {},
            make(
              "tr",
              {},
              ...["word", "the model's", "yours", "others, same output"].map((name, column) =>
                make("th", { scope: "col", class: ["", "own", "mine", "other"][column] }, name)
              )
            )
          ),
          this.rows
        )
      )
    );
  }

  draw(found, mine) {
    this.words = found.tokens;
    this.labels = found.labels;
    this.probs = found.probs;
    this.own = found.attention;
    this.other = null;
    this.take.hidden = true;
    this.mine = mine && mine.length === this.words.length ? mine : null;
    this.scale = 1;
    this.lines = this.words.map((word, position) => this.line(word, position));
    this.rows.replaceChildren(...this.lines.map((line) => line.row));
    this.element.classList.remove("searched");
    this.show();
    this.said.replaceChildren();
    if (this.mine) this.follow();
  }

  even() {
    return this.words.map(() => 1 / this.words.length);
  }

  line(word, position) {
    const range = make("input", {
      type: "range",
      min: 0,
      max: 1,
      step: 0.001,
      "aria-label": `your weight of ${word}`,
      oninput: (event) => this.move(position, Number(event.target.value)),
    });
    const bars = { own: bar("own"), other: bar("other") };
    const written = make("output", {});
    const row = make(
      "tr",
      {},
      make("th", { scope: "row", dir: "auto" }, word),
      make("td", { class: "own", "data-label": "the model's" }, bars.own.element),
      make("td", { class: "mine", "data-label": "yours" }, range, written),
      make("td", { class: "other", "data-label": "others" }, bars.other.element)
    );
    return { row, range, written, bars };
  }

  // One weight is set, and the others share what is left as they did before.
  move(position, weight) {
    const before = this.mine ?? this.own;
    const rest = 1 - before[position];
    const left = 1 - weight;
    this.mine = before.map((each, other) => {
      if (other === position) return weight;
      return rest > 1e-9 ? (each * left) / rest : left / Math.max(1, before.length - 1);
    });
    this.show(position);
    this.changed(this.mine);
    this.follow();
  }

  set(weights) {
    this.mine = weights && [...weights];
    this.show();
    this.changed(this.mine);
    if (this.mine) this.follow();
    else this.said.replaceChildren();
  }

  show(moved = -1) {
    const mine = this.mine ?? this.own;
    this.lines.forEach(({ range, written, bars }, position) => {
      bars.own.set(this.own[position]);
      bars.other.set(this.other && this.other[position]);
      if (position !== moved) range.value = mine[position];
      written.value = number(mine[position]);
    });
  }

  async ask() {
    const weights = this.mine;
    if (!weights) return;
    try {
      const found = await post("/ask/weights", { ...this.asked(), weights });
      if (weights === this.mine) this.tell("With your weights", found);
    } catch (error) {
      this.said.replaceChildren(make("p", { class: "error" }, error.message));
    }
  }

  async find() {
    this.search.disabled = true;
    this.said.replaceChildren(make("p", {}, "Searching …"));
    try {
      const asked = this.asked();
      const found = await post("/ask/other-weights", asked);
      if (JSON.stringify(asked) !== JSON.stringify(this.asked())) return;
      this.other = found.found ? found.weights : null;
      this.take.hidden = !found.found;
      this.element.classList.toggle("searched", found.found);
      this.show();
      if (found.found) this.tell("With weights that the search found", found);
      else {
        this.said.replaceChildren(
          make("p", {}, `The search found no other weights with the same output (to within ${found.epsilon}).`)
        );
      }
    } catch (error) {
      this.said.replaceChildren(make("p", { class: "error" }, error.message));
    } finally {
      this.search.disabled = false;
    }
  }

  tell(whose, found) {
    const says = likeliest(this.labels, found.probs);
    const share = found.jsd / Math.LN2;
    this.said.replaceChildren(
      make(
        "p",
        {},
        `${whose} the model says `,
        make("b", { dir: "auto" }, says),
        found.flip ? ", another label" : "",
        `: the output moves by ${number(found.tvd)} (total variation), the weights are ` +
          `${number(found.jsd)} away (Jensen-Shannon), ${Math.round(100 * share)} % of what is possible.`
      ),
      prediction(this.labels, found.probs, this.probs)
    );
  }
}

function bar(kind) {
  const fill = make("span", { class: `fill ${kind}` });
  const written = make("span", { class: "number" });
  const element = make("span", { class: "weight" }, make("span", { class: "track" }, fill), written);
  return {
    element,
    set(value) {
      element.hidden = value === null;
      if (value === null) return;
      fill.style.width = `${100 * value}%`;
      written.textContent = number(value);
    },
  };
}
