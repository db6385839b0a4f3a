"""
Use of attention against what adversaries reach, of all models of all studies in one figure: Neely & Schouten 2020,
section 7, proposed it over data sets and models, and a single study has few of them.
"""

from typing import Optional, Sequence

from matplotlib.figure import Figure

from analysis.papers.neely_schouten.usage_of_attention import USE, each_once, usage_figure
from analysis.results.cited import Sheet
from analysis.results.names import corpus_name
from analysis.results.studies import StudyResults, joined

FILE, DRAWN = "results/usage.csv", "results/usage.svg"


def usage_sheet(studies: Sequence[StudyResults]) -> Sheet:
    """A row a model, however many studies have it; without rows where none has."""
    rows = joined(studies, USE.name)
    return Sheet(FILE, each_once(rows) if len(rows) else rows)


def usage_drawn(sheet: Sheet) -> Optional[Figure]:
    """None if there is nothing to see."""
    if sheet.table.empty:
        return None
    return usage_figure(sheet.table.assign(corpus=sheet.table["corpus"].map(corpus_name)))
