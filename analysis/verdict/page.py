"""verdict.html: the answer on the first screen, then the evidence for each question, examples and details."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy
import pyarrow

from analysis.agreement.agreements import BY_MAGNITUDE, Pair, compared
from analysis.figure_files import saved
from analysis.figures.zones import on_zones
from analysis.measures.kendall import Kendall
from analysis.pages.elements import collapsed, paragraph, preformatted, table_html
from analysis.pages.style import STYLE as REPORT_STYLE
from analysis.pages.svg import inlined
from analysis.statistics.intervals import mean_of_known
from analysis.text_files import Attributions, usual_lengths
from analysis.verdict.block import BLOCK_STYLE, CLASSES, summary_block
from analysis.verdict.decision import BOUNDS
from analysis.verdict.inputs import ATTENTION, VerdictInputs
from analysis.verdict.question import Evidence, Finding
from analysis.verdict.scores import FaithfulnessScores
from analysis.verdict.text import (
    methods_table,
    notes_of,
    reason_of,
    recommendation_of,
    sentence_case,
)
from analysis.verdict.verdict import Verdict
from analysis.written import html_text, number
from attention_explain.heatmaps.explanation import explanations
from attention_explain.heatmaps.html_page import card, document, legend, style

TITLE = "Can attention be trusted on {}?"
# Examples of each kind.
OF_EACH = 2
# Rows of a card; more would be looked at by nobody.
MOST_METHODS = 4
# Of all cards together, so that the page can be sent.
MOST_CHARACTERS = 150_000


def page(verdict: Verdict, inputs: VerdictInputs) -> str:
    """The page, which loads nothing else."""
    sections = [] if verdict.nothing else [_section(each) for each in verdict.findings]
    if verdict.scores is not None:
        top = verdict.recommended.method or verdict.methods[0].name
        sections.append(
            "<section id=texts>\n<h2>Six examples</h2>\n"
            + examples_html(inputs, verdict.scores, top)
            + "</section>\n"
        )
    body = (
        f"<div class='verdict page'>\n<header>\n{summary_block(verdict, 'all')}</header>\n<main>\n"
        f"{''.join(sections)}"
        f"{_details(verdict, inputs)}</main>\n</div>\n"
    )
    styles = style() + REPORT_STYLE + BLOCK_STYLE + STYLE
    return document(TITLE.format(verdict.data), styles, body)


def _section(finding: Finding) -> str:
    question = finding.question
    return (
        f"<section id={finding.name} class=question>\n<h2>{html_text(finding.title.capitalize())} "
        f"<b class={CLASSES[finding.answer]}>{html_text(str(finding.answer).capitalize())}</b></h2>\n"
        f"<div class=columns>\n{_figure(finding.evidence, f'figure-{finding.name}')}<div>\n"
        + paragraph(f"{sentence_case(reason_of(finding))}.", "reason")
        + paragraph(question.bound)
        + paragraph(question.caveat)
        + paragraph(f"{'; '.join(question.papers)}.", "note")
        + "</div>\n</div>\n</section>\n"
    )


def _figure(evidence: Evidence, prefix: str) -> str:
    if not evidence.rows:
        return ""
    figure = on_zones(evidence.rows, evidence.zones, evidence.label, ATTENTION, evidence.marks)
    svg = saved(figure, "svg")
    return f"<figure>{inlined(svg, prefix, evidence.label, evidence.label)}</figure>\n"


def _details(verdict: Verdict, inputs: VerdictInputs) -> str:
    made = ""
    if verdict.methods:
        made += collapsed(
            "All methods: scores, direction, cost, groups",
            "<div id=methods-title hidden>All methods</div>\n"
            + table_html(methods_table(verdict), "methods")
            + paragraph(recommendation_of(verdict))
            + paragraph(notes_of(verdict), "note"),
        )
    files = "\n".join(
        f"{file.path.name}: {file.metadata.get('archive', '?')}, data {file.metadata.get('data', '?')}"
        for file in inputs.files
    )
    made += collapsed("Files", preformatted(files))
    return f"<section id=details>\n<h2>Details</h2>\n{made}</section>\n"


@dataclass(frozen=True)
class ExampleText:
    """
    row : in the table of attributions.
    why : the reason to show it, with the number.
    """

    row: int
    kind: str
    why: str


def choose_examples(
    inputs: VerdictInputs, scores: FaithfulnessScores, top: str
) -> list[ExampleText]:
    """From the first seed, among texts of usual length if there are enough of them."""
    file = inputs.attributions.files[0]
    other = _other(scores, top)
    ahead = (scores.gains[other] - scores.gains[ATTENTION])[0]
    agreed = _agreement(file, [each for each in scores.methods if each in file.methods])
    lengths = file.token_counts
    shortest, longest = usual_lengths(lengths)
    usual = (lengths >= shortest) & (lengths <= longest) & ~numpy.isnan(ahead)
    left = numpy.flatnonzero(usual if usual.sum() >= 3 * OF_EACH else ~numpy.isnan(ahead))
    if not len(left):
        return []
    middle = float(numpy.median(ahead[left]))
    kinds: dict[str, numpy.ndarray] = {
        "Typical": numpy.abs(ahead - middle),
        "Methods disagree most": agreed,
        "Attention misleads most": -ahead,
    }
    chosen: list[ExampleText] = []
    for kind, distance in kinds.items():
        order = left[numpy.argsort(distance[left], kind="stable")][:OF_EACH]
        for row in order:
            why = (
                f"mean tau of every two methods {number(float(agreed[row]))}"
                if kind == "Methods disagree most"
                else f"the first words of {other} move the output by {number(float(ahead[row]))} more than those "
                "of attention"
            )
            chosen.append(ExampleText(int(row), kind, why))
        left = numpy.setdiff1d(left, order)
    return chosen


def examples_html(inputs: VerdictInputs, scores: FaithfulnessScores, top: str) -> str:
    """The examples as HTML, without those that are too long."""
    file = inputs.attributions.files[0]
    examples = choose_examples(inputs, scores, top)
    others = [each for each in scores.methods if each not in (top, ATTENTION)]
    rows = list(dict.fromkeys([top, ATTENTION, *others]))[:MOST_METHODS]
    made, kind, left_out = "", "", 0
    for one in examples:
        mark = _reliability_mark(inputs, file.table["id"].iloc[one.row])
        one = replace(one, why=f"{one.why}{mark}")
        html = _card(file, one, [name for name in rows if name in file.methods])
        if len(made) + len(html) > MOST_CHARACTERS:
            left_out += 1
            continue
        heading = "" if one.kind == kind else f"<h3>{one.kind}</h3>\n"
        made, kind = made + heading + html, one.kind
    if left_out:
        made += paragraph(f"{left_out} more are too long to be shown here.", "note")
    return f"<div class=ae>\n{made}{legend()}</div>\n"


def _reliability_mark(inputs: VerdictInputs, text: str) -> str:
    """How sure the relevance of the words of a text is."""
    reliability = inputs.reliability_by_text.get(text)
    if reliability is None:
        return ""
    enough = "reliable" if reliability >= BOUNDS.reliability else "uncertain"
    return f". Relevance of its words: {enough} (split-half reliability {reliability:.2f})"


def _other(scores: FaithfulnessScores, top: str) -> str:
    """The method to compare attention with: the recommended one, if that is another."""
    return next((each for each in (top, *scores.methods) if each != ATTENTION), ATTENTION)


def _card(file: Attributions, one: ExampleText, methods: Sequence[str]) -> str:
    # Through Arrow, so that missing values are None, as in the file itself.
    rows = pyarrow.Table.from_pandas(file.table.iloc[[one.row]], preserve_index=False).to_pylist()
    (text,) = explanations(rows, file.metadata)
    text = replace(text, scores={name: text.scores[name] for name in methods}, checks={})
    return f"<p class=agreement>{one.why[0].upper()}{one.why[1:]}.</p>\n{card(text, heading='h4')}"


def _agreement(file: Attributions, methods: Sequence[str]) -> numpy.ndarray:
    """The mean tau over all pairs of methods; by magnitude if one of them is unsigned. Shape: (texts,)"""
    measure = Kendall()
    values = []
    for first, second in combinations(methods, 2):
        by_magnitude = compared(file, Pair(first, second)) == BY_MAGNITUDE
        values.append(
            measure(file.scores(first, by_magnitude), file.scores(second, by_magnitude)).value
        )
    if not values:
        return numpy.full(len(file.table), numpy.nan)
    return mean_of_known(numpy.array(values), 0)


STYLE = """
.verdict.page { max-width: 76rem; margin: 0 auto; padding: .8rem 1.5rem; }
.verdict figure { margin: 0; }
.verdict figure svg { width: 100%; max-width: 34rem; }
.verdict main { margin-top: 2.5rem; }
.verdict section { margin: 0 0 2.2rem; }
.verdict .columns { display: grid; grid-template-columns: minmax(0, 30rem) minmax(0, 1fr);
  gap: .5rem 2.5rem; align-items: start; }
.verdict .reason { font-weight: 600; }
.verdict section h3 { margin: 1.3rem 0 .5rem; }
.verdict .ae th { font-weight: 600; }
@media screen and (max-width: 60rem) {
  .verdict.page { padding: .7rem 1rem; }
  .verdict .columns { grid-template-columns: minmax(0, 1fr); gap: .6rem; }
}
@media print {
  .verdict.page { max-width: none; padding: 0; }
  .verdict main { margin-top: 8mm; }
  .verdict .question { break-inside: avoid; }
  .verdict .columns { grid-template-columns: minmax(0, 7.5cm) minmax(0, 1fr); gap: 0 6mm; }
}
"""
