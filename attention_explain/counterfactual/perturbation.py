"""The base of all post hoc counterfactuals: other attention in a model that stays as it is."""

from collections.abc import Iterable, Mapping, Sequence

import numpy
import torch
from allennlp.common import Registrable
from allennlp.models import Model

from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.counterfactual.self_attending import SelfAttending
from attention_explain.files.perturbations import Field
from attention_explain.models.requirements import check_needs
from attention_explain.named_components import ComponentKind


class Perturbation(Registrable):
    """
    An experiment on the attention of a trained model. A subclass implements `perturb` for a batch,
    declares the fields of its result, and has its options as attributes.
    """

    fields: Mapping[str, Field]
    # What `perturb` takes: states under other attention, or a model whose layers attend otherwise.
    takes: type[FixedStates | SelfAttending] = FixedStates
    # Files that it reads, which decide the result as its options do.
    reads: Sequence[str] = ()

    def check_model(self, model: Model) -> None:
        """Says before any work what the model has not."""
        check_needs(model, self.takes.needs, "what can be perturbed is the attention of")

    def check(self, texts: Iterable[tuple[str, Sequence[str]]]) -> None:
        """
        Says before any work what is wrong for the texts to come.

        # Parameters

        texts : `Iterable[Tuple[str, Sequence[str]]]`
            The id of each text and its tokens.
        """

    def perturb(self, texts: FixedStates | SelfAttending) -> dict[str, torch.Tensor]:
        """The fields, each of the shape that its kind has."""
        raise NotImplementedError

    def found(self, results: Mapping[str, numpy.ndarray]) -> str | None:
        """
        What it found over all texts, in a sentence; None where there is nothing to say.

        # Parameters

        results : `Mapping[str, numpy.ndarray]`
            Its numbers and flags (1 or 0), one a text, NaN where undefined; no field is undefined
            for all texts.
        """
        return None


def percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.0f} %"


PERTURBATIONS = ComponentKind(
    noun="perturbation",
    registry=Perturbation,
    base=Perturbation,
    # Columns are called `name.field`; these have no dot.
    reserved=(),
)
