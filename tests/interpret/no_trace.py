"""What must be as it was after a call of any interpreter, and how to call one as a user does."""

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter

from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import Interpreter
from attention_explain.models import AttentionClassifier
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.builders import instances, reader


def interpreter(name: str, model: AttentionClassifier, **options: Any) -> Interpreter:
    """The method of that name, built from a config."""
    return SaliencyInterpreter.from_params(
        Params({"type": name, **options}), predictor=SaliencyPredictor(model, reader())
    )


def trace(model: AttentionClassifier) -> dict[str, Any]:
    """All that a call could leave behind, as values that can be compared."""
    hooks = [
        (name, len(value))
        for module in model.modules()
        for name, value in vars(module).items()
        if "hooks" in name and value is not None
    ]
    return {
        "parameters": [parameter.detach().numpy().tobytes() for parameter in model.parameters()],
        "wants gradient": [parameter.requires_grad for parameter in model.parameters()],
        "gradients": [id(parameter.grad) for parameter in model.parameters()],
        "gradient values": [parameter.grad.numpy().tobytes() for parameter in model.parameters()],
        "modes": [module.training for module in model.modules()],
        "hooks": hooks,
        "torch": torch.random.get_rng_state().numpy().tobytes(),
        "numpy": numpy.random.get_state()[1].tobytes(),
        "python": random.getstate(),
    }


def check_no_trace_is_left(
    method: Interpreter,
    monkeypatch: pytest.MonkeyPatch,
    fails_at_call: int = 1,
    part: torch.nn.Module | None = None,
) -> None:
    """
    After success, after a bad target, and after a crash in the middle: at that call of that part
    of the model, its attention by default.
    """
    model = method.model
    # Odd modes and gradients, which a careless clean-up would set to the usual ones.
    model.train()
    model.encoder.eval()
    for number, parameter in enumerate(model.parameters()):
        parameter.grad = torch.full_like(parameter, float(number))
    before = trace(model)

    method.saliency_interpret_instances(instances())
    assert trace(model) == before

    with pytest.raises(InputError, match="target is 'no such label'"):
        method.saliency_interpret_instances(instances(), target="no such label")
    assert trace(model) == before

    with monkeypatch.context() as patch:
        part = part or model.attention
        patch.setattr(part, "forward", _crash_at(fails_at_call, part.forward))
        with pytest.raises(RuntimeError, match="crash in the middle"):
            method.saliency_interpret_instances(instances(), target="1")
    assert trace(model) == before


def _crash_at(number: int, function: Callable) -> Callable:
    calls = []

    def crash(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == number:
            raise RuntimeError("crash in the middle")
        return function(*arguments)

    return crash
