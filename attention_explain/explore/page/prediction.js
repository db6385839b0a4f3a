// The probabilities of labels as bars; beside what they were.

import { make, number } from "./dom.js";

// More labels than this are not all worth a bar.
const SHOWN = 5;

export function prediction(labels, probs, before = null) {
  const order = labels.map((_, place) => place).sort((a, b) => probs[b] - probs[a]);
  const rows = order.slice(0, SHOWN).map((place) => row(labels, probs, before, place));
  const more = labels.length - rows.length;
  const list = make("ul", { class: "chances" }, ...rows);
  if (more > 0) list.append(make("li", { class: "note" }, `and ${more} more labels`));
  return list;
}

function row(labels, probs, before, place) {
  const bar = make("span", { class: "track", "aria-hidden": "true" }, make("span", { class: "fill" }));
  bar.firstChild.style.width = `${100 * probs[place]}%`;
  const moved = before === null ? 0 : probs[place] - before[place];
  if (before !== null) {
    const mark = make("span", { class: "was" });
    mark.style.insetInlineStart = `${100 * before[place]}%`;
    bar.append(mark);
  }
  const change = Math.abs(moved) < 0.0005 ? "" : ` (was ${number(before[place])})`;
  return make(
    "li",
    {},
    make("b", { dir: "auto" }, labels[place]),
    bar,
    make("span", { class: "number" }, number(probs[place]), make("small", {}, change))
  );
}

export const likeliest = (labels, probs) => labels[probs.indexOf(Math.max(...probs))];
