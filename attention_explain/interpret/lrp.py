"""Layer-wise relevance propagation: what share of the logit comes from each token."""

from dataclasses import dataclass

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.encoder_relevance import layer_states, normal_states
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier, TransformerClassifier
from attention_explain.modules.capabilities import RelevanceRules, needed
from attention_explain.modules.epsilon_rules import EpsilonRules
from attention_explain.modules.query import PairDecoder, Query
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.modules.token_attention import LinearDecoder
from attention_explain.pretrained.families import Family


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
            batch.inputs,
            target,
            self.epsilon,
        )
        # Shape: (batch, positions)
        scores = relevance.of_embeddings.sum(dim=-1)
        missing = scores.sum(dim=-1) + relevance.absorbed - relevance.output
        scored = batch.inputs.at_positions(batch.attendable)
        assigned = scores.masked_fill(~scored, 0.0).sum(dim=-1)
        return Attribution(
            scores,
            {
                "conservation_error": missing.abs() / relevance.output.abs(),
                "unassigned": 1 - assigned / relevance.output,
            },
        )


@dataclass(frozen=True)
class Relevance:
    """
    of_embeddings : Shape: (batch, positions, embedding_dim)
    absorbed : what went to biases, stabilisers and, of a pair, the query. Shape: (batch,)
    output : the logit whose relevance was propagated. Shape: (batch,)
    """

    of_embeddings: torch.Tensor
    absorbed: torch.Tensor
    output: torch.Tensor


def propagate(
    model: AttentionClassifier | TransformerClassifier,
    embeddings: torch.Tensor,
    inputs: TextInputs,
    target: torch.Tensor,
    epsilon: float,
) -> Relevance:
    """
    One forward pass, and one backward that starts from the logit of the target class.
    """
    embeddings = embeddings.detach().requires_grad_()
    absorbed = embeddings.new_zeros(len(embeddings), requires_grad=True)
    rules = EpsilonRules(epsilon, absorbed)
    if isinstance(model, TransformerClassifier):
        logits = pretrained_logits(model.family, embeddings, inputs.mask, rules)
    else:
        logits = _logits(model, embeddings, inputs, rules)
    output = logits.gather(-1, target.unsqueeze(-1))
    of_embeddings, of_biases = torch.autograd.grad(output, (embeddings, absorbed), output.detach())
    return Relevance(of_embeddings, of_biases, output.detach().squeeze(-1))


def check_rules(model: AttentionClassifier | TransformerClassifier) -> None:
    """One sentence if some part of the model has no rule."""
    if not isinstance(model, TransformerClassifier):
        needed(model.encoder, RelevanceRules, "lrp")


def _logits(
    model: AttentionClassifier, embeddings: torch.Tensor, inputs: TextInputs, rules: EpsilonRules
) -> torch.Tensor:
    """Encoder, attention, decoder. Shape: (batch, tokens, embedding_dim) -> (batch, labels)"""
    encoder = needed(model.encoder, RelevanceRules, "lrp")
    states = encoder.relevance_states(embeddings, inputs.mask, rules)
    with torch.no_grad():
        # Shape: (batch, 1, tokens)
        attention = model.attend(states, inputs).unsqueeze(1)
    return _decoded(model.decoder, rules.mix(attention, states).squeeze(1), inputs.query, rules)


def _decoded(
    decoder: LinearDecoder | PairDecoder,
    context: torch.Tensor,
    query: Query | None,
    rules: EpsilonRules,
) -> torch.Tensor:
    """What a query adds is no part of the text: like a bias, it takes its share. Shape: (batch, labels)"""
    if query is None:
        return rules.linear(decoder, context)
    votes = rules.linear_map(
        lambda values: torch.nn.functional.linear(values, decoder.vote_weight),
        context,
        bias=(decoder.vote_bias + decoder.asked(query)).detach(),
    )
    return rules.linear(decoder.output_layer, rules.elementwise(decoder.activation, votes))


def pretrained_logits(
    family: Family, embeddings: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    """Shape: (batch, positions, embedding_dim) -> (batch, labels)"""
    added = family.added(embeddings)
    states = rules.linear_map(lambda values: values, embeddings, bias=added)
    states = normal_states(family.embeddings.LayerNorm, states, rules)
    if family.embeddings_layer is not None:
        states = rules.linear(family.embeddings_layer, states)
    for layer in family.layers():
        states = layer_states(layer, states, mask, rules)
    values = states[:, 0]
    for step in family.head():
        if isinstance(step, torch.nn.Linear):
            values = rules.linear(step, values)
        else:
            values = rules.elementwise(step, values)
    return values
