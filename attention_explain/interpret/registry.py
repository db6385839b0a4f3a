"""From the names or configs that a user gives to interpreters, each with a name for its scores."""

from typing import Any, Dict, List, Optional, Sequence, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.models import Model
from allennlp.predictors import Predictor

from attention_explain.interpret.interpreter import Interpreter
from attention_explain.named_components import ComponentConfig, ComponentKind

InterpreterConfig = ComponentConfig

# What a method declares about its scores and its cost.
PROPERTIES = ("signed", "deterministic", "sums_to", "passes")

INTERPRETERS = ComponentKind(
    noun="interpreter",
    registry=SaliencyInterpreter,
    # AllenNLP's own know no batches.
    base=Interpreter,
    # The attribution file has a column for each method, and these beside them.
    reserved=(
        "id",
        "tokens",
        "label",
        "predicted",
        "probs",
        "rationale",
        "contrary",
        "unknown",
        "row",
    ),
    given=("predictor",),
    declared=PROPERTIES,
)


def known_interpreters() -> List[str]:
    """The names of this project's methods."""
    return INTERPRETERS.known()


def build_interpreters(
    configs: Sequence[InterpreterConfig], predictor: Predictor, seed: Optional[int] = None
) -> Dict[str, Interpreter]:
    """
    The interpreters by the name of their scores; a `seed` is for those whose config gives none.
    """
    return INTERPRETERS.build(configs, seed, predictor=predictor)


def supported_interpreters(
    names: Sequence[str], model: Model, reader: DatasetReader
) -> Tuple[List[str], Dict[str, str]]:
    """
    Of methods that nobody has named, those that can explain this model; and why the others cannot.
    """
    predictor = Predictor(model, reader, frozen=False)
    supported, left_out = [], {}
    for name in names:
        try:
            build_interpreters([name], predictor)
            supported.append(name)
        except ConfigurationError as error:
            left_out[name] = error.message
    if not supported:
        raise ConfigurationError(left_out[names[0]])
    return supported, left_out


def parameters(interpreter: Interpreter) -> Dict[str, Any]:
    """Its type and options, those left at their defaults included."""
    return INTERPRETERS.parameters(interpreter)


def properties(interpreter: Interpreter) -> Dict[str, Any]:
    """What the method declares about its scores and its cost."""
    return {name: getattr(interpreter, name) for name in PROPERTIES}
