"""The verdict in words: its sentences, the lines on the terminal, and `verdict.md`."""

from pathlib import Path

import pandas

from analysis.formats import markdown
from analysis.verdict.inputs import ATTENTION
from analysis.verdict.means import LEAST_TEXTS, round_up, too_few
from analysis.verdict.question import Answer, Finding
from analysis.verdict.ranking import RankedMethod, two_digits
from analysis.verdict.verdict import Verdict
from analysis.written import markdown_text, number

EQUAL_VALUES = (
    "all texts have the same value, and an interval of zero width says nothing about other texts"
)
SCALE = "0 = random order, 1 = best order found"
METHODS_NOTE = (
    f"Score: {SCALE}; the mean of comprehensiveness and sufficiency over removal methods. Methods of one "
    "group do not differ significantly from the best of it on these texts; in brackets, about how many texts "
    "would separate them. Unsigned scores, such as attention, also rank words against the class high, and "
    "score lower for that alone."
)


def sentence_case(text: str) -> str:
    """The text with a capital first letter."""
    return f"{text[0].upper()}{text[1:]}"


def question_of(verdict: Verdict) -> str:
    """The question that the verdict answers."""
    texts = "1 text" if verdict.texts == 1 else f"{verdict.texts} texts"
    seeds = f", {verdict.seeds} seeds" if verdict.seeds > 1 else ""
    return (
        f"Can attention be trusted as the explanation of {verdict.model} on {verdict.data} "
        f"({texts}{seeds})?"
    )


def answer_of(verdict: Verdict) -> str:
    """`No.`"""
    if verdict.nothing:
        return "There is nothing to judge."
    word = str(verdict.answer)
    opening = f"It {word}" if verdict.answer == Answer.DEPENDS else word.capitalize()
    return f"{opening}."


def summary_of(verdict: Verdict) -> str:
    """The sentence after the answer."""
    if verdict.nothing:
        return f"{sentence_case(verdict.nothing)}."
    if verdict.texts_missing:
        return f"{sentence_case(too_few(LEAST_TEXTS - verdict.texts_missing))}."
    shown = verdict.method(verdict.recommended.method or verdict.methods[0].name)
    sentences = f"Attention scores {verdict.score} ({SCALE})"
    if shown and shown.name != ATTENTION:
        cost = f", at {shown.cost}" if shown.cost else ""
        sentences += f"; {shown.name} scores {number(shown.score.mean)}{cost}"
    if verdict.not_asked:
        sentences += f". Whether the model has learned anything is not known: {verdict.not_asked}"
    objections = f" But {' and '.join(verdict.objections)}." if verdict.objections else ""
    return f"{sentences}.{objections}"


def recommendation_of(verdict: Verdict) -> str:
    """The method to show, and why."""
    if verdict.recommended.method is None:
        return f"No method can be recommended: {verdict.recommended.why}."
    return f"Show your readers {verdict.recommended.method}: {verdict.recommended.why}."


def reason_of(finding: Finding) -> str:
    """The sentence of a finding, with the number of texts that an answer needs."""
    decision, sentence = finding.decision, finding.sentence
    if decision.texts_missing:
        return f"{sentence}; {too_few(LEAST_TEXTS - decision.texts_missing)}"
    if decision.equal_values:
        return f"{sentence}; {EQUAL_VALUES}"
    if decision.texts_needed is not None:
        return f"{sentence}; about {round_up(decision.texts_needed)} texts would decide"
    if finding.answer == Answer.INCONCLUSIVE and finding.estimate.interval.known:
        return f"{sentence}; more texts alone would not decide, more seeds may"
    return sentence


def lines(verdict: Verdict, page: Path) -> list[str]:
    """The lines to print: at most 15."""
    made = [question_of(verdict), f"  {answer_of(verdict)}  {summary_of(verdict)}"]
    if not verdict.nothing:
        width = max(len(each.title) for each in verdict.findings)
        made += [
            f"  - {each.title:{width}}  {each.answer}: {reason_of(each)}"
            for each in verdict.findings
        ]
        made.append(f"  {recommendation_of(verdict)}")
    return [*made, f"  Evidence: {page}"]


def methods_table(verdict: Verdict) -> pandas.DataFrame:
    """For people; narrow enough for a phone."""
    return pandas.DataFrame(
        [
            {
                "method": each.name,
                "score [95 %]": each.score,
                "signed": "yes" if each.signed else "no",
                "ms per text": "-" if each.milliseconds is None else two_digits(each.milliseconds),
                "group (texts)": _group(each),
            }
            for each in verdict.methods
        ]
    )


def _group(method: RankedMethod) -> str:
    """`2 (340)`: 340 texts would separate it from the best of group 2."""
    needed = method.texts_needed
    return str(method.group) if needed is None else f"{method.group} ({round_up(needed)})"


def as_markdown(verdict: Verdict) -> str:
    """The lines of the terminal, with every bound, every paper and all methods."""
    made = [
        f"# {markdown_text(question_of(verdict))}\n",
        f"**{markdown_text(answer_of(verdict))}** {markdown_text(summary_of(verdict))}\n",
    ]
    if verdict.nothing:
        return "\n".join(made)
    made.append(f"{markdown_text(recommendation_of(verdict))}\n")
    for each in verdict.findings:
        made.append(f"## {each.title.capitalize()} {str(each.answer).capitalize()}.\n")
        made.append(
            markdown_text(
                f"{sentence_case(reason_of(each))}. {sentence_case(each.measure)}: {each.estimate}. "
                f"{each.question.bound} {each.question.caveat}"
            )
            + f"\n\n{markdown_text('; '.join(each.question.papers))}.\n"
        )
    return "\n".join(
        [*made, "## All methods\n", markdown(methods_table(verdict)), f"{METHODS_NOTE}\n"]
    )
