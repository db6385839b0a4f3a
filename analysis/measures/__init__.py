"""
How alike two columns of scores are, text by text: one file per measure, found by its name. Also what
one column is like by itself.
"""

from analysis.measures.correlation import Pearson, Spearman, WeightedTau
from analysis.measures.distributions import JensenShannon, TotalVariation
from analysis.measures.fagin import AsPublished, Fagin
from analysis.measures.kendall import Kendall
from analysis.measures.measure import Measure, UndefinedValueError, Values
from analysis.measures.overlap import RankBiasedOverlap, TopKOverlap
from analysis.measures.properties import Entropy, Gini, Max, NonZeros, Property
from analysis.measures.scores import Scores

__all__ = [
    "AsPublished",
    "Entropy",
    "Fagin",
    "Gini",
    "JensenShannon",
    "Kendall",
    "Max",
    "Measure",
    "NonZeros",
    "Pearson",
    "Property",
    "RankBiasedOverlap",
    "Scores",
    "Spearman",
    "TopKOverlap",
    "TotalVariation",
    "UndefinedValueError",
    "Values",
    "WeightedTau",
]
