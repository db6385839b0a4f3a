"""Layer-wise relevance propagation, through attention and the encoders before it."""

from dataclasses import dataclass
from typing import Any

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import TextBatch, target_signs
from attention_explain.models import AttentionClassifier, TransformerClassifier
from attention_explain.modules.capabilities import RelevanceRules, needed
from attention_explain.modules.epsilon_rules import EpsilonRules, stabilizer
from attention_explain.modules.layer_attention import LayerParts, SelfAttentionParts
from attention_explain.modules.lstm import (
    LstmLayer,
    UnrolledLstm,
    directed,
    lstm_layers,
    undirected,
    unroll,
)
from attention_explain.modules.text_inputs import PairDecoder, Query, TextInputs
from attention_explain.modules.token_attention import LinearDecoder
from attention_explain.modules.transformer import TransformerEncoder
from attention_explain.pretrained.families import Family, GatedLayer, mean_weights


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

    needs: tuple[str, ...] = ("parts",)
    signed = True
    pieces = "sum"
    sums_to = "the logit, less the shares of biases, stabilisers and boundary symbols"
    passes = declared_passes("lrp")
    rules = EpsilonRules

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
            self.rules,
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
    kind: type[EpsilonRules] = EpsilonRules,
) -> Relevance:
    """
    One forward pass, and one backward that starts from the logit of the target class; of a contrast, from both
    logits, the other one negative.
    """
    embeddings = embeddings.detach().requires_grad_()
    absorbed = embeddings.new_zeros(len(embeddings), requires_grad=True)
    rules = kind(epsilon, absorbed)
    if isinstance(model, TransformerClassifier):
        logits = pretrained_logits(model.family, embeddings, inputs, rules)
    else:
        logits = _logits(model, embeddings, inputs, rules)
    signs = target_signs(target, logits)
    # A pair may have labels whose logits are not finite.
    start = torch.where(signs == 0, 0.0, signs * logits.detach())
    of_embeddings, of_biases = torch.autograd.grad(logits, (embeddings, absorbed), start)
    return Relevance(of_embeddings, of_biases, start.sum(dim=-1))


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
    family: Family, embeddings: torch.Tensor, inputs: TextInputs, rules: EpsilonRules
) -> torch.Tensor:
    """Shape: (batch, positions, embedding_dim) -> (batch, labels)"""
    added = family.added(embeddings, inputs.parts)
    states = rules.linear_map(lambda values: values, embeddings, bias=added)
    states = normal_states(family.embeddings_norm, states, rules)
    if family.embeddings_layer is not None:
        states = rules.linear(family.embeddings_layer, states)
    for layer in family.layers():
        states = layer_states(layer, states, inputs.mask, rules)
    if family.final_norm is not None:
        states = normal_states(family.final_norm, states, rules)
    weights = mean_weights(family.read_with(inputs.mask), states)
    values = rules.mix(weights.unsqueeze(1), states).squeeze(1)
    for step in family.head():
        if isinstance(step, torch.nn.Linear):
            values = rules.linear(step, values)
        elif isinstance(step, torch.nn.LayerNorm):
            values = normal_states(step, values, rules)
        else:
            values = rules.elementwise(step, values)
    return values


