"""
DeepLift: how each token's difference from a baseline adds to the difference of the output.

Not captum's: that one replaces the gradients of activation *modules*, and silently takes plain
gradients through the gates of an LSTM, through softmax and through products of two values.
"""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.interpret.baselines import BASELINES, baseline_embeddings
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.rescale.classifier import check_rules, contributions
from attention_explain.interpret.text_batch import OUTPUTS, TextBatch
from attention_explain.named_components import check_choice


@SaliencyInterpreter.register("deeplift")
class DeepLift(Interpreter):
    """
    DeepLift with the rescale rule (Shrikumar et al. 2017), through every part of the model:
    products of two values (gate and signal, weight and state) are split evenly, and attention keeps
    its sum of 1. The scores sum to the output of the text less that of the baseline; each text
    reports by how much they miss it, as `convergence_delta`.

    Registered as a `SaliencyInterpreter` with name "deeplift".

    # Parameters

    of : `str`, optional (default = `"logit"`)
        `probability` or `logit` of the class. The paper prefers what comes before the last
        nonlinearity (section 3.6).
    baseline : `str`, optional (default = `"zero"`)
        `zero`, or the embedding of a symbol, `pad`, `unk` or `mask`.
    """

    needs = ("parts",)
    signed = True
    pieces = "sum"
    sums_to = "output of the text - output of the baseline"
    passes = declared_passes("deeplift")

    def __init__(self, predictor: Predictor, of: str = "logit", baseline: str = "zero") -> None:
        super().__init__(predictor)
        check_rules(self.model)
        self.of = check_choice("of", of, OUTPUTS)
        self.baseline = check_choice("baseline", baseline, BASELINES)

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens)
        shares = contributions(
            self.model,
            embeddings,
            baseline_embeddings(self.model, batch, embeddings, self.baseline),
            batch.reading,
            target,
            self.of,
        )
        # Boundary symbols are the same in both runs, and contribute nothing.
        scores = shares.of_embeddings.sum(dim=-1)
        return Attribution(scores, {"convergence_delta": scores.sum(dim=-1) - shares.difference})
