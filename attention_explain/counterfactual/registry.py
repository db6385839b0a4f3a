"""Perturbations by the names that users list."""

from attention_explain.counterfactual.perturbation import Perturbation
from attention_explain.named_components import ComponentKind

PERTURBATIONS = ComponentKind(
    noun="perturbation",
    registry=Perturbation,
    base=Perturbation,
    # Columns are called `name.field`; these have no dot.
    reserved=(),
)
