// The probabilities of labels as bars; beside what they were.

import { make, number } from "./dom.js";

// More labels than this are not all worth a bar.
const SHOWN = 5;

export function prediction(labels, probs, before = null) {
  const order = labels.map((_, position) => position).sort((a, b) => probs[b] - probs[a]);
  const rows = order.slice(0, SHOWN).map((position) => row(labels, probs, before, position));
  const more = labels.length - rows.length;
  const list = make("ul", { class: "chances" }, ...rows);
  if (more > 0) list.append(make("li", { class: "note" }, `and ${more} more labels`));
  return list;
}

function row(labels, probs, before, position) {
  const bar = make("span", { class: "track", "aria-hidden": "true" }, make("span", { class: "fill" }));
  bar.firstChild.style.width = `${100 * probs[position]}%`;
  const moved = before === null ? 0 : probs[position] - before[position];
  if (before !== null) {
    const mark = make("span", { class: "was" });
    mark.style.insetInlineStart = `${100 * before[position]}%`;
    bar.append(mark);
  }
  const change = Math.abs(moved) < 0.0005 ? "" : ` (was ${number(before[position])})`;
  return make(
    "li",
    {},
    make("b", { dir: "auto" }, labels[position]),
    bar,
    make("span", { class: "number" }, number(probs[position]), make("small", {}, change))
  );
}

export const likeliest = (labels, probs) => labels[probs.indexOf(Math.max(...probs))];
