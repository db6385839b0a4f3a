// A row of words for each method, as deep in colour as its scores; what the words that it names first
// are to the output stands behind them.

import { make, number, percent } from "./dom.js";

// As in the pages of heatmaps.
const SHADES = 12;
// A row says its first words to who does not see colours.
const TOLD = 3;

export function colour(score, largest, signed) {
  const shade = largest > 0 ? Math.round((SHADES * Math.abs(score)) / largest) : 0;
  if (!shade) return "";
  return `${!signed ? "u" : score < 0 ? "n" : "p"}${shade}`;
}

// The words as elements, with spaces between.
export function coloured(words, scores, signed, unknown, named) {
  const largest = Math.max(0, ...scores.map(Math.abs));
  const kept = named && new Set(named);
  return words.flatMap((word, position) => {
    const classes = [colour(scores[position], largest, signed)];
    if (unknown && unknown[position]) classes.push("x");
    if (kept && !kept.has(position)) classes.push("grey");
    const token = make("i", { title: scores[position].toPrecision(3) }, word);
    token.className = classes.filter(Boolean).join(" ");
    return [token, " "];
  });
}

function told(words, scores) {
  const order = scores.map((_, position) => position).sort((a, b) => scores[b] - scores[a]);
  const first = order.slice(0, TOLD).map((position) => `${words[position]} ${number(scores[position])}`);
  return make("span", { class: "sr" }, `first: ${first.join(", ")}; the text: `);
}

export class Heatmaps {
  constructor(removal) {
    this.removal = removal;
    this.body = make("tbody");
    this.head = make("thead");
    this.caption = make("caption", { class: "note" });
    this.element = make("table", { class: "heatmaps" }, this.caption, this.head, this.body);
  }

  // methods: their names, in order; found: {method: {scores, signed, reason}}, as far as it is there;
  // named: what the words that methods name first are to the output, or null.
  draw(words, unknown, methods, found, by, named, share) {
    const count = named && Object.values(named.methods)[0]?.positions.length;
    const columns = Boolean(named && count);
    this.head.replaceChildren();
    this.caption.replaceChildren();
    if (columns) {
      this.head.append(
        make(
          "tr",
          {},
          make("th", { scope: "col" }, "method"),
          make("th", { scope: "col" }, `its ${count === 1 ? "first word" : `first ${count} words`}, others grey`),
          make("th", { scope: "col", class: "number" }, "without them"),
          make("th", { scope: "col", class: "number" }, "only them")
        )
      );
      this.caption.append(
        "How likely ",
        make("b", { dir: "auto" }, named.target),
        ` is without the ${percent(share)} of words that a method names first, and with nothing else; ` +
          `${number(named.whole.probability)} with all words.`
      );
    }
    this.body.replaceChildren(
      ...methods.map((method) => this.row(words, unknown, method, found[method], by, columns && named))
    );
    if (columns && named.chance) this.body.append(this.chance(named));
  }

  row(words, unknown, method, of, by, named) {
    const small = make("small", {});
    const name = make("th", { scope: "row" }, method, small);
    if (!of) {
      small.textContent = "…";
      return make("tr", { class: "waiting" }, name, make("td", { colspan: named ? 3 : 1 }, words.join(" ")));
    }
    if (!of.scores) return make("tr", {}, name, make("td", { colspan: named ? 3 : 1 }, `no scores: ${of.reason}`));
    const signed = of.signed && by === "signed";
    const scores = signed ? of.scores : of.scores.map(Math.abs);
    small.textContent = `largest ${Math.max(...of.scores.map(Math.abs)).toPrecision(3)}`;
    const positions = named ? named.methods[method]?.positions : null;
    const tokens = make("td", { dir: "auto", class: "words" }, told(words, scores));
    tokens.append(...coloured(words, scores, signed, unknown, positions));
    const row = make("tr", { "data-method": method }, name, tokens);
    if (named) {
      const { without, only } = named.methods[method] ?? {};
      const fine = named.whole.label;
      row.append(output(without, "without them", fine), output(only, "only them", fine));
    }
    return row;
  }

  chance(named) {
    const [without, only] = named.chance.map((probability) => ({ probability, label: named.whole.label }));
    return make(
      "tr",
      { class: "chance" },
      make("th", { scope: "row" }, "(chance)"),
      make("td", {}, "as many words by chance, on average"),
      output(without, "without them", named.whole.label),
      output(only, "only them", named.whole.label)
    );
  }
}

function output(of, label, usual) {
  const cell = make("td", { class: "number", "data-label": label });
  if (!of) return cell;
  cell.append(number(of.probability));
  if (of.label !== usual) cell.append(make("small", {}, "says ", make("b", { dir: "auto" }, of.label)));
  return cell;
}
