"""
Options of a config that are numbers, and the values they can have. AllenNLP takes whatever is a number,
`true` among them, and a training or a method then fails late or does something that nobody wants.
"""

import inspect
from typing import Any, Optional

# No model has layers that large, and no method needs that many steps.
MOST = 10**6
SIZES_AND_COUNTS = {
    "channels",
    "draws",
    "embedding_dim",
    "feedforward_dim",
    "hidden_dim",
    "hidden_size",
    "input_dim",
    "input_size",
    "num_epochs",
    "num_gradient_accumulation_steps",
    "num_heads",
    "num_layers",
    "patience",
    "permutations",
    "points",
    "random_orders",
    "samples",
    "sets",
    "steps",
}
ABOVE_ZERO = {"grad_clipping", "grad_norm"}
NOT_BELOW_ZERO = {"padding_noise"}
# torch takes no larger whole number, and a larger learning rate or weight cannot be meant.
LARGEST_FLOAT = 1e18


def number_problem(name: str, value: Any, annotation: Any) -> Optional[str]:
    """What is wrong with the value of an option; None if nothing is, or if it is no number."""
    if isinstance(value, bool):
        wrong = annotation in (int, float)
        return f"is {str(value).lower()}, but must be a number" if wrong else None
    if not isinstance(value, (int, float)):
        return None
    if name in SIZES_AND_COUNTS and value > MOST:
        return f"is {value}, but must be {MOST} or less"
    if name in ABOVE_ZERO and not value > 0:
        return f"is {value}, but must be larger than 0"
    if name in NOT_BELOW_ZERO and not value >= 0:
        return f"is {value}, but must be 0 or more"
    if annotation is float and abs(value) > LARGEST_FLOAT:
        return f"is {value}, but must be between -{LARGEST_FLOAT:g} and {LARGEST_FLOAT:g}"
    return None


def is_a_number(parameter: inspect.Parameter) -> bool:
    """Whether an option must be a number by its annotation."""
    return parameter.annotation in (int, float)
