"""
How alike two columns of scores are, text by text: one file a measure, found by its name. Also what
one column is like by itself.
"""

from analysis.measures.as_published import AsPublished
from analysis.measures.fagin import Fagin
from analysis.measures.kendall import Kendall
from analysis.measures.measure import Measure
from analysis.measures.scores import Scores
from analysis.measures.values import Undefined, Values

__all__ = [
    "AsPublished",
    "Fagin",
    "Kendall",
    "Measure",
    "Scores",
    "Undefined",
    "Values",
]
