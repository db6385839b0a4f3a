"""
The summary of a verdict as HTML: the answer in a sentence, all methods on the scale, what to do next, and the
answers to all questions. The page of a verdict begins with it, and so does the report of a study for each
model.
"""

from collections.abc import Sequence
from itertools import groupby

from analysis.pages.elements import paragraph
from analysis.verdict.inputs import ATTENTION
from analysis.verdict.question import Answer, Finding
from analysis.verdict.ranking import RankedMethod
from analysis.verdict.text import about, answer_of, reason_of, summary_of
from analysis.verdict.verdict import Verdict
from analysis.written import NONE, Estimate, html_text, number

# Classes of the style sheet.
CLASSES = {
    Answer.YES: "yes",
    Answer.NO: "no",
    Answer.PARTLY: "partly",
    Answer.INCONCLUSIVE: "inconclusive",
    Answer.DEPENDS: "partly",
}
# A score further left is not drawn to scale: an arrow stands for it.
LEAST, MOST = -0.5, 1.0
# A phone shows this many methods; of more, the first ones and those around attention.
FEW_METHODS = 9
FIRST = 3
MARKS = {0.0: "random", 0.5: "half", 1.0: "best"}
WHERE, DIRECTION = "where", "direction"
CAPTION = (
    "Where: how far the method's first words are those that move the output most (0 = random order, 1 = best), with "
    "95 % intervals. Direction: agreement of its signs with the words' effects (0 = coin, 1 = always); none: "
    "the method is unsigned."
)


def summary_block(
    verdict: Verdict, anchor: str, heading: str = "h1", with_links: bool = True
) -> str:
    """
    anchor : unlike any other on the page.
    heading : the element of the answer.
    with_links : whether the page has a section for each question to link to; otherwise the block gives
        the reason of each answer in a line.
    """
    summary = (
        f"<div class=summary>\n<{heading} class='answer {CLASSES[verdict.answer]}'>"
        f"{html_text(answer_of(verdict))}</{heading}>\n"
        f"{paragraph(_about(verdict), 'about')}"
    )
    if verdict.nothing:
        return f"<div class=block>\n{summary}</div>\n</div>\n"
    findings = [each for each in verdict.findings if not each.question.option]
    answers = "".join(
        f"<li class={CLASSES[each.answer]}>{_title(each, with_links)} "
        f"<b>{html_text(str(each.answer).capitalize())}</b></li>\n"
        for each in findings
    )
    return (
        f"<div class=block>\n{summary}</div>\n"
        f"{dot_plot(verdict.methods, verdict.recommended.method, anchor)}"
        f"<div class=next>\n<p class=instead><b>What to do next.</b> {html_text(verdict.next_step)}</p>\n"
        f"{paragraph(summary_of(verdict), 'because')}</div>\n"
        f"<ol class=answers>\n{answers}</ol>\n{'' if with_links else _reasons(findings)}</div>\n"
    )


def _about(verdict: Verdict) -> str:
    """The model, the texts, and whether its predictions depend on attention."""
    uses = {
        True: " Its predictions depend on its attention.",
        False: " On these texts, uniform weights change at most 5 % of its predictions.",
        None: "",
    }
    return f"{about(verdict)}.{'' if verdict.nothing else uses[verdict.depends_on_attention]}"


def _reasons(findings: Sequence[Finding]) -> str:
    """The reason of each answer in a line."""
    items = "".join(
        f"<li>{html_text(f'{each.title.capitalize()} {str(each.answer).capitalize()}')}: "
        f"{html_text(reason_of(each))}.</li>\n"
        for each in findings
    )
    return f"<details class=reasons>\n<summary>Why</summary>\n<ul>\n{items}</ul>\n</details>\n"


def _title(finding: Finding, with_link: bool) -> str:
    title = html_text(finding.title.capitalize())
    return f"<a href=#{finding.name}>{title}</a>" if with_link else f"<span>{title}</span>"


def dot_plot(methods: Sequence[RankedMethod], recommended: str | None, anchor: str) -> str:
    """
    All methods on the scale, the best on top: dots with intervals, as HTML, so that a phone can fold away
    the ones that nobody asks for first.
    """
    kept = kept_on_a_phone([each.name for each in methods], recommended)
    lowest = min([0.0, *(_low(each.score) for each in methods)])
    scale = _Scale(max(lowest, LEAST))
    rows = ""
    for folded, several in groupby(methods, key=lambda each: each.name not in kept):
        some = list(several)
        if folded:
            rows += f"<li class=gap>{len(some)} more</li>\n"
        rows += "".join(_row(each, recommended, folded, scale) for each in some)
    fold = ""
    if len(kept) < len(methods):
        fold = (
            f"<label for={anchor}-plot><span class=closed>Show all {len(methods)} methods</span>"
            "<span class=opened>Show fewer</span></label>\n"
        )
    ticks = "".join(
        f"<i style=left:{scale.percent(score)}>{word}</i>" for score, word in MARKS.items()
    )
    return (
        "<figure class=plot>\n"
        + (f"<input type=checkbox id={anchor}-plot>\n" if fold else "")
        + f"<ol>\n<li class=head><span></span><div>{WHERE}</div><b></b><b>{DIRECTION}</b></li>\n{rows}"
        + f"<li class=axis aria-hidden=true><span></span><div>{ticks}</div><b></b><b></b></li>\n"
        f"</ol>\n{fold}<figcaption>{CAPTION}</figcaption>\n</figure>\n"
    )


