"""Figures of all studies together, which papers declare: a single study has few models."""

from typing import Iterator, List, Optional, Sequence

from matplotlib.figure import Figure

from analysis.papers.discovery import PAPERS
from analysis.papers.shared.paper import OverStudies
from analysis.results.cited import Sheet
from analysis.results.names import corpus_name
from analysis.results.studies import StudyResults, joined


class Drawing:
    """
    A figure of all studies, and the rows that it shows.

    declared : by its paper.
    figure : None if there is nothing to see.
    """

    def __init__(self, declared: OverStudies, studies: Sequence[StudyResults]) -> None:
        self.declared = declared
        rows = joined(studies, declared.table)
        self.sheet = Sheet(self._file("csv"), declared.once(rows) if len(rows) else rows)
        self.figure = self._drawn()

    @property
    def file(self) -> str:
        return self._file("svg")

    def lines(self) -> Iterator[str]:
        """For the page."""
        if self.figure is not None:
            yield f"![{self.declared.shown}]({self.file})\n"
            yield self.declared.caption.format(rows=self.sheet.file) + "\n"

    def _file(self, ending: str) -> str:
        return f"results/{self.declared.name}.{ending}"

    def _drawn(self) -> Optional[Figure]:
        table = self.sheet.table
        if table.empty:
            return None
        return self.declared.drawn(table.assign(corpus=table["corpus"].map(corpus_name)))


def drawings(studies: Sequence[StudyResults]) -> List[Drawing]:
    return [Drawing(each, studies) for paper in PAPERS for each in paper.over_studies]
