// The verdict of `allennlp verdict` on the model.

import { find, make, number } from "./dom.js";

const KINDS = { yes: "yes", no: "no", partly: "partly" };

export function showVerdict(verdict, evidence) {
  const texts = verdict.texts === 1 ? "1 text" : `${verdict.texts} texts`;
  const { answer, score, low, high } = verdict.attention;
  const shown = verdict.nothing ? "there is nothing to judge" : answer;
  const block = find("verdict");
  block.append(
    make(
      "summary",
      {},
      `Can attention be trusted as the explanation of ${verdict.model} on ${verdict.data || verdict.corpus} (${texts})? `,
      make("b", { class: KINDS[answer] ?? "unknown" }, `${shown[0].toUpperCase()}${shown.slice(1)}.`)
    )
  );
  if (verdict.nothing) block.append(make("p", {}, `${verdict.nothing}.`));
  else {
    const known = !verdict.texts_missing && [score, low, high].every((each) => typeof each === "number");
    block.append(
      known &&
        make(
          "p",
          {},
          `Attention scores ${number(score)} [${number(low)}, ${number(high)}] (0 = random order, 1 = best order found).`
        ),
      make(
        "ul",
        { class: "answers" },
        ...verdict.questions.map((each) =>
          make("li", { title: each.sentence }, each.question, " ", make("b", { class: KINDS[each.answer] ?? "unknown" }, each.answer))
        )
      ),
      make(
        "p",
        {},
        verdict.recommended.method
          ? `Show your readers ${verdict.recommended.method}: ${verdict.recommended.why}.`
          : `No method can be recommended: ${verdict.recommended.why}.`
      )
    );
  }
  if (evidence) block.append(make("p", {}, make("a", { href: "/verdict.html", target: "_blank" }, "Evidence")));
  block.hidden = false;
}
