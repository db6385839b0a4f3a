"""
Whether there is anything to judge: what a model that has learned nothing attends to explains
nothing, and attention that is the same everywhere points nowhere.
"""

from typing import Optional, Sequence

import numpy

from analysis.formats import cell
from analysis.measures.properties import Entropy
from analysis.measures.scores import Scores
from analysis.model_config import PLAIN
from analysis.statistics.intervals import intervals
from analysis.text_files import TextFile

# The column that says why there is nothing, and is empty where there is something.
NOTHING = "nothing to judge"
ATTENTION = "attention"
# Normalised entropy: 1 is uniform.
UNIFORM_FROM = 0.99


def nothing_to_judge(files: Sequence[TextFile]) -> str:
    """
    Of the seeds of a model: why, with the number, or nothing. Only of models that were trained to
    predict and attend as they like: what others lose, or do not attend to, is what they are for.
    """
    if files[0].model.role != PLAIN:
        return ""
    return _no_better_than_majority(files) or _uniform(files) or ""


def _no_better_than_majority(files: Sequence[TextFile]) -> Optional[str]:
    """
    Neither its accuracy, nor the mean share of each class that it gets right, can be told from that
    of always the most frequent label. The second is for balanced training on unequal classes, which
    gives accuracy away.
    """
    labels = files[0].texts["label"].reset_index(drop=True)
    counts = labels.value_counts()
    if len(counts) < 2:
        return None
    of_label = labels.map(counts).to_numpy(dtype=float)
    right = numpy.array(
        [
            numpy.where(labels.notna(), file.texts["predicted"].to_numpy() == labels, numpy.nan)
            for file in files
        ]
    )
    majority = (labels == counts.idxmax()).to_numpy(dtype=float)
    weights = counts.sum() / len(counts) / of_label
    gained = intervals(numpy.array([right - majority, right * weights - 1 / len(counts)]))
    if (gained.low > 0).any():
        return None
    accuracy, share = numpy.nanmean(right), counts.max() / counts.sum()
    than = f"the majority class's {cell(share)}"
    if accuracy > share:
        return f"accuracy {cell(accuracy)} cannot be told from {than} by {counts.sum()} texts"
    return f"accuracy {cell(accuracy)} is no better than {than}"


def _uniform(files: Sequence[TextFile]) -> Optional[str]:
    if not all(ATTENTION in file.table for file in files):
        return None
    values = [Entropy()(Scores.of(file.table[ATTENTION])).value for file in files]
    known = numpy.concatenate(values)
    known = known[~numpy.isnan(known)]
    if not len(known) or known.mean() < UNIFORM_FROM:
        return None
    return f"attention is uniform, its normalised entropy is {cell(known.mean())}"
