"""What a measure gave for each text, under each seed of a model."""

from collections import Counter
from dataclasses import dataclass
from typing import Dict, Optional, Sequence

import numpy

from analysis.measures.measure import Values


@dataclass(frozen=True)
class Sample:
    """
    value : NaN where it is undefined, or the text is not in the sample.
    undefined : why it is undefined; "" where it is not, or the text is not in the sample.
    p_value : where the measure has one.

    All have the shape (seeds, texts).
    """

    value: numpy.ndarray
    undefined: numpy.ndarray
    p_value: Optional[numpy.ndarray] = None

    @classmethod
    def of(cls, seeds: Sequence[Values]) -> "Sample":
        """From the values of each seed, all of the same texts in the same order."""
        with_p = all(values.p_value is not None for values in seeds)
        return cls(
            value=numpy.array([values.value for values in seeds]),
            undefined=numpy.array([values.undefined for values in seeds], dtype=object),
            p_value=numpy.array([values.p_value for values in seeds]) if with_p else None,
        )

    def where(self, member: numpy.ndarray) -> "Sample":
        """
        Only the texts of a group. A text may be in it under one seed and not under another, as
        seeds predict different classes. Shape of `member`: (seeds, texts)
        """
        return Sample(
            value=numpy.where(member, self.value, numpy.nan),
            undefined=numpy.where(member, self.undefined, ""),
            p_value=None if self.p_value is None else numpy.where(member, self.p_value, numpy.nan),
        )

    @property
    def reasons(self) -> Dict[str, int]:
        """How many values are undefined for each reason, the most frequent first."""
        return dict(Counter(self.undefined[self.undefined != ""].tolist()).most_common())
