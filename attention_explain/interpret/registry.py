"""From the names or configs that a user gives to interpreters, each with a name for its scores."""

import inspect
from copy import deepcopy
from typing import Any, Dict, List, Optional, Sequence, Type, Union

from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.interpret.interpreter import Interpreter

# "lrp", or {"type": "gradient-x-input", "absolute": true, "name": "jain-wallace"}.
InterpreterConfig = Union[str, Dict[str, Any]]

# The attribution file has a column for each method, and these beside them.
RESERVED = ("id", "tokens", "label", "predicted", "probs", "rationale", "row")


def known_interpreters() -> List[str]:
    """The names of this project's methods; AllenNLP's own know no batches."""
    return sorted(
        name
        for name in SaliencyInterpreter.list_available()
        if issubclass(SaliencyInterpreter.by_name(name), Interpreter)
    )


def build_interpreters(
    configs: Sequence[InterpreterConfig], predictor: Predictor, seed: Optional[int] = None
) -> Dict[str, Interpreter]:
    """
    The interpreters by the name of their scores: the config's `name`, or else its `type`, so that a
    method can stand twice in the list with different options.

    # Parameters

    seed : `int`, optional
        For the methods that draw random numbers, where their config gives none.
    """
    if isinstance(configs, (str, dict)) or not isinstance(configs, Sequence):
        raise ConfigurationError(
            f"interpreters must be a list of names or configs, but is {configs!r}"
        )
    if not configs:
        raise ConfigurationError(
            f"no interpreter is named; there are {', '.join(known_interpreters())}"
        )
    interpreters: Dict[str, Interpreter] = {}
    for config in configs:
        options = _options(config)
        name = _checked_name(options.pop("name", options["type"]))
        if name in interpreters:
            raise ConfigurationError(
                f"two interpreters are called '{name}'; give one of them another 'name'"
            )
        interpreters[name] = _build(options, predictor, seed)
    return interpreters


def option_names(interpreter: Type[Interpreter]) -> List[str]:
    """The options of a method, as its constructor has them."""
    names = list(inspect.signature(interpreter.__init__).parameters)
    return [name for name in names if name not in ("self", "predictor")]


def parameters(interpreter: Interpreter) -> Dict[str, Any]:
    """Its type and options, those left at their defaults included, which it has as attributes."""
    names = known_interpreters()
    kind = next(name for name in names if SaliencyInterpreter.by_name(name) is type(interpreter))
    options = {name: getattr(interpreter, name) for name in option_names(type(interpreter))}
    return {"type": kind, **options}


def properties(interpreter: Interpreter) -> Dict[str, Any]:
    """What the method declares about its scores and its cost."""
    return {
        name: getattr(interpreter, name)
        for name in ("signed", "deterministic", "sums_to", "passes")
    }


def _options(config: InterpreterConfig) -> Dict[str, Any]:
    options = {"type": config} if isinstance(config, str) else config
    if not isinstance(options, dict) or not isinstance(options.get("type"), str):
        raise ConfigurationError(
            f"an interpreter is a name or an object with a 'type', but one is {config!r}"
        )
    known = known_interpreters()
    if options["type"] not in known:
        raise ConfigurationError(
            f"there is no interpreter '{options['type']}'; there are {', '.join(known)}"
        )
    return deepcopy(options)


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name or name in RESERVED or "." in name:
        raise ConfigurationError(
            f"an interpreter cannot be called {name!r}: its name is that of a column, which must "
            f"have no dot and must be none of {', '.join(RESERVED)}"
        )
    return name


def _build(options: Dict[str, Any], predictor: Predictor, seed: Optional[int]) -> Interpreter:
    kind = options["type"]
    if seed is not None and "seed" in option_names(SaliencyInterpreter.by_name(kind)):
        options.setdefault("seed", seed)
    try:
        return SaliencyInterpreter.from_params(Params(options), predictor=predictor)
    except (ConfigurationError, TypeError, ValueError) as error:
        # AllenNLP says a wrong type with a TypeError, and all say which option, but not whose.
        raise ConfigurationError(f"interpreter '{kind}': {_sentence(error)}") from error


def _sentence(error: Exception) -> str:
    return " ".join(str(error).split())
