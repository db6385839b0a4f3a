"""The model's own attention weights, as a saliency method beside the others."""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter

from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import TextBatch


@SaliencyInterpreter.register("attention")
class AttentionWeights(Interpreter):
    """
    The attention weight of each token. It is the same for every class.

    Registered as a `SaliencyInterpreter` with name "attention".
    """

    signed = False
    sums_to = "1"
    passes = declared_passes("attention")
    needs = ("attention",)
    goes_back = False

    @torch.no_grad()
    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens)
        return Attribution(self.model.with_attention(embeddings, batch.reading)[1])
