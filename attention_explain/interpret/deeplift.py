"""
DeepLift: how each token's difference from a baseline adds to the difference of the output.

Not captum's: that one replaces the gradients of activation *modules*, and silently takes plain
gradients through the gates of an LSTM, through softmax and through products of two values.
"""

from dataclasses import dataclass

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.encoder_differences import (
    attend,
    check_attention,
    check_projection,
    layer_states,
    normal_states,
    project,
)
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import (
    BASELINES,
    OUTPUTS,
    TextBatch,
    baseline_embeddings,
    is_contrast,
    target_signs,
)
from attention_explain.model_outputs import SOFTMAX, head_of
from attention_explain.models import AttentionClassifier, TransformerClassifier
from attention_explain.modules import two_runs
from attention_explain.modules.capabilities import RescaleRules, needed
from attention_explain.modules.projections import Projection, Softmax
from attention_explain.modules.text_inputs import PairDecoder, Query, TextInputs
from attention_explain.modules.token_attention import LinearDecoder
from attention_explain.modules.two_runs import TwoRuns
from attention_explain.named_components import check_choice
from attention_explain.pretrained.families import Family, mean_weights


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
        if of == "probability" and head_of(self.model) != SOFTMAX:
            raise InputError("deeplift of a head without softmax needs 'of': 'logit'")
        self.baseline = check_choice("baseline", baseline, BASELINES)

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens)
        shares = contributions(
            self.model,
            embeddings,
            baseline_embeddings(self.model, batch, embeddings, self.baseline),
            batch.inputs,
            target,
            self.of,
        )
        # Boundary symbols are the same in both runs, and contribute nothing.
        scores = shares.of_embeddings.sum(dim=-1)
        return Attribution(scores, {"convergence_delta": scores.sum(dim=-1) - shares.difference})


@dataclass(frozen=True)
class Contributions:
    """
    of_embeddings : Shape: (batch, positions, embedding_dim)
    difference : what they sum to: output of the text less output of the baseline. Shape: (batch,)
    """

    of_embeddings: torch.Tensor
    difference: torch.Tensor


def contributions(
    model: AttentionClassifier | TransformerClassifier,
    embeddings: torch.Tensor,
    baseline: torch.Tensor,
    inputs: TextInputs,
    target: torch.Tensor,
    of: str,
) -> Contributions:
    """
    Multiplier times difference, of each number in the embeddings. Both runs go forward together.
    """
    embeddings, baseline = embeddings.detach(), baseline.detach()
    steps = (embeddings - baseline).requires_grad_()
    runs = TwoRuns(embeddings, baseline, steps)
    if isinstance(model, TransformerClassifier):
        output = pretrained_logits(model.family, runs, inputs)
    else:
        output = _logits(model, runs, inputs)
    if of == "probability" and not is_contrast(target):
        among = torch.ones_like(output.text, dtype=torch.bool)
        if inputs.query is not None and inputs.query.candidates is not None:
            among = inputs.query.candidates
        output = project(Softmax(), output, among)
    signs = target_signs(target, output.text)
    (multipliers,) = torch.autograd.grad(output.difference, steps, signs)
    between = torch.where(signs == 0, 0.0, signs * (output.text - output.baseline))
    difference = between.sum(dim=-1)
    return Contributions(multipliers * steps.detach(), difference)


def _logits(model: AttentionClassifier, runs: TwoRuns, inputs: TextInputs) -> TwoRuns:
    """Encoder, attention, decoder. Shape: (batch, tokens, embedding_dim) -> (batch, labels)"""
    encoder = needed(model.encoder, RescaleRules, "deeplift")
    states = encoder.rescale_states(runs, inputs.mask, two_runs)
    attention = attend(model.attention, states, inputs)
    context = two_runs.multiply(attention, states, _weighted_sum)
    return _decoded(model.decoder, context, inputs.query)


def _decoded(
    decoder: LinearDecoder | PairDecoder, context: TwoRuns, query: Query | None
) -> TwoRuns:
    """Shape: (batch, state_dim) -> (batch, labels)"""
    if query is None:
        return two_runs.linear(decoder, context)
    votes = two_runs.linear(decoder.state_layer, context)
    # The query is the same in both runs.
    asked = two_runs.linear_map(lambda values: values, votes, decoder.asked(query).detach())
    return two_runs.linear(decoder.output_layer, two_runs.tanh(asked))


def check_rules(model: AttentionClassifier | TransformerClassifier) -> None:
    """One sentence if some part of the model has no rule."""
    if isinstance(model, TransformerClassifier):
        return
    needed(model.encoder, RescaleRules, "deeplift")
    check_attention(model.attention)
    for part in model.encoder.modules():
        if isinstance(part, Projection):
            check_projection(part)


def _weighted_sum(weights: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
    """Shape: (batch, tokens), (batch, tokens, dim) -> (batch, dim)"""
    return (weights.unsqueeze(1) @ states).squeeze(1)


def pretrained_logits(family: Family, runs: TwoRuns, inputs: TextInputs) -> TwoRuns:
    """Shape: (batch, positions, embedding_dim) -> (batch, labels)"""
    added = family.added(runs.text, inputs.parts)
    states = two_runs.linear_map(lambda values: values, runs, bias=added)
    states = normal_states(family.embeddings_norm, states)
    if family.embeddings_layer is not None:
        states = two_runs.linear(family.embeddings_layer, states)
    for layer in family.layers():
        states = layer_states(layer, states, inputs.mask)
    if family.final_norm is not None:
        states = normal_states(family.final_norm, states)
    weights = mean_weights(family.read_with(inputs.mask), runs.text)
    values = two_runs.linear_map(lambda values: _weighted_sum(weights, values), states)
    for step in family.head():
        if isinstance(step, torch.nn.Linear):
            values = two_runs.linear(step, values)
        elif isinstance(step, torch.nn.LayerNorm):
            values = normal_states(step, values)
        else:
            values = two_runs.elementwise(step, values)
    return values
