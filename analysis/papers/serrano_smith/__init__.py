"""Serrano & Smith 2019, "Is Attention Interpretable?"."""

from analysis.papers.serrano_smith.claims import CLAIMS
from analysis.papers.serrano_smith.weights_removed import EXHIBITS
from analysis.papers.shared.paper import Paper

PAPER = Paper("serrano-smith", "Serrano & Smith 2019", EXHIBITS, CLAIMS)
