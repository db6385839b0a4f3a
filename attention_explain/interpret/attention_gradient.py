"""Attention times its gradient, through the layers of a pretrained transformer."""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import OUTPUTS, TextBatch, class_output
from attention_explain.named_components import check_choice
from attention_explain.passes import rows_at_once


@SaliencyInterpreter.register("attention-x-gradient")
class AttentionXGradient(Interpreter):
    """
    Generic attention explainability (Chefer et al. 2021, eqs. 5 and 6): of each layer's weights the
    positive part of weight times gradient of the class output, heads averaged, A'; from the first layer
    to the last, R becomes R + A' R, from the identity; the scores are the row of the first position.

    Registered as a `SaliencyInterpreter` with name "attention-x-gradient".

    # Parameters

    of : `str`, optional (default = `"logit"`)
        `probability` or `logit` of the class.
    """

    needs = ("maps",)
    signed = False
    pieces = "max"
    passes = declared_passes("attention-x-gradient")

    def __init__(self, predictor: Predictor, of: str = "logit") -> None:
        super().__init__(predictor)
        self.of = check_choice("of", of, OUTPUTS)

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        with torch.no_grad():
            embeddings = self.model.embed(batch.tokens)
        # The maps of all layers are held at once, each with its gradient.
        numbers = 2 * self.model.number_of_maps() * batch.mask.size(1) ** 2
        together = rows_at_once(numbers, embeddings.device.type)
        rows = torch.arange(len(batch), device=embeddings.device).split(together)
        return Attribution(torch.cat([self._of(batch, embeddings, target, some) for some in rows]))

    def _of(
        self, batch: TextBatch, embeddings: torch.Tensor, target: torch.Tensor, rows: torch.Tensor
    ) -> torch.Tensor:
        """Shape: (rows, positions)"""
        given = embeddings[rows].requires_grad_()
        logits, maps = self.model.with_maps(given, batch.inputs.rows(rows))
        output = class_output(logits, target[rows], self.of).sum()
        gradients = torch.autograd.grad(output, maps)
        # The row of the product, from the last layer down.
        relevance = torch.zeros_like(given[..., 0])
        relevance[:, 0] = 1.0
        for weights, gradient in zip(reversed(maps), reversed(gradients)):
            mixed = (weights * gradient).clamp(min=0).mean(dim=1)
            relevance = relevance + torch.einsum("bi,bij->bj", relevance, mixed)
        return relevance