def kept_on_a_phone(names: Sequence[str], recommended: str | None) -> set[str]:
    """The best methods, the recommended one, attention and its neighbours, and the last."""
    if len(names) <= FEW_METHODS:
        return set(names)
    kept = {*names[:FIRST], names[-1], *(name for name in names if name == recommended)}
    if ATTENTION in names:
        index = names.index(ATTENTION)
        kept.update(names[max(index - 1, 0) : index + 2])
    return kept


class _Scale:
    """The axis, from its left end to slightly beyond the best score."""

    def __init__(self, left: float) -> None:
        self._left = left - 0.03
        self._length = MOST + 0.03 - self._left

    def percent(self, score: float) -> str:
        share = (min(max(score, LEAST), MOST) - self._left) / self._length
        return f"{100 * share:.1f}%"

    def width(self, low: float, high: float) -> str:
        ends = [min(max(end, LEAST), MOST) for end in (low, high)]
        return f"{100 * (ends[1] - ends[0]) / self._length:.1f}%"


def _row(method: RankedMethod, recommended: str | None, folded: bool, scale: _Scale) -> str:
    score = method.score
    kinds: list[str] = ["between"] if folded else []
    kinds += [ATTENTION] if method.name == ATTENTION else []
    kinds += ["recommended"] if method.name == recommended else []
    interval = ""
    if score.interval.known:
        width = scale.width(score.low, score.high)
        start = scale.percent(score.low)
        interval = f'<i class=interval style="left:{start};width:{width}"></i>'
    mark = "&#9664;" if score.mean < LEAST else ""
    lines = "".join(f"<i class=line style=left:{scale.percent(tick)}></i>" for tick in MARKS)
    return (
        f'<li class="{" ".join(kinds)}"><span>{html_text(method.name)}</span><div>{lines}{interval}'
        f"<i class=dot style=left:{scale.percent(score.mean)}>{mark}</i></div>"
        f'<b title="{score}">{number(score.mean)}</b>{_direction(method)}</li>\n'
    )


def _direction(method: RankedMethod) -> str:
    """The agreement of signs; a mark if the method surely gives the direction."""
    if method.direction is None:
        return f"<b class=unsigned>{NONE if method.signed else 'none'}</b>"
    mark = "&#8597; " if method.says_direction else ""
    return f'<b title="{method.direction}">{mark}{number(method.direction.mean)}</b>'


def _low(estimate: Estimate) -> float:
    return estimate.low if estimate.interval.known else estimate.mean


