"""
The start of the report: for each model whose faithfulness was measured, the summary of its verdict.
"""

from collections.abc import Sequence

from analysis.attributions import Attributions
from analysis.faithfulness.files import FaithfulnessFile
from analysis.models import Model, models_of
from analysis.papers.shared.study_files import StudyFiles
from analysis.perturbations import Perturbations
from analysis.report.elements import Anchors, Section
from analysis.report.provenance import Input
from analysis.text_files import TextFile
from analysis.verdict.block import CLASSES, summary_block
from analysis.verdict.tables import verdicts_of
from analysis.verdict.text import answer_of, summary_of
from analysis.verdict.verdict import Verdict
from analysis.written import html_text

TITLE = "Verdict"
# With more models, each has a line that opens its summary.
FEW_MODELS = 2


def verdicts(inputs: Sequence[Input]) -> list[Verdict]:
    """The verdicts on the models of these files."""
    files = [each.file for each in inputs if each.file is not None]
    kinds = (Attributions, Perturbations, FaithfulnessFile)
    return verdicts_of(StudyFiles(*(_models(files, kind) for kind in kinds)))


def _models(files: Sequence[TextFile], kind: type[TextFile]) -> list[Model]:
    """The models of one kind of file. Names are unique among the models of the same texts."""
    by_data: dict[tuple[str, str | None], list[TextFile]] = {}
    for file in files:
        if isinstance(file, kind):
            data = (file.model.corpus, file.metadata.get("data_sha256"))
            by_data.setdefault(data, []).append(file)
    return [model for several in by_data.values() for model in models_of(several)]


def verdict_section(several: Sequence[Verdict], anchors: Anchors) -> Section:
    """The summaries, one below the other."""
    html = "".join(
        _block(verdict, anchors.new(TITLE, verdict.model), len(several)) for verdict in several
    )
    return Section(TITLE, anchors.new(TITLE), f"<div class=verdict>\n{html}</div>\n")


def _block(verdict: Verdict, anchor: str, number: int) -> str:
    html = summary_block(verdict, anchor, "h3", with_links=False)
    if number <= FEW_MODELS:
        return html
    return (
        f"<details>\n<summary>{html_text(verdict.model)} on {html_text(verdict.corpus)}: "
        f"<b class={CLASSES[verdict.answer]}>{html_text(answer_of(verdict))}</b> "
        f"{html_text(summary_of(verdict))}</summary>\n{html}</details>\n"
    )