def lstm_states(
    encoder: PytorchSeq2SeqWrapper, inputs: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    """Shape: (batch, tokens, input) -> (batch, tokens, directions * hidden)"""
    for layer in lstm_layers(encoder):
        inputs = _LstmRule.apply(layer, mask, rules.epsilon, rules.absorbed, inputs)
    return inputs


class _LstmRule(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        layer: LstmLayer,
        mask: torch.Tensor,
        epsilon: float,
        absorbed: torch.Tensor,
        inputs: torch.Tensor,
    ) -> torch.Tensor:
        ctx.lengths = mask.sum(dim=1)
        ctx.inputs = directed(inputs, ctx.lengths, layer.directions)
        ctx.layer, ctx.epsilon = layer, epsilon
        ctx.run = unroll(layer, ctx.inputs)
        states = torch.cat(undirected(ctx.run.states[:, 1:], ctx.lengths), dim=-1)
        return states * mask.unsqueeze(-1)

    @staticmethod
    def backward(ctx: Any, relevance: torch.Tensor) -> tuple[Any, ...]:
        hidden = ctx.run.cells.size(-1)
        relevance = torch.stack(
            [
                directed(part, ctx.lengths, ctx.layer.directions)[direction]
                for direction, part in enumerate(relevance.split(hidden, dim=-1))
            ]
        )
        rate, absorbed = candidate_rates(ctx.layer, ctx.run, relevance, ctx.epsilon)
        # The candidate's rows of the weights. Shape: (directions, hidden, input)
        weights = ctx.layer.input_weights[:, 2 * hidden : 3 * hidden]
        through_input = torch.bmm(rate.flatten(1, 2), weights).view_as(ctx.inputs)
        passed = undirected(ctx.inputs * through_input, ctx.lengths)
        return None, None, None, absorbed, sum(passed)


def candidate_rates(
    layer: LstmLayer, run: UnrolledLstm, relevance: torch.Tensor, epsilon: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    From the relevance of the states to that of the candidates g_t, from the last step to the first.

    # Returns

    rate : `torch.Tensor`
        Relevance of each candidate over its stabilised preactivation.
        Shape: (directions, tokens, batch, hidden)
    absorbed : `torch.Tensor`
        What biases and stabilisers got, of each text. Shape: (batch,)
    """
    hidden = run.cells.size(-1)
    enter, forget, candidate, _ = run.gates.chunk(4, dim=-1)
    before = run.preactivations[..., 2 * hidden : 3 * hidden]
    under_candidate = stabilizer(before, epsilon)
    in_cell = stabilizer(run.cells[:, 1:], epsilon)
    cells = run.cells[:, 1:] + in_cell
    # c_t = f_t c_{t-1} + i_t g_t: the shares of the old cell and of the candidate.
    kept = forget * run.cells[:, :-1] / cells
    entered = enter * candidate / cells / (before + under_candidate)
    state_weights = layer.state_weights[:, 2 * hidden : 3 * hidden].contiguous()

    last = relevance.size(1) - 1
    of_cells = torch.empty_like(kept)
    of_cells[:, last] = relevance[:, last]
    rate = torch.empty_like(kept)
    for step in range(last, -1, -1):
        torch.mul(entered[:, step], of_cells[:, step], out=rate[:, step])
        if step > 0:
            through_state = torch.bmm(rate[:, step], state_weights)
            of_state = torch.addcmul(relevance[:, step - 1], run.states[:, step], through_state)
            # h = o tanh(c) gives all to c, which also has its share in the cell that follows.
            torch.addcmul(of_state, kept[:, step], of_cells[:, step], out=of_cells[:, step - 1])

    # Shape: (directions, 1, 1, hidden)
    bias = layer.bias[:, None, None, 2 * hidden : 3 * hidden]
    absorbed = rate * (bias + under_candidate) + of_cells * in_cell / cells
    return rate, absorbed.sum(dim=(0, 1, 3))


def transformer_states(
    encoder: TransformerEncoder, inputs: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    """
    Position vectors count as biases. Shape: (batch, tokens, input) -> (batch, tokens, hidden)
    """
    linear = isinstance(encoder.input_layer, torch.nn.Linear)
    with torch.no_grad():
        at_zero = encoder.input_layer(torch.zeros_like(inputs[:1, :1]))
        bias = at_zero + encoder._position_vectors(inputs)
    states = rules.linear_map(
        lambda values: values @ encoder.input_layer.weight.T if linear else values,
        inputs,
        bias=bias,
    )
    for layer in encoder.layers:
        states = layer_states(layer, states, mask, rules)
    return states * mask.unsqueeze(-1)


def layer_states(
    layer: LayerParts, states: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    """Of our own transformer, or of a pretrained one. Shape: (batch, positions, hidden)"""
    if isinstance(layer, GatedLayer):
        return _gated_states(layer, states, mask, rules)
    attended = _self_attention(layer.self_attention, states, mask, rules)
    states = normal_states(layer.attention_norm, rules.add(states, attended), rules)
    inner = rules.elementwise(layer.activation, rules.linear(layer.inner, states))
    fed = rules.add(states, rules.linear(layer.outer, inner))
    return normal_states(layer.feedforward_norm, fed, rules)


def _gated_states(
    layer: GatedLayer, states: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    normal = normal_states(layer.attention_norm, states, rules)
    states = rules.add(states, _self_attention(layer.self_attention, normal, mask, rules))
    normal = normal_states(layer.feedforward_norm, states, rules)
    gates = layer.activation(layer.gate(normal)).detach()
    inner = rules.linear(layer.inner, normal)
    signal = rules.linear_map(lambda values: gates * values, inner, bias=inner.new_zeros(()))
    return rules.add(states, rules.linear(layer.outer, signal))


def _self_attention(
    attention: SelfAttentionParts, states: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    queries, keys, values = (
        attention.split_heads(rules.linear(layer, states))
        for layer in (attention.query_layer, attention.key_layer, attention.value_layer)
    )
    if attention.rotation is not None:
        queries, keys = (
            rules.linear_map(attention.rotation, each, bias=each.new_zeros(()))
            for each in (queries, keys)
        )
    mixed = rules.attend(attention, queries, keys, values, mask)
    return rules.linear(attention.output_layer, attention.merge_heads(mixed))


def normal_states(
    norm: torch.nn.LayerNorm | torch.nn.Identity, inputs: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    """Their LN rule: (x - mean) / deviation * gain with a constant deviation, then the shift."""
    if isinstance(norm, torch.nn.Identity):
        return inputs
    variance = inputs.detach().var(dim=-1, unbiased=False, keepdim=True)
    gain = norm.weight.detach() * torch.rsqrt(variance + norm.eps)
    return rules.linear_map(
        lambda values: gain * (values - values.mean(dim=-1, keepdim=True)),
        inputs,
        bias=inputs.new_zeros(()) if norm.bias is None else norm.bias.detach(),
    )
