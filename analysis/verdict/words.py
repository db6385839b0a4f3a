"""The verdict in words: the lines on the terminal, the sentences of the page, and `verdict.md`."""

from pathlib import Path
from typing import List

import pandas

from analysis.formats import markdown
from analysis.verdict.answers import Answer, Question
from analysis.verdict.files import ATTENTION
from analysis.verdict.means import LEAST_TEXTS, about, too_few
from analysis.verdict.recommendation import RankedMethod, shortest
from analysis.verdict.verdict import Verdict
from analysis.written import markdown_text, number

EQUAL_VALUES = (
    "all texts have the same value, and an interval of zero width says nothing about other texts"
)


def asked(verdict: Verdict) -> str:
    """The question, with what it is about."""
    texts = "1 text" if verdict.texts == 1 else f"{verdict.texts} texts"
    seeds = f", {verdict.seeds} seeds" if verdict.seeds > 1 else ""
    return (
        f"Can attention be trusted as the explanation of {verdict.model} on {verdict.data} "
        f"({texts}{seeds})?"
    )


def answer_word(verdict: Verdict) -> str:
    """`No.`"""
    if verdict.nothing:
        return "There is nothing to judge."
    word = str(verdict.answer)
    opening = f"It {word}" if verdict.answer == Answer.DEPENDS else word.capitalize()
    return f"{opening}."


def because(verdict: Verdict) -> str:
    """The sentence behind it."""
    if verdict.nothing:
        return f"{verdict.nothing[0].upper()}{verdict.nothing[1:]}."
    if verdict.texts_missing:
        sentence = too_few(LEAST_TEXTS - verdict.texts_missing)
        return f"{sentence[0].upper()}{sentence[1:]}."
    shown = verdict.method(verdict.recommended.method or verdict.methods[0].name)
    words = f"It comes {verdict.score} of the way from random to the best order of words"
    if shown and shown.name != ATTENTION:
        cost = f", at {shown.cost}" if shown.cost else ""
        words += f"; {shown.name} comes {number(shown.place.mean)}{cost}"
    if verdict.not_asked:
        words += f". Whether the model has learned anything was not asked: {verdict.not_asked}"
    return f"{words}.{_taken_back(verdict)}"


def _taken_back(verdict: Verdict) -> str:
    if verdict.answer == verdict.question("points").answer:
        return ""
    reasons = {
        "used": "the model does not use it",
        "model": "it is not about this model",
        "stable": "it is not stable",
    }
    said = [reasons[q.name] for q in verdict.questions if q.answer == "no" and q.name in reasons]
    return f" But {' and '.join(said)}."


def show_instead(verdict: Verdict) -> str:
    """What to show readers, and why."""
    if verdict.recommended.method is None:
        return f"No method can be recommended: {verdict.recommended.why}."
    return f"Show your readers {verdict.recommended.method}: {verdict.recommended.why}."


def reason(question: Question) -> str:
    """The sentence of a question, with the texts it would take."""
    if question.texts_missing:
        return f"{question.sentence}; {too_few(LEAST_TEXTS - question.texts_missing)}"
    if question.equal_values:
        return f"{question.sentence}; {EQUAL_VALUES}"
    if question.texts_needed is not None:
        return f"{question.sentence}; about {about(question.texts_needed)} texts would tell"
    if question.answer == Answer.UNKNOWN and question.estimate.interval.known:
        return f"{question.sentence}; more texts alone would not tell, more seeds may"
    return question.sentence


def lines(verdict: Verdict, page: Path) -> List[str]:
    """What is printed: at most 15 lines."""
    said = [asked(verdict), f"  {answer_word(verdict)}  {because(verdict)}"]
    if not verdict.nothing:
        every = [*verdict.questions, *([verdict.marked] if verdict.marked else [])]
        width = max(len(each.words) for each in every)
        said += [f"  - {each.words:{width}}  {each.answer}: {reason(each)}" for each in every]
        said.append(f"  {show_instead(verdict)}")
    return [*said, f"  {page} has the evidence."]


def methods_table(verdict: Verdict) -> pandas.DataFrame:
    """As people read it; narrow enough for a phone."""
    return pandas.DataFrame(
        [
            {
                "method": each.name,
                "place [95 %]": each.place,
                "sign": "yes" if each.signed else "no",
                "ms a text": "-" if each.milliseconds is None else shortest(each.milliseconds),
                "group (texts)": _group(each),
            }
            for each in verdict.methods
        ]
    )


def _group(method: RankedMethod) -> str:
    """`2 (340)`: so many texts would tell it from the best of group 2."""
    needed = method.texts_needed
    return str(method.group) if needed is None else f"{method.group} ({about(needed)})"


def as_markdown(verdict: Verdict) -> str:
    """The same as on the terminal, with every bound, every paper and all methods."""
    made = [f"# {markdown_text(asked(verdict))}\n"]
    made.append(f"**{markdown_text(answer_word(verdict))}** {markdown_text(because(verdict))}\n")
    if verdict.nothing:
        return "\n".join(made)
    made.append(f"{markdown_text(show_instead(verdict))}\n")
    for each in [*verdict.questions, *([verdict.marked] if verdict.marked else [])]:
        made.append(f"## {each.words.capitalize()} {str(each.answer).capitalize()}.\n")
        sentence = reason(each)
        made.append(
            markdown_text(
                f"{sentence[0].upper()}{sentence[1:]}. {each.measure[0].upper()}{each.measure[1:]}: "
                f"{each.estimate}. {each.bound} {each.caveat}"
            )
            + f"\n\n{markdown_text('; '.join(each.papers))}.\n"
        )
    made.append("## All methods\n")
    made.append(markdown(methods_table(verdict)))
    made.append(f"{GROUPS}\n")
    return "\n".join(made)


GROUPS = (
    "Place: the mean over the ways to remove words, by comprehensiveness and sufficiency; 0 is random "
    "orders, 1 the best order that a search found. Methods of one group cannot be told from the best of "
    "it on these texts; in brackets, about how many texts would tell it. What has no sign, as attention, puts words that "
    "speak against the class among the first, too, and comes less far for that alone."
)
