"""Which columns the papers compare, and under which options a column is what a paper means."""

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Dict, Optional

from analysis.text_files import TextFile

CURE = " (training_configs/interpreters has the methods of each paper)"


@dataclass(frozen=True)
class Method:
    """
    name : of the column.
    title : what tables call it.
    options : those without which it is not the paper's.
    check : a number a text beside the scores, where that is what the paper is about.
    """

    name: str
    title: str
    options: Dict[str, Any] = field(default_factory=dict, hash=False)
    check: str = ""

    @property
    def column(self) -> str:
        """The name of the column in the table of a file."""
        return f"{self.name}.{self.check}" if self.check else self.name

    def problem(self, file: TextFile) -> Optional[str]:
        """Why the file cannot serve, in one sentence, or None."""
        if self.name not in file.declared or self.column not in file.table:
            return f"{file.path}: has no '{self.column}'; it has {', '.join(file.declared)}{CURE}"
        parameters = file.declared[self.name].get("parameters", {})
        for option, wanted in self.options.items():
            if parameters.get(option, wanted) != wanted:
                return (
                    f"{file.path}: its '{self.name}' has {option} = {parameters[option]}, "
                    f"the paper's has {wanted}{CURE}"
                )
        return None


ATTENTION = Method("attention", "attention")

# Jain & Wallace, and Neely & Schouten, who kept their code.
GRADIENT_X_INPUT = Method(
    "gradient-x-input",
    "gradient",
    {"of": "probability", "absolute": True, "detach_attention": True},
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
