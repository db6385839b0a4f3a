"""
What the page begins with: of each model whose faithfulness was measured, whether its attention can be
trusted, in the block that the page of a verdict begins with.
"""

from typing import Dict, List, Optional, Sequence, Tuple, Type

from analysis.attributions import Attributions
from analysis.errors import AnalysisError
from analysis.faithfulness.files import FaithfulnessFile
from analysis.models import Model, models_of
from analysis.papers.shared.study_files import StudyFiles
from analysis.perturbations import Perturbations
from analysis.report.elements import Anchors, Section
from analysis.report.provenance import Input
from analysis.text_files import TextFile
from analysis.verdict.block import KINDS, block
from analysis.verdict.files import files_of_study
from analysis.verdict.verdict import Verdict, judged
from analysis.verdict.words import answer_word, because
from analysis.written import html_text

TITLE = "Verdict"
# Of more models each has a line that opens its block.
FEW_MODELS = 2


def verdicts(inputs: Sequence[Input]) -> List[Verdict]:
    """One for each model that has one; two of a model that was judged twice count once."""
    files = [each.file for each in inputs if each.file is not None]
    kinds = (Attributions, Perturbations, FaithfulnessFile)
    study = StudyFiles(*(_models(files, kind) for kind in kinds))
    by_model = {}
    for each in files_of_study(study):
        try:
            by_model.setdefault((each.explained.name, each.explained.config.corpus), judged(each))
        except AnalysisError:
            # What was measured is not what a verdict rests on: nothing is claimed.
            continue
    return list(by_model.values())


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
