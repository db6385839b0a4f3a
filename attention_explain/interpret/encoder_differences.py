"""
The rules for the Transformer: queries, keys and values are linear, scores and mixtures are
products, self-attention is a projection like any other, and a layer norm is a product with
1 / deviation.
"""

import math

import torch
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper

from attention_explain.errors import InputError
from attention_explain.modules import two_runs
from attention_explain.modules.layer_attention import LayerParts, SelfAttentionParts
from attention_explain.modules.lstm import (
    LstmLayer,
    UnrolledLstm,
    directed,
    lstm_layers,
    undirected,
    unroll,
)
from attention_explain.modules.projections import (
    Entmax,
    Entmax15,
    Projection,
    Softmax,
    Sparsegen,
    Sparsemax,
)
from attention_explain.modules.text_inputs import Query, TextInputs
from attention_explain.modules.token_attention import (
    AdditiveScorer,
    AttentionScorer,
    LinearScorer,
    ScaledDotScorer,
    TokenAttention,
)
from attention_explain.modules.transformer import TransformerEncoder, in_pieces
from attention_explain.modules.two_runs import TwoRuns, secant
from attention_explain.pretrained.families import GatedLayer


def check_attention(attention: TokenAttention) -> None:
    """One sentence if there is no rule for this attention."""
    check_projection(attention.projection)
    if not isinstance(
        attention.scorer, (AdditiveScorer, LinearScorer, ScaledDotScorer, type(None))
    ):
        raise InputError(
            f"deeplift has rules for the scorers additive, linear and scaled_dot, but this model's "
            f"attention has a {type(attention.scorer).__name__}"
        )


def check_projection(projection: Projection) -> None:
    """Raise if DeepLift has no rule for the projection."""
    if projection.uses_scores and _alpha_and_scale(projection) is None:
        raise InputError(
            f"deeplift has rules for the projections softmax, sparsemax, entmax15, entmax, "
            f"sparsegen and uniform, but this model has a {type(projection).__name__}"
        )


def attend(attention: TokenAttention, states: TwoRuns, inputs: TextInputs) -> TwoRuns:
    """Shape: (batch, tokens, state_dim) -> (batch, tokens)"""
    if attention.scorer is None:
        # A projection without scores sees their shape alone.
        scores = two_runs.linear_map(lambda values: values[..., 0], states)
    else:
        scores = score(attention.scorer, states, inputs.query)
    return project(attention.projection, scores, inputs.attendable)


def score(scorer: AttentionScorer, states: TwoRuns, query: Query | None) -> TwoRuns:
    """Shape: (batch, tokens, state_dim) -> (batch, tokens)"""
    scale = 1.0
    if isinstance(scorer, AdditiveScorer):
        inner = two_runs.linear(scorer.state_layer, states)
        if query is not None:
            # The same in both runs.
            asked = scorer.query_layer(query.state).detach().unsqueeze(1)
            inner = two_runs.linear_map(lambda values: values, inner, asked)
        states = two_runs.tanh(inner)
    elif isinstance(scorer, ScaledDotScorer):
        scale = 1 / math.sqrt(scorer.input_dim)
    if isinstance(scorer, ScaledDotScorer) and query is not None:
        vector = query.state.detach().unsqueeze(-1)
        scores = two_runs.linear_map(lambda values: values @ vector, states)
    else:
        scores = two_runs.linear(scorer.weight_layer, states)
    return two_runs.linear_map(lambda values: values.squeeze(-1) * scale, scores)


def project(projection: Projection, scores: TwoRuns, mask: torch.Tensor) -> TwoRuns:
    """Shape: (..., tokens)"""
    with torch.no_grad():
        text, baseline = projection(scores.text, mask), projection(scores.baseline, mask)
    if not projection.uses_scores:
        return TwoRuns(text, baseline, torch.zeros_like(text))
    known = _alpha_and_scale(projection)
    assert known is not None, "check_projection was not called"
    alpha, scale = known
    step = scale * (scores.text - scores.baseline) - (
        _threshold(scale * scores.text, text, alpha)
        - _threshold(scale * scores.baseline, baseline, alpha)
    )
    slope = (_slope(text, alpha) + _slope(baseline, alpha)) / 2
    secants = two_runs.secant(step, text - baseline, slope).masked_fill(~mask, 0.0)
    difference = scale * scores.difference
    # Secants that are all 0 say that no weight moves: so it is where one token has all the weight in
    # both runs, at scores so large that rounding hides that its own step is 0. Then nothing is
    # handed on, whatever the threshold does.
    total = secants.sum(-1, keepdim=True)
    of_threshold = (secants * difference).sum(-1, keepdim=True) / torch.where(total > 0, total, 1.0)
    return TwoRuns(text, baseline, secants * (difference - of_threshold))


