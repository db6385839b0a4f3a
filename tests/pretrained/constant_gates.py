"""
What the rules of relevance amount to without stabilisers: gradient x input of transformers' own model,
in which the deviations of layer norms, the gates of gated blocks and the slopes f(x) / x of other
nonlinearities are constants. In addition attention weights are constants (Ali et al. 2022), or the
gradients of both factors of a matrix product are halved (AttnLRP, Achtibat et al. 2024).
"""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForSequenceClassification
from transformers.activations import GELUActivation
from transformers.models.modernbert.modeling_modernbert import ModernBertMLP


def gated(function: Callable) -> Callable:
    def product(*arguments):
        before = arguments[-1]
        return before * (function(*arguments) / before).detach()

    return product


def constant_deviation(norm: torch.nn.LayerNorm, states: torch.Tensor) -> torch.Tensor:
    centered = states - states.mean(dim=-1, keepdim=True)
    deviation = (centered**2).mean(dim=-1, keepdim=True).add(norm.eps).sqrt().detach()
    return centered / deviation * norm.weight + (0.0 if norm.bias is None else norm.bias)


def constant_glu(block: ModernBertMLP, states: torch.Tensor) -> torch.Tensor:
    gate, signal = block.Wi(states).chunk(2, dim=-1)
    return block.Wo(block.act(gate).detach() * signal)


class HalvedProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, one, other):
        ctx.save_for_backward(one, other)
        return multiply(one, other)

    @staticmethod
    def backward(ctx, gradient):
        one, other = ctx.saved_tensors
        of_one, of_other = multiply(gradient, other.mT), multiply(one.mT, gradient)
        return of_one / 2, of_other / 2


multiply = torch.matmul


def constant_gates(patch: pytest.MonkeyPatch, constant_weights: bool) -> None:
    weigh = torch.nn.functional.softmax
    if constant_weights:
        patch.setattr(
            torch.nn.functional,
            "softmax",
            lambda scores, *args, **options: weigh(scores, *args, **options).detach(),
        )
    else:
        # Linear layers do not use it.
        patch.setattr(torch, "matmul", HalvedProduct.apply)
    patch.setattr(torch.nn.LayerNorm, "forward", constant_deviation)
    patch.setattr(ModernBertMLP, "forward", constant_glu)
    patch.setattr(torch, "tanh", gated(torch.tanh))
    for activation in (GELUActivation, torch.nn.ReLU):
        patch.setattr(activation, "forward", gated(activation.forward))


def gradient_x_input(
    folder: Path, ids: torch.Tensor, label: int, constant_weights: bool = True
) -> tuple[torch.Tensor, float]:
    """One number a position, and the logit. Shape: (1, positions) -> (positions,)"""
    model = AutoModelForSequenceClassification.from_pretrained(folder, attn_implementation="eager")
    model.double().eval()
    embeddings = model.get_input_embeddings()(ids).detach().requires_grad_()
    with pytest.MonkeyPatch.context() as patch:
        constant_gates(patch, constant_weights)
        # ModernBERT of transformers 4.49 takes means with a mask only.
        output = model(inputs_embeds=embeddings, attention_mask=torch.ones_like(ids)).logits[
            0, label
        ]
        (gradient,) = torch.autograd.grad(output, embeddings)
    return (gradient * embeddings.detach())[0].sum(dim=-1), output.item()
