"""Layer-wise relevance propagation: what share of the logit comes from each token."""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.relevance.classifier import check_rules, propagate
from attention_explain.interpret.text_batch import TextBatch


@SaliencyInterpreter.register("lrp")
class LayerwiseRelevance(Interpreter):
    """
    Layer-wise relevance propagation with the epsilon rule, of the logit of the class, down to the
    embeddings. Gates and attention weights get no relevance: the signal that they weigh gets it all
    (Arras et al. 2017). In a transformer, our own or a pretrained one, self-attention weights and
    the deviation of a layer norm are constants (Ali et al. 2022).

    The relevances of all tokens, with what biases and stabilisers absorb, sum to the logit. Each
    text reports how well: `conservation_error`, relative to the logit; and which part of the logit
    no scored token has: `unassigned`, the share of biases (positions among them), stabilisers and
    boundary symbols.

    Registered as a `SaliencyInterpreter` with name "lrp".

    # Parameters

    epsilon : `float`, optional (default = `0.001`)
        The stabiliser that keeps a sum away from zero, above 0.
    """

    needs = ("parts",)
    signed = True
    pieces = "sum"
    sums_to = "the logit, less the shares of biases, stabilisers and boundary symbols"
    passes = declared_passes("lrp")

    def __init__(self, predictor: Predictor, epsilon: float = 0.001) -> None:
        super().__init__(predictor)
        if not epsilon > 0:
            raise InputError(f"epsilon must be above 0, but is {epsilon}")
        check_rules(self.model)
        self.epsilon = epsilon

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        relevance = propagate(
            self.model,
            self.model.embed(batch.tokens),
            batch.reading,
            target,
            self.epsilon,
        )
        # Shape: (batch, places)
        scores = relevance.of_embeddings.sum(dim=-1)
        missing = scores.sum(dim=-1) + relevance.absorbed - relevance.output
        scored = batch.reading.at_places(batch.attendable)
        assigned = scores.masked_fill(~scored, 0.0).sum(dim=-1)
        return Attribution(
            scores,
            {
                "conservation_error": missing.abs() / relevance.output.abs(),
                "unassigned": 1 - assigned / relevance.output,
            },
        )
