"""Which columns several papers compare, with the options under which a column is what a paper means."""

from itertools import combinations

from analysis.papers.shared.paper import Method

ATTENTION = Method("attention", "attention")

# Jain & Wallace, and Neely & Schouten, who kept their code.
GRADIENT_X_INPUT = Method(
    "gradient-x-input",
    "gradient",
    {"of": "probability", "absolute": True, "detach_attention": True},
)
# The other thing that is called gradient, next to it wherever a file has both.
GRADIENT_NORM = Method(
    "gradient",
    "gradient norm",
    {"of": "probability", "norm": "l2", "detach_attention": False, "at": "input"},
)
LEAVE_ONE_OUT = Method("leave-one-out", "leave-one-out", {"at": "input", "measure": "tvd"})
JAIN_WALLACE_METHODS = (ATTENTION, GRADIENT_X_INPUT, LEAVE_ONE_OUT)
JAIN_WALLACE_PAIRS = tuple(combinations(JAIN_WALLACE_METHODS, 2))

# Meister et al.; whether scores are normalised changes neither ranks nor entropies.
_L2 = {"of": "probability", "norm": "l2", "detach_attention": False}
GRADIENT = Method("gradient", "gradient", {**_L2, "at": "input"})
GRADIENT_HIDDEN = Method("gradient-hidden", "gradient", {**_L2, "at": "hidden"})
LEAVE_ONE_OUT_HIDDEN = Method(
    "leave-one-out-hidden", "leave-one-out", {"at": "hidden", "measure": "tvd"}
)
INPUT_TO_HIDDEN = Method("input-to-hidden", "input to hidden", check="mean_entropy")
