"""
Claims of papers, and how the numbers of a study decide them. Each paper declares its own claims. This module has
the texts of the section on claims in a folder of results.
"""

NAME = "claims"
SHOWN = ["outcome", "claim", "test", "scope", "holds in print", "model", "evidence", "corpus"]
SHOWN += ["protocol", "paper"]
CAPTION = "Which claims of the papers hold here, and the numbers that say so."
NOTE = (
    "A part of a claim holds if the whole 95 % interval is on the right side of its bound, does not "
    "hold if the whole interval is on the other, and is inconclusive in between. A claim holds only if all of "
    "its parts do, and fails if one does. Nothing to judge: the model is no better than the majority "
    "class, or its attention is uniform. The bounds are ours, and stand in the csv (`rule`, and in `fails_if` "
    "what would break it): papers seldom name any. Differences on the same texts are paired, text by text; where only one of the "
    "two is known text by text (guided and deceptive models), the interval is that of independent numbers, "
    "which is on the safe side. With fewer than 3 seeds intervals are about texts alone, and of what is known "
    "by seeds alone there are none."
)
