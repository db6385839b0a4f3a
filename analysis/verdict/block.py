"""
The block that a page on a model begins with: the question, the answer in a sentence, all methods on the
scale, the five answers. The page of a verdict begins with it, and the report of a study, for each model.
"""

from analysis.report.elements import paragraph
from analysis.verdict.answers import Answer
from analysis.verdict.plot import dot_plot
from analysis.verdict.verdict import Verdict
from analysis.verdict.words import answer_word, asked, because, reason, show_instead
from analysis.written import html_text

# For the style sheet, and for who reads by eye.
KINDS = {
    Answer.YES: "yes",
    Answer.NO: "no",
    Answer.PARTLY: "partly",
    Answer.UNKNOWN: "unknown",
    Answer.DEPENDS: "partly",
}


def block(verdict: Verdict, anchor: str, heading: str = "h1", linked: bool = True) -> str:
    """
    anchor : unlike any other's on the page.
    heading : the element of the question.
    linked : whether the page has the evidence of each question, for links to it; otherwise a line each
        says it.
    """
    said = (
        f"<div class=said>\n<{heading}>{html_text(asked(verdict))}</{heading}>\n"
        f'<p class="answer {KINDS[verdict.answer]}">{html_text(answer_word(verdict))}</p>\n'
        f"{paragraph(because(verdict), 'because')}"
    )
    if verdict.nothing:
        return f"<div class=block>\n{said}</div>\n</div>\n"
    answers = "".join(
        f"<li class={KINDS[each.answer]}>{_name(each.name, each.words, linked)} "
        f"<b>{html_text(str(each.answer).capitalize())}</b></li>\n"
        for each in verdict.questions
    )
    return (
        f"<div class=block>\n{said}{paragraph(show_instead(verdict), 'instead')}</div>\n"
        f"{dot_plot(verdict.methods, verdict.recommended.method, anchor)}"
        f"<ol class=answers>\n{answers}</ol>\n{'' if linked else _reasons(verdict)}</div>\n"
    )


def _reasons(verdict: Verdict) -> str:
    """What each answer rests on, or what is lacking for one, in a line each."""
    said = "".join(
        f"<li>{html_text(f'{each.words.capitalize()} {str(each.answer).capitalize()}')}: "
        f"{html_text(reason(each))}.</li>\n"
        for each in verdict.questions
    )
    return f"<details class=reasons>\n<summary>Why</summary>\n<ul>\n{said}</ul>\n</details>\n"


def _name(name: str, words: str, linked: bool) -> str:
    shown = html_text(words.capitalize())
    return f"<a href=#{name}>{shown}</a>" if linked else f"<span>{shown}</span>"
