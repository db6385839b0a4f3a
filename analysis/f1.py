"""
F1 of predictions: of the positive class where there are two, else the unweighted mean over classes.
It is a ratio of sums over texts, and so a mean of what each text moves it by.
"""

from dataclasses import dataclass
from typing import List, Sequence

import numpy

from analysis.text_files import TextFile


def counted_labels(file: TextFile) -> List[str]:
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
    """0 for a class that is neither there nor said to be."""
    return 2 * numpy.divide(hits, counted, out=numpy.zeros_like(hits), where=counted != 0)
