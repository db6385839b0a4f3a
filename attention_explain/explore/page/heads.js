// Attention by layer and head: what each attends to, and what the model says without some of them.

import { following, post } from "./ask.js";
import { make } from "./dom.js";
import { colour, coloured } from "./heatmap.js";
import { likeliest, prediction } from "./prediction.js";

export class Heads {
  constructor(asked, changed) {
    this.asked = asked;
    this.changed = changed;
    this.off = [];
    this.grid = make("table", { class: "grid" });
    this.title = make("p", { class: "note" });
    this.row = make("p", { class: "words", dir: "auto" });
    this.said = make("div", { class: "outcome", role: "status", "aria-live": "polite" });
    this.follow = following(() => this.ask());
    this.element = make(
      "details",
      { class: "heads" },
      make("summary", {}, "Attention by layer and head"),
      make(
        "p",
        { class: "note" },
        "Press a head to switch it off, again to switch it on. The deeper its colour, the more of its " +
          "weight is on one word."
      ),
      make("div", { class: "scroll" }, this.grid),
      make("p", { class: "buttons" }, make("button", { type: "button", onclick: () => this.set([]) }, "All on")),
      this.title,
      this.row,
      this.said
    );
    this.element.addEventListener("toggle", () => this.load());
  }

  draw(found, off) {
    this.found = found;
    this.off = off;
    this.weights = null;
    this.said.replaceChildren();
    this.grid.replaceChildren();
    if (off.length) this.element.open = true;
    this.load();
  }

  async load() {
    if (!this.element.open || this.weights || !this.found) return;
    const { found } = this;
    this.title.textContent = "…";
    try {
      const answer = await post("/ask/head-weights", this.asked());
      if (found !== this.found) return;
      this.reader = answer.reader;
      this.weights = answer.weights;
    } catch (error) {
      this.title.textContent = error.message;
      return;
    }
    this.largest = Math.max(...this.weights.flat(2));
    this.buttons = this.weights.map((heads, layer) => heads.map((_, head) => this.button(layer, head)));
    const rows = this.buttons.map((heads, layer) =>
      make("tr", {}, make("th", { scope: "row" }, `layer ${layer + 1}`), ...heads.map((each) => make("td", {}, each)))
    );
    this.grid.replaceChildren(...rows);
    this.show(this.weights.length - 1, 0);
    if (this.off.length) this.follow();
  }

  button(layer, head) {
    const button = make(
      "button",
      {
        type: "button",
        "aria-label": `layer ${layer + 1}, head ${head + 1}`,
        "aria-pressed": String(!this.isOff(layer, head)),
        onclick: () => this.toggle(layer, head),
        onfocus: () => this.show(layer, head),
        onmouseenter: () => this.show(layer, head),
      },
      String(head + 1)
    );
    button.className = colour(Math.max(...this.weights[layer][head]), this.largest, false);
    return button;
  }

  isOff(layer, head) {
    return this.off.some((each) => each[0] === layer && each[1] === head);
  }

  toggle(layer, head) {
    const others = this.off.filter((each) => each[0] !== layer || each[1] !== head);
    this.set(others.length === this.off.length ? [...others, [layer, head]] : others);
  }

  set(off) {
    this.off = off;
    this.buttons?.forEach((heads, layer) =>
      heads.forEach((button, head) => button.setAttribute("aria-pressed", String(!this.isOff(layer, head))))
    );
    this.changed(off);
    if (off.length) this.follow();
    else this.said.replaceChildren();
  }

  show(layer, head) {
    this.title.textContent = `Layer ${layer + 1}, head ${head + 1} attends to, ${this.reader}:`;
    this.row.replaceChildren(...coloured(this.found.tokens, this.weights[layer][head], false));
  }

  async ask() {
    const { off, found } = this;
    if (!off.length) return;
    try {
      const { probs } = await post("/ask/without-heads", { ...this.asked(), off });
      if (off !== this.off || found !== this.found) return;
      const count = off.length === 1 ? "one head" : `${off.length} heads`;
      this.said.replaceChildren(
        make("p", {}, `With ${count} off the model says `, make("b", { dir: "auto" }, likeliest(found.labels, probs)), "."),
        prediction(found.labels, probs, found.probs)
      );
    } catch (error) {
      this.said.replaceChildren(make("p", { class: "error" }, error.message));
    }
  }
}
