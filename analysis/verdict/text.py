"""The verdict in words: its sentences, the lines on the terminal, and `verdict.md`."""

from pathlib import Path

import pandas

from analysis.formats import markdown
from analysis.verdict.decision import Reason
from analysis.verdict.headlines import SCALE, comparison_of
from analysis.verdict.means import LEAST_TEXTS, round_up, too_few
from analysis.verdict.question import Answer, Finding
from analysis.verdict.ranking import RankedMethod
from analysis.verdict.verdict import CALIBRATED, Verdict
from analysis.written import NONE, markdown_text

EQUAL_VALUES = (
    "all texts have the same value, and an interval of zero width says nothing about other texts"
)
METHODS_NOTE = (
    f"Where: {SCALE}, in whichever direction. Direction: agreement of signs with the words' effects (0 = coin, "
    "1 = always); unsigned methods give none. Methods of one group do not differ significantly from the best "
    "of it on these texts; in brackets, about how many texts would separate them."
)
EARLIER = (
    "These files were made by an earlier version, which did not measure `relevance`: methods are ranked by the "
    "mean of comprehensiveness and sufficiency, and the main question has no answer."
)
PROVISIONAL = "The bounds of the answers are provisional: they have not been calibrated yet."


def sentence_case(text: str) -> str:
    """The text with a capital first letter."""
    return f"{text[0].upper()}{text[1:]}"


def question_of(verdict: Verdict) -> str:
    """The question that the verdict answers."""
    return f"Can attention be trusted as the explanation of {about(verdict)}?"


def about(verdict: Verdict) -> str:
    """The model and the texts: `bilstm tanh softmax on sst (100 texts)`."""
    texts = "1 text" if verdict.texts == 1 else f"{verdict.texts} texts"
    seeds = f", {verdict.seeds} seeds" if verdict.seeds > 1 else ""
    return f"{verdict.model} on {verdict.data} ({texts}{seeds})"


def answer_of(verdict: Verdict) -> str:
    """The headline as a sentence."""
    return f"{verdict.headline}."


def summary_of(verdict: Verdict) -> str:
    """The sentences after the headline."""
    if verdict.nothing:
        return f"{sentence_case(verdict.nothing)}."
    sentences = [comparison_of(verdict.situation), verdict.another_training]
    if verdict.reason == Reason.NOT_MEASURED:
        sentences.append(EARLIER)
    if verdict.not_asked:
        sentences.append(
            f"Whether the model has learned anything is not known: {verdict.not_asked}."
        )
    return " ".join(filter(None, sentences))


def recommendation_of(verdict: Verdict) -> str:
    """The method to show, and why."""
    if verdict.recommended.method is None:
        return f"No method can be recommended: {verdict.recommended.why}."
    return f"Best choice for which words matter: {verdict.recommended.method}, since {verdict.recommended.why}."


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
    """The lines to print: at most 15, the headline first."""
    made = [verdict.headline, f"  {question_of(verdict)}"]
    made += [f"  {each}" for each in [summary_of(verdict)] if each]
    if not verdict.nothing:
        made.append(f"  Next: {verdict.next_step}")
        width = max(len(each.title) for each in verdict.findings)
        made += [
            f"  - {each.title:{width}}  {each.answer}: {reason_of(each)}"
            for each in verdict.findings
        ]
    return [*made, f"  Evidence: {page}"]


def methods_table(verdict: Verdict) -> pandas.DataFrame:
    """For people; narrow enough for a phone."""
    return pandas.DataFrame(
        [
            {
                "method": each.name,
                "where [95 %]": each.score,
                "direction [95 %]": direction_of(each),
                "passes per text": each.cost,
                "group (texts)": _group(each),
            }
            for each in verdict.methods
        ]
    )


def direction_of(method: RankedMethod) -> str:
    """The agreement of its signs with the words' effects; `none` if it is unsigned."""
    if not method.signed:
        return "none"
    return NONE if method.direction is None else str(method.direction)


def _group(method: RankedMethod) -> str:
    """`2 (340)`: 340 texts would separate it from the best of group 2."""
    needed = method.texts_needed
    return str(method.group) if needed is None else f"{method.group} ({round_up(needed)})"


def notes_of(verdict: Verdict) -> str:
    """What the table of methods shows."""
    note = EARLIER if verdict.reason == Reason.NOT_MEASURED else METHODS_NOTE
    return note if CALIBRATED else f"{note} {PROVISIONAL}"


def as_markdown(verdict: Verdict) -> str:
    """The lines of the terminal, with every bound, every paper and all methods."""
    made = [
        f"# {markdown_text(question_of(verdict))}\n",
        f"**{markdown_text(verdict.headline)}**\n\n{markdown_text(summary_of(verdict))}\n",
    ]
    if verdict.nothing:
        return "\n".join(made)
    made.append(f"**Next:** {markdown_text(verdict.next_step)}\n")
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
        [*made, "## All methods\n", markdown(methods_table(verdict)), f"{notes_of(verdict)}\n"]
    )
