"""Groups of texts: all of them, and those that have the same in a column."""

from typing import Dict

import numpy
import pandas

from analysis.attributions import Attributions
from analysis.errors import AnalysisError
from analysis.seeds import Model

OVERALL = "overall"
# Says that there are no groups.
NONE = "none"
# A column with more values than that tells texts apart and does not group them.
MOST_GROUPS = 20


def check_groups(file: Attributions, column: str) -> None:
    """The column has to be there, with one value a text, and few different ones."""
    if column == NONE:
        return
    if column not in file.table:
        raise AnalysisError(f"{file.path}: has no column '{column}' to group its texts by")
    values = file.table[column]
    if values.map(pandas.api.types.is_list_like).any():
        raise AnalysisError(f"{file.path}: column '{column}' has lists, which make no groups")
    if values.nunique() > MOST_GROUPS:
        raise AnalysisError(
            f"{file.path}: column '{column}' would make {values.nunique()} groups, "
            f"more than {MOST_GROUPS}"
        )


def groups(model: Model, column: str) -> Dict[str, numpy.ndarray]:
    """Which texts are in each, seed by seed. Shape of each: (seeds, texts)"""
    shape = (len(model.files), len(model.files[0].table))
    found = {OVERALL: numpy.ones(shape, dtype=bool)}
    if column == NONE:
        return found
    columns = [file.table[column] for file in model.files]
    values = sorted({value for one in columns for value in one.dropna()})
    for value in values:
        found[str(value)] = numpy.array([(one == value).to_numpy(bool) for one in columns])
    return found