def _alpha_and_scale(projection: Projection) -> tuple[float, float] | None:
    """Of the alpha-entmax that this is, and what it multiplies the scores with."""
    if isinstance(projection, Softmax):
        return 1.0, 1.0
    if isinstance(projection, Sparsemax):
        return 2.0, 1.0
    if isinstance(projection, Entmax15):
        return 1.5, 1.0
    if isinstance(projection, Entmax):
        return float(torch.as_tensor(projection.alpha).detach()), 1.0
    if isinstance(projection, Sparsegen):
        return 2.0, 1 / (1 - projection.lambda_)
    return None


def _threshold(scores: torch.Tensor, weights: torch.Tensor, alpha: float) -> torch.Tensor:
    """
    t, up to a constant of alpha, from the largest weight, which is never 0: z - g^-1(p) with
    g^-1(p) = (p^(alpha - 1) - 1) / (alpha - 1), or log p at alpha = 1. Shape: (..., 1)
    """
    largest, position = weights.max(dim=-1, keepdim=True)
    inverse = largest.log()
    if alpha != 1:
        inverse = torch.expm1((alpha - 1) * inverse) / (alpha - 1)
    return scores.gather(-1, position) - inverse


def _slope(weights: torch.Tensor, alpha: float) -> torch.Tensor:
    """g' = p^(2 - alpha) on the support, 0 beyond it."""
    return torch.where(weights > 0, weights ** (2 - alpha), 0.0)


def lstm_states(encoder: PytorchSeq2SeqWrapper, inputs: TwoRuns, mask: torch.Tensor) -> TwoRuns:
    """Shape: (batch, tokens, input) -> (batch, tokens, directions * hidden)"""
    lengths = mask.sum(dim=1)
    for layer in lstm_layers(encoder):
        both = directed(
            torch.cat([inputs.text, inputs.baseline]), lengths.repeat(2), layer.directions
        )
        run = unroll(layer, both)
        text, baseline = (
            torch.cat(undirected(states, lengths), dim=-1) * mask.unsqueeze(-1)
            for states in run.states[:, 1:].chunk(2, dim=2)
        )
        differences = state_differences(
            layer, run, directed(inputs.difference, lengths, layer.directions)
        )
        difference = torch.cat(undirected(differences, lengths), dim=-1) * mask.unsqueeze(-1)
        inputs = TwoRuns(text, baseline, difference)
    return inputs


def state_differences(
    layer: LstmLayer, run: UnrolledLstm, differences: torch.Tensor
) -> torch.Tensor:
    """
    The differences of the states from those of the inputs.
    Shape: (directions, tokens, batch, input) -> (directions, tokens, batch, hidden)
    """
    hidden = run.cells.size(-1)
    squashed = run.cells.tanh()
    gate_slopes = run.gates * (1 - run.gates)
    gate_slopes[..., 2 * hidden : 3 * hidden] = 1 - run.gates[..., 2 * hidden : 3 * hidden] ** 2
    gate_secants = _secants(run.preactivations, run.gates, gate_slopes)
    cell_secants = _secants(run.cells, squashed, 1 - squashed**2)[:, 1:]
    enter, forget, candidate, leave = _means(run.gates).chunk(4, dim=-1)
    cells, squashed = _means(run.cells), _means(squashed)[:, 1:]

    # Shape: (directions, tokens, batch, 4 * hidden)
    through_input = torch.bmm(
        differences.flatten(1, 2), layer.input_weights.transpose(1, 2)
    ).view_as(gate_secants)
    state_weights = layer.state_weights.transpose(1, 2)
    cell = state = torch.zeros_like(cells[:, 0])
    states = []
    # Not by index: the way back through an index takes the memory, and the time, of all steps.
    for step, through in enumerate(through_input.unbind(1)):
        before = torch.baddbmm(through, state, state_weights)
        of_enter, of_forget, of_candidate, of_leave = (gate_secants[:, step] * before).chunk(
            4, dim=-1
        )
        cell = (
            forget[:, step] * cell
            + cells[:, step] * of_forget
            + enter[:, step] * of_candidate
            + candidate[:, step] * of_enter
        )
        state = leave[:, step] * cell_secants[:, step] * cell + squashed[:, step] * of_leave
        states.append(state)
    return torch.stack(states, dim=1)


def _secants(before: torch.Tensor, after: torch.Tensor, slopes: torch.Tensor) -> torch.Tensor:
    return secant(_differences(before), _differences(after), _means(slopes))


def _differences(values: torch.Tensor) -> torch.Tensor:
    """The runs are the halves of the batch. Shape: (..., 2 * batch, dim) -> (..., batch, dim)"""
    text, baseline = values.chunk(2, dim=-2)
    return text - baseline


