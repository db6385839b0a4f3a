"""Do methods agree with each other better than with attention? On the same texts."""

from typing import Any, Dict, List, Optional, Sequence

import numpy
import pandas

from analysis.agreement.agreements import Agreement
from analysis.agreement.pairs import ATTENTION, SIGNED
from analysis.statistics.intervals import mean_of_known
from analysis.statistics.paired import difference_columns

# What is no saliency method for inputs.
OTHERS = ("random", "rationale", "gradient-hidden", "leave-one-out-hidden", "input-to-hidden")
LESS = "others less attention"


def attention_apart(agreed: Sequence[Agreement]) -> pandas.DataFrame:
    """
    A row a model and measure that has both kinds of pairs, and places of all: the mean place of the
    pairs of other methods less that of attention's.
    """
    grouped: Dict[tuple, List[Agreement]] = {}
    for one in agreed:
        if not set(one.pair) & set(OTHERS):
            grouped.setdefault((one.model.name, one.measure.name), []).append(one)
    rows = [_row(several) for several in grouped.values()]
    return pandas.DataFrame([row for row in rows if row is not None])


def _row(agreed: Sequence[Agreement]) -> Optional[Dict[str, Any]]:
    of_attention = [one for one in agreed if ATTENTION in one.pair]
    among = [one for one in agreed if ATTENTION not in one.pair]
    # Attention has no sign: other pairs by their signs too would be more than it can have.
    among = [one for one in among if one.compared != SIGNED] or among
    if not of_attention or not among:
        return None
    ours, theirs = (_averaged([one.place() for one in part]) for part in (of_attention, among))
    less = difference_columns(LESS, theirs, ours, one_model=True)
    if numpy.isnan(less[LESS]):
        return None
    return {
        "corpus": agreed[0].model.config.corpus,
        "model": agreed[0].model.name,
        "measure": agreed[0].measure.name,
        "pairs of attention": len(of_attention),
        "pairs of others": len(among),
        "of attention": float(ours.mean()),
        "of others": float(theirs.mean()),
        **less,
    }


def _averaged(several: Sequence[numpy.ndarray]) -> numpy.ndarray:
    """
    Values whose mean is the average of the means, however many values each has: a value that is
    missing moves its mean by nothing. Shape of each: (seeds, texts)
    """
    values = numpy.array(several)
    means = mean_of_known(values, (1, 2))[:, None, None]
    known = ~numpy.isnan(values)
    share = known.mean(axis=(1, 2), keepdims=True)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        moves = numpy.where(known, (values - means) / share, 0.0)
    return (means + moves).mean(axis=0)
