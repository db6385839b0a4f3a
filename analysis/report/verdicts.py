"""
What the page begins with: of each model whose faithfulness was measured, whether its attention can be
trusted, in the block that the page of a verdict begins with.
"""

from typing import Dict, List, Optional, Sequence, Tuple, Type

from analysis.attributions import Attributions
from analysis.faithfulness.files import FaithfulnessFile
from analysis.models import Model, models_of
from analysis.papers.shared.study_files import StudyFiles
from analysis.perturbations import Perturbations
from analysis.report.elements import Anchors, Section
from analysis.report.provenance import Input
from analysis.text_files import TextFile
from analysis.verdict.block import KINDS, block
from analysis.verdict.of_study import verdicts_of
from analysis.verdict.verdict import Verdict
from analysis.verdict.words import answer_word, because
from analysis.written import html_text

TITLE = "Verdict"
# Of more models each has a line that opens its block.
FEW_MODELS = 2


def verdicts(inputs: Sequence[Input]) -> List[Verdict]:
    """Of the models whose files these are."""
    files = [each.file for each in inputs if each.file is not None]
    kinds = (Attributions, Perturbations, FaithfulnessFile)
    return verdicts_of(StudyFiles(*(_models(files, kind) for kind in kinds)))


def _models(files: Sequence[TextFile], kind: Type[TextFile]) -> List[Model]:
    """Of one kind of file. Names are unique among the models of the same texts."""
    by_data: Dict[Tuple[str, Optional[str]], List[TextFile]] = {}
    for file in files:
        if isinstance(file, kind):
            data = (file.model.corpus, file.metadata.get("data_sha256"))
            by_data.setdefault(data, []).append(file)
    return [model for several in by_data.values() for model in models_of(several)]


def verdict_section(several: Sequence[Verdict], anchors: Anchors) -> Section:
    """The blocks, one below the other."""
    html = "".join(
        _block(verdict, anchors.new(TITLE, verdict.model), len(several)) for verdict in several
    )
    return Section(TITLE, anchors.new(TITLE), f"<div class=verdict>\n{html}</div>\n")


def _block(verdict: Verdict, anchor: str, number: int) -> str:
    html = block(verdict, anchor, "h3", linked=False)
    if number <= FEW_MODELS:
        return html
    return (
        f"<details>\n<summary>{html_text(verdict.model)} on {html_text(verdict.corpus)}: "
        f"<b class={KINDS[verdict.answer]}>{html_text(answer_word(verdict))}</b> "
        f"{html_text(because(verdict))}</summary>\n{html}</details>\n"
    )
