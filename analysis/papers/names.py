"""Everything that can be asked for by name: a paper, or one of the things it shows."""

from dataclasses import replace

from analysis.errors import AnalysisError
from analysis.papers import (
    jain_wallace,
    meister,
    neely_schouten,
    pruthi,
    serrano_smith,
    wiegreffe_pinter,
)
from analysis.papers.exhibits import Paper

PAPERS = (
    jain_wallace.PAPER,
    serrano_smith.PAPER,
    wiegreffe_pinter.PAPER,
    pruthi.PAPER,
    neely_schouten.PAPER,
    meister.PAPER,
)
NAMES = tuple(
    name for paper in PAPERS for name in (paper.name, *(exhibit.name for exhibit in paper.exhibits))
)


def find(name: str) -> Paper:
    """The paper, with the one exhibit alone if that was asked for."""
    for paper in PAPERS:
        if name == paper.name:
            return paper
        for exhibit in paper.exhibits:
            if name == exhibit.name:
                return replace(paper, exhibits=(exhibit,))
    raise AnalysisError(f"there is no table '{name}'; there are {', '.join(NAMES)}")
