"""Measures and erasures by the names that users list."""

from attention_explain.faithfulness.erasures.erasure import Erasure
from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.files.faithfulness import TIED
from attention_explain.named_components import ComponentKind

MEASURES = ComponentKind(
    noun="measure",
    registry=Faithfulness,
    base=Faithfulness,
    # A row of its own beside theirs.
    reserved=(TIED,),
    declared=("equation", "in_order", "erasures"),
)

ERASURES = ComponentKind(noun="erasure", registry=Erasure, base=Erasure, reserved=())
