// All that the page shows of one model.

import { post } from "./ask.js";
import { make } from "./dom.js";
import { Heads } from "./heads.js";
import { Heatmaps } from "./heatmap.js";
import { prediction } from "./prediction.js";
import { Weights } from "./weights.js";

export class ModelPanel {
  // kept(name, value) remembers what was done by hand: weights, heads that are off.
  constructor(number, about, titled, kept) {
    this.number = number;
    this.about = about;
    this.given = null;
    this.scores = {};
    this.named = null;
    this.heatmaps = new Heatmaps(about.removal);
    this.predicted = make("div", { class: "prediction-now", role: "status", "aria-live": "polite" });
    this.error = make("p", { class: "error", role: "alert", hidden: true });
    const asked = () => ({ model: number, ...this.given });
    this.weights = about.weights ? new Weights(asked, (weights) => kept("weights", weights)) : null;
    this.heads = about.heads ? new Heads(asked, (off) => kept("off", off)) : null;
    this.results = make(
      "div",
      { hidden: true },
      this.predicted,
      this.heatmaps.element,
      this.weights && this.weights.element,
      this.heads && this.heads.element
    );
    const name = make("h2", { class: titled ? null : "sr" }, about.name);
    this.element = make("section", { class: "box model" }, name, this.error, this.results);
  }

  read(given) {
    return post("/ask/explain", { model: this.number, ...given });
  }

  // The prediction; before is the text without its edits, where it has any.
  async predict(given, before, weights, off) {
    this.given = given;
    this.scores = {};
    this.named = null;
    this.error.hidden = true;
    this.before = before && (await this.read(before));
    const found = await this.read(given);
    this.found = found;
    this.predicted.replaceChildren(
      make(
        "p",
        {},
        "The model says ",
        make("b", { class: "says", dir: "auto" }, found.label),
        found.target ? ["; explained is ", make("b", { dir: "auto" }, found.target)] : "",
        this.before && this.before.label !== found.label ? `, and said ${this.before.label} before the change` : ""
      ),
      prediction(found.labels, found.probs, this.before && this.before.probs)
    );
    this.results.hidden = false;
    this.weights?.draw(found, weights);
    this.heads?.draw(found, off);
    return found;
  }

  has(method) {
    return this.about.methods.some((each) => each.name === method);
  }

  async explain(method) {
    if (this.scores[method]) return;
    const found = await post("/ask/explain", { model: this.number, ...this.given, methods: [method] });
    this.scores[method] = {
      scores: found.saliency[method],
      signed: found.signed[method],
      reason: found.skipped?.[method],
    };
  }

  async name(methods, share, by) {
    const known = methods.filter((method) => this.scores[method]?.scores);
    const words = this.found.tokens.length;
    this.named = null;
    if (!share || !known.length || !this.about.removal) return;
    this.named = await post("/ask/named", {
      model: this.number,
      ...this.given,
      methods: known,
      named: namedWords(share, words),
      by,
    });
  }

  draw(methods, by, share) {
    if (!this.found) return;
    const shown = methods.filter((method) => this.has(method));
    this.heatmaps.draw(this.found.tokens, this.found.unknown, shown, this.scores, by, this.named, share);
  }

  fail(sentence) {
    this.error.textContent = sentence;
    this.error.hidden = false;
    this.results.hidden = true;
    this.found = null;
  }
}

// How many words a share of them is: the nearest number, of two the larger; at least one.
export const namedWords = (share, words) => Math.max(1, Math.floor(share * words + 0.5));
