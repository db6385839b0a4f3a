"""Serrano & Smith 2019, "Is Attention Interpretable?"."""

from analysis.papers.serrano_smith import drop_top, removal
from analysis.papers.serrano_smith.claims import CLAIMS
from analysis.papers.shared.paper import Paper

PAPER = Paper(
    "serrano-smith",
    "Serrano & Smith 2019",
    exhibits=(drop_top.EXHIBIT, removal.EXHIBIT),
    claims=CLAIMS,
)
