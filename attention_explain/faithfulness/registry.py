"""Measures and removal methods by the names that users type."""

from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.faithfulness.removal import RemovalMethod
from attention_explain.files.faithfulness import TIED
from attention_explain.named_components import ComponentKind

MEASURES = ComponentKind(
    noun="measure",
    registry=Faithfulness,
    base=Faithfulness,
    # The name of an extra row in the file.
    reserved=(TIED,),
    declared=("equation", "in_order", "erasures"),
)

ERASURES = ComponentKind(
    noun="removal method", registry=RemovalMethod, base=RemovalMethod, reserved=()
)
