"""How a pass through a model leaves no trace."""

from contextlib import contextmanager, nullcontext
from typing import Iterator

import torch


@contextmanager
def untouched(model: torch.nn.Module, goes_back: bool = True) -> Iterator[None]:
    """
    Evaluation mode; and where there is a backward pass, cuDNN off, whose RNNs refuse one in that
    mode. Afterwards the model's mode, its parameters' gradients and the random state are as they
    were.
    """
    cudnn = torch.backends.cudnn.flags(enabled=False) if goes_back else nullcontext()
    training = {module: module.training for module in model.modules()}
    gradients = {parameter: parameter.grad for parameter in model.parameters()}
    devices = {parameter.device for parameter in model.parameters() if parameter.is_cuda}
    model.eval()
    try:
        with (
            torch.random.fork_rng(devices=list(devices)),
            cudnn,
        ):
            yield
    finally:
        for module, mode in training.items():
            module.training = mode
        for parameter, gradient in gradients.items():
            parameter.grad = gradient
