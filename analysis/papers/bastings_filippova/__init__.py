"""
Bastings & Filippova 2020, "The elephant in the interpretability room". It has no table of its own:
`python -m analysis agreement` makes the one that it rests on.
"""

from analysis.papers.bastings_filippova.claims import CLAIMS
from analysis.papers.shared.paper import Paper

PAPER = Paper("bastings-filippova", "Bastings & Filippova 2020", claims=CLAIMS, order=1)
