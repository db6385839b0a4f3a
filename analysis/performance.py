"""
How well a model predicts its texts, and so whether there is anything to judge: the attention of a model
that has learned nothing explains nothing, and neither does uniform attention.

F1 is that of the positive class of two, else the unweighted mean over classes. It is a ratio of sums over
texts, and so a mean of contributions of texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from analysis.formats import cell
from analysis.measures.properties import Entropy
from analysis.measures.scores import Scores
from analysis.model_config import PLAIN
from analysis.statistics.intervals import intervals
from analysis.text_files import TextFile

# The column with the reason; empty if there is something to judge.
NOTHING = "nothing to judge"
ATTENTION = "attention"
# The column of what a pair has next to the text that is explained.
OTHER_TEXT = "other"
MORE = "more texts may show a difference"
# Normalised entropy: 1 is uniform.
UNIFORM_FROM = 0.99


def accuracy(file: TextFile) -> float:
    """The share of labelled texts whose label was predicted."""
    known = file.table[file.table["label"].notna()]
    return float((known["label"] == known["predicted"]).mean())


def counted_labels(file: TextFile) -> list[str]:
    """The class that the model calls positive, or all of more than two."""
    labels = file.metadata["labels"]
    if len(labels) != 2:
        return list(labels)
    # As the model has it: the label that sorts last, unless the config names one.
    return [file.metadata["config"]["model"].get("positive_label") or max(labels)]


@dataclass(frozen=True)
class Decisions:
    """
    The files of a model's seeds, taken together: a text counts once a seed.

    hits : 1 where a text is of the class and is said to be.
    counted : how often a text is counted: once for being of the class, once for being said to be.

    Shape of both: (classes, seeds, texts); NaN where a text has no label.
    """

    hits: numpy.ndarray
    counted: numpy.ndarray

    @classmethod
    def of(cls, files: Sequence[TextFile]) -> "Decisions":
        hits, counted = [], []
        for label in counted_labels(files[0]):
            true, said = (
                numpy.array([(file.table[column] == label).to_numpy(float) for file in files])
                for column in ("label", "predicted")
            )
            known = numpy.array([file.table["label"].notna().to_numpy() for file in files])
            hits.append(numpy.where(known, true * said, numpy.nan))
            counted.append(numpy.where(known, true + said, numpy.nan))
        return cls(numpy.array(hits), numpy.array(counted))

    @property
    def n(self) -> int:
        """How many texts, counted once a seed, have a label."""
        return int((~numpy.isnan(self.hits[0])).sum())

    @property
    def f1(self) -> float:
        """Over all seeds; NaN without any labelled text."""
        if not self.n:
            return numpy.nan
        return float(_ratio(*self._sums).mean())

    @property
    def values(self) -> numpy.ndarray:
        """
        A value a text, as intervals and comparisons need them: their mean is F1, and each is away
        from it by what the text moves F1 by, to first order. Shape: (seeds, texts)
        """
        hits, counted = self._sums
        ratios = _ratio(hits, counted)
        moves = 2 * self.hits - ratios[:, None, None] * self.counted
        scale = numpy.divide(self.n, counted, out=numpy.zeros_like(counted), where=counted != 0)
        return self.f1 + (scale[:, None, None] * moves).mean(axis=0)

    @property
    def _sums(self) -> tuple:
        """Of each class."""
        return tuple(numpy.nansum(part, axis=(1, 2)) for part in (self.hits, self.counted))


def f1(file: TextFile) -> float:
    """Of the predictions of one file; NaN without any labelled text."""
    return Decisions.of([file]).f1


def _ratio(hits: numpy.ndarray, counted: numpy.ndarray) -> numpy.ndarray:
    """F1 of each class; 0 for one that is neither a label nor predicted."""
    return 2 * numpy.divide(hits, counted, out=numpy.zeros_like(hits), where=counted != 0)


def nothing_to_judge(files: Sequence[TextFile]) -> str:
    """
    Why there is nothing to judge in the seeds of a model; empty if there is something. Models that were trained
    to attend in a given way are not checked, since they may lose accuracy or attend uniformly for that reason.
    """
    if files[0].model.role != PLAIN:
        return ""
    return no_better_than_majority(files) or no_better_than_guessing(files) or _uniform(files) or ""


def no_better_than_majority(files: Sequence[TextFile]) -> str | None:
    """
    Why neither its accuracy nor its mean recall over classes is above that of always predicting the most
    frequent label. The second is for balanced training on unequal classes, which costs accuracy.
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
    if gained.high[0] > 0:
        return f"accuracy {cell(accuracy)} does not differ significantly from {than} on {counts.sum()} texts; {MORE}"
    return f"accuracy {cell(accuracy)} is no better than {than}"


def not_asked_of_majority(files: Sequence[TextFile]) -> str:
    """Why it is not known whether the model is better than the majority class; empty if it is."""
    labels = files[0].texts["label"].dropna().unique()
    if len(labels) > 1:
        return ""
    return f"all texts have the label {labels[0]!r}" if len(labels) else "no text has a label"


def guessed(file: TextFile) -> numpy.ndarray | None:
    """Of pairs, the chance that a guess among a text's candidates is right. Shape: (texts,)"""
    if OTHER_TEXT not in file.table or "probs" not in file.table:
        return None
    allowed = numpy.array([numpy.count_nonzero(probs) for probs in file.table["probs"]])
    if (allowed == len(file.metadata["labels"])).all():
        return None
    return 1 / numpy.maximum(allowed, 1)


def no_better_than_guessing(files: Sequence[TextFile]) -> str | None:
    """Why its accuracy is not above that of a guess among each text's candidates."""
    by_guess = guessed(files[0])
    if by_guess is None:
        return None
    labels = files[0].table["label"]
    known = labels.notna().to_numpy()
    right = numpy.array(
        [
            numpy.where(known, file.table["predicted"].to_numpy() == labels.to_numpy(), numpy.nan)
            for file in files
        ]
    )
    if not known.any() or intervals((right - by_guess)[None]).low[0] > 0:
        return None
    of_guess = numpy.mean(by_guess[known])
    return (
        f"accuracy {cell(numpy.nanmean(right))} does not differ significantly from the {cell(of_guess)} of a guess "
        f"among each text's candidates on {known.sum()} texts; {MORE}"
    )


def _uniform(files: Sequence[TextFile]) -> str | None:
    if not all(ATTENTION in file.table for file in files):
        return None
    values = [Entropy()(Scores.of(file.table[ATTENTION])).value for file in files]
    known = numpy.concatenate(values)
    known = known[~numpy.isnan(known)]
    if not len(known) or known.mean() < UNIFORM_FROM:
        return None
    return f"attention is uniform, its normalised entropy is {cell(known.mean())}"
