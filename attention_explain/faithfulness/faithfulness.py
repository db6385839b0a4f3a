"""The base of all measures of how true scores are to the model."""

from dataclasses import dataclass
from typing import Dict, Optional

from allennlp.common import Registrable


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