# Over the style sheet of the report: on a wide screen, on a phone, on paper.
BLOCK_STYLE = """
.verdict .block { display: grid; gap: .8rem 2.5rem; align-items: center;
  grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); }
.verdict .block .summary { grid-column: 1 / -1; }
.verdict .block .answer { font-size: 2.2rem; font-weight: 700; line-height: 1.12; margin: 0 0 .6rem;
  padding: 0; border: 0; }
.verdict.page .block .answer { font-size: 48pt; line-height: 1.05; letter-spacing: -.02em; }
.verdict .about { color: #4a4a4a; margin: 0; }
.verdict .because { margin: 0; }
.verdict .instead { font-size: 1.3rem; line-height: 1.35; margin: 0 0 .8rem; }
.verdict .answers { grid-column: 1 / -1; list-style: none; margin: .2rem 0 0; padding: 0;
  display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .8rem 1rem; }
.verdict .answers li { border-top: 4px solid; padding: .4rem 0 0; }
.verdict .answers :is(a, span) { display: block; color: #1b1b1b; text-decoration: none;
  font-size: .95rem; }
.verdict .answers a:hover { text-decoration: underline; }
.verdict .answers b { font-size: 1.2rem; line-height: 1.25; display: block; }
.verdict .yes { color: #0b4f8a; }
.verdict .no { color: #a33b00; }
.verdict .partly { color: #6b5300; }
.verdict .inconclusive { color: #4a4a4a; }
.verdict .answers .inconclusive { border-top-style: dashed; }
.verdict .reasons { grid-column: 1 / -1; }
.verdict .plot { margin: 0; min-width: 0; }
.verdict .plot ol { list-style: none; margin: 0; padding: 0; font-size: .85rem; line-height: 1.25rem;
  display: grid; grid-template-columns: fit-content(45%) minmax(0, 1fr) auto auto; column-gap: .7rem; }
.verdict .plot li { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; }
.verdict .plot li + li:not(.axis, .head) { border-top: 1px solid #ececec; }
.verdict .plot li > span { text-align: right; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }
.verdict .plot li > b { font-weight: 400; font-variant-numeric: tabular-nums; color: #4a4a4a;
  text-align: right; }
.verdict .plot div { position: relative; color: #0072b2; }
.verdict .plot i { position: absolute; font-style: normal; print-color-adjust: exact;
  -webkit-print-color-adjust: exact; }
.verdict .plot .line { top: 0; bottom: 0; border-left: 1px solid #b8b8b8; }
.verdict .plot .interval { top: calc(50% - 1px); height: 2px; background: currentColor; }
.verdict .plot .dot { top: calc(50% - .28rem); width: .56rem; height: .56rem; margin-left: -.28rem;
  background: currentColor; border-radius: 50%; }
.verdict .plot .dot:not(:empty) { background: none; line-height: .56rem; }
.verdict .plot .attention div { color: #d55e00; }
.verdict .plot .attention .dot { border-radius: 0; }
.verdict .plot .recommended div { color: #00805d; }
.verdict .plot .recommended .dot { border-radius: 0; transform: rotate(45deg); }
.verdict .plot :is(.attention, .recommended) > :is(span, b) { font-weight: 700; color: #1b1b1b; }
.verdict .plot .recommended > span::before { content: "recommended: "; font-weight: 400; }
.verdict .plot .head { color: #4a4a4a; border: 0; }
.verdict .plot .head div { color: inherit; text-align: center; }
.verdict .plot .unsigned { color: #8a8a8a; }
.verdict .plot .axis { border-top: 1px solid #1b1b1b; }
.verdict .plot .axis div { height: 1.4em; }
.verdict .plot .axis i { transform: translateX(-50%); color: #1b1b1b; white-space: nowrap; }
.verdict .plot .axis i:last-child { transform: translateX(-75%); }
.verdict .plot figcaption { color: #4a4a4a; font-size: .82rem; margin: .1rem 0 0; }
.verdict .plot > input { position: absolute; opacity: 0; pointer-events: none; }
.verdict .plot > label, .verdict .plot .gap { display: none; }
@media screen and (max-width: 60rem) {
  .verdict .block { gap: .5rem; }
  .verdict .block .answer, .verdict.page .block .answer { font-size: 1.6rem; margin: 0 0 .25rem; }
  .verdict .because, .verdict .instead, .verdict .about { font-size: .92rem; line-height: 1.35; }
  .verdict .instead { margin: 0 0 .3rem; }
  .verdict .answers { grid-template-columns: minmax(0, 1fr); gap: 0; margin: 0; }
  .verdict .answers li { display: flex; justify-content: space-between; gap: .8rem;
    align-items: baseline; border-top: 1px solid #d9d9d9; padding: .2rem 0; }
  .verdict .answers b { font-size: .98rem; text-align: right; }
  .verdict .plot ol { font-size: .82rem; line-height: 1.25rem; column-gap: .45rem; }
  .verdict .plot .recommended > span::before { content: none; }
  .verdict .plot figcaption { display: none; }
  .verdict .plot > input:not(:checked) ~ ol .between, .verdict .plot > input:checked ~ ol .gap,
  .verdict .plot > input:not(:checked) ~ label .opened,
  .verdict .plot > input:checked ~ label .closed { display: none; }
  .verdict .plot > input:not(:checked) ~ ol .gap { display: block; color: #4a4a4a;
    text-align: center; line-height: 1.1rem; font-size: .75rem; background: #f6f6f6; }
  .verdict .plot > label { display: block; cursor: pointer; color: #0b4f8a; font-size: .82rem;
    text-decoration: underline; text-align: right; margin: .1rem 0 0; }
  .verdict .plot > input:focus-visible ~ label { outline: 2px solid #0b4f8a; }
}
@media print {
  .verdict .block { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 4mm 6mm;
    break-inside: avoid; }
  .verdict .block .answer, .verdict.page .block .answer { font-size: 24pt; }
  .verdict .because, .verdict .instead { font-size: 11pt; }
  .verdict .answers b { font-size: 11pt; }
  .verdict .plot ol { font-size: 8pt; line-height: 11pt; }
}
"""
