"""The base of all measures of how true scores are to the model."""

from dataclasses import dataclass
from typing import Dict, List, Optional

from allennlp.common import Registrable

# What stands beside the methods: the mean over random orders, and the best order that is known.
RANDOM = "random"
SEARCH = "search"
# And beside the measures: the share of tokens that share their score.
TIED = "tied"


@dataclass(frozen=True)
class Quantity:
    """
    One number that a measure gives.

    name : a measure may give several, such as a second form.
    k : of the bin, where it is of one.
    """

    name: str
    higher_is_better: bool
    k: Optional[float] = None


@dataclass
class Measurement:
    """
    A row of the file: one quantity of one method on one text.

    value : None where it is undefined; `undefined` then says why.
    normalised : on the scale from random (0) to the best that search knows (1).
    """

    method: str
    measure: str
    erasure: Optional[str]
    k: Optional[float] = None
    value: Optional[float] = None
    normalised: Optional[float] = None
    curve: Optional[List[float]] = None
    undefined: Optional[str] = None


@dataclass
class JudgedRows:
    """
    What is measured of one text.

    label, predicted : the gold label, where it is known, and the model's.
    """

    id: str
    label: Optional[str]
    predicted: str
    rows: List[Measurement]


class Faithfulness(Registrable):
    """
    A measure of scores by the model that they explain.

    equation : the definition, as the file tells it.
    in_order : whether only the order of the scores counts, so that a search can optimise it.
    erasures : whether tokens are taken out, so that it is another number for each erasure.
    """

    equation: str
    in_order: bool = False
    erasures: bool = False

    def forms(self) -> Dict[str, bool]:
        """The names of all quantities, that of the measure first, and whether more is better."""
        raise NotImplementedError

    def called(self, form: str, name: str) -> str:
        """What a form is called where the measure has got a name of its own."""
        return form.replace(next(iter(self.forms())), name)