def _means(values: torch.Tensor) -> torch.Tensor:
    text, baseline = values.chunk(2, dim=-2)
    return (text + baseline) / 2


def transformer_states(encoder: TransformerEncoder, inputs: TwoRuns, mask: torch.Tensor) -> TwoRuns:
    """Shape: (batch, tokens, input) -> (batch, tokens, hidden)"""
    with torch.no_grad():
        positions = encoder._position_vectors(inputs.text)
    if isinstance(encoder.input_layer, torch.nn.Linear):
        inputs = two_runs.linear(encoder.input_layer, inputs)
    states = two_runs.linear_map(lambda values: values, inputs, bias=positions)
    for layer in encoder.layers:
        states = layer_states(layer, states, mask)
    return two_runs.linear_map(lambda values: values * mask.unsqueeze(-1), states)


def layer_states(layer: LayerParts, states: TwoRuns, mask: torch.Tensor) -> TwoRuns:
    """Of our own transformer, or of a pretrained one. Shape: (batch, positions, hidden)"""
    if isinstance(layer, GatedLayer):
        normal = normal_states(layer.attention_norm, states)
        states = two_runs.add(states, _self_attention(layer.self_attention, normal, mask))
        normal = normal_states(layer.feedforward_norm, states)
        gates = two_runs.elementwise(layer.activation, two_runs.linear(layer.gate, normal))
        signal = two_runs.multiply(gates, two_runs.linear(layer.inner, normal))
        return two_runs.add(states, two_runs.linear(layer.outer, signal))
    attended = _self_attention(layer.self_attention, states, mask)
    states = normal_states(layer.attention_norm, two_runs.add(states, attended))
    inner = two_runs.elementwise(layer.activation, two_runs.linear(layer.inner, states))
    fed = two_runs.linear(layer.outer, inner)
    return normal_states(layer.feedforward_norm, two_runs.add(states, fed))


def _self_attention(attention: SelfAttentionParts, states: TwoRuns, mask: torch.Tensor) -> TwoRuns:
    queries, keys, values = (
        two_runs.linear_map(attention.split_heads, two_runs.linear(layer, states))
        for layer in (attention.query_layer, attention.key_layer, attention.value_layer)
    )
    rotation = attention.rotation
    if rotation is not None:
        queries, keys = (two_runs.linear_map(rotation, each) for each in (queries, keys))
    scale = attention.scale(keys.text.size(-1))
    positions = mask.size(1)
    relative = attention.relative(positions)
    # Shape: (1, heads or 1, positions that attend, positions attended to or 1)
    bias = queries.text.new_zeros(1, 1, positions, 1)
    if attention.bias is not None:
        bias = attention.bias(positions).detach().unsqueeze(0)

    # By the positions that attend, as the bias.
    rows = bias if relative is None else relative.rows

    def attend(*numbers: torch.Tensor) -> tuple[torch.Tensor, ...]:
        queries, bias, rows = TwoRuns(*numbers[:3]), numbers[3], numbers[4]
        keys, values = TwoRuns(*numbers[5:8]), TwoRuns(*numbers[8:])
        # Shape: (batch, heads, positions that attend, positions attended to)
        scores = two_runs.multiply(queries, keys, lambda query, key: query @ key.mT * scale)
        scores = two_runs.linear_map(lambda values: values, scores, bias)
        if relative is not None:
            by_queries = two_runs.linear_map(lambda each: relative.of_queries(each, rows), queries)
            by_keys = two_runs.linear_map(lambda each: relative.of_keys(each, rows), keys)
            scores = two_runs.add(scores, two_runs.add(by_queries, by_keys))
        weights = project(attention.projection, scores, mask[:, None, None, :])
        return two_runs.multiply(weights, values, torch.matmul).parts

    mixed = TwoRuns(*in_pieces(attend, [*queries.parts, bias, rows], *keys.parts, *values.parts))
    return two_runs.linear(
        attention.output_layer, two_runs.linear_map(attention.merge_heads, mixed)
    )


def normal_states(norm: torch.nn.LayerNorm | torch.nn.Identity, inputs: TwoRuns) -> TwoRuns:
    """Layer normalisation of the text and of the baseline."""
    if isinstance(norm, torch.nn.Identity):
        return inputs
    centered = two_runs.linear_map(
        lambda values: values - values.mean(dim=-1, keepdim=True), inputs
    )
    variance = two_runs.linear_map(
        lambda squares: squares.mean(dim=-1, keepdim=True),
        two_runs.multiply(centered, centered),
        bias=norm.eps,
    )
    gain, shift = norm.weight.detach(), 0.0 if norm.bias is None else norm.bias.detach()
    normal = two_runs.multiply(centered, two_runs.rsqrt(variance))
    return two_runs.linear_map(lambda values: values * gain, normal, bias=shift)
