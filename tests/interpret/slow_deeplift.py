"""
DeepLift from its definition, number by number: each number knows its value in both runs, and by
which multiplier its difference comes from which earlier numbers. Nothing is shared with the
implementation but the model's weights.
"""

import math
from collections.abc import Callable, Sequence

import numpy
import torch

from attention_explain.models import AttentionClassifier


class Number:
    def __init__(
        self, text: float, baseline: float, sources: Sequence[tuple["Number", float]] = ()
    ) -> None:
        self.text, self.baseline = float(text), float(baseline)
        self.sources = sources

    def __add__(self, other: "Number") -> "Number":
        return total([self, other], [1.0, 1.0])

    def __mul__(self, other: "Number") -> "Number":
        """Half of the change with the other one first, half with this one first."""
        return Number(
            self.text * other.text,
            self.baseline * other.baseline,
            [
                (self, (other.text + other.baseline) / 2),
                (other, (self.text + self.baseline) / 2),
            ],
        )

    def through(self, function: Callable[[float], float]) -> "Number":
        text, baseline = function(self.text), function(self.baseline)
        multiplier = slope(function, self.text, self.baseline)
        return Number(text, baseline, [(self, multiplier)])


def slope(function: Callable[[float], float], one: float, other: float) -> float:
    if abs(one - other) < 1e-7:
        one, other = one + 1e-5, other - 1e-5
    return (function(one) - function(other)) / (one - other)


def total(numbers: Sequence[Number], weights: Sequence[float], bias: float = 0.0) -> Number:
    pairs = list(zip(numbers, weights, strict=True))
    return Number(
        sum(weight * number.text for number, weight in pairs) + bias,
        sum(weight * number.baseline for number, weight in pairs) + bias,
        pairs,
    )


def layer(module: torch.nn.Module, numbers: Sequence[Number]) -> list[Number]:
    weights = module.weight.detach().numpy()
    bias = numpy.zeros(len(weights)) if module.bias is None else module.bias.detach().numpy()
    return [total(numbers, row, b) for row, b in zip(weights, bias, strict=True)]


def distribution(scores: list[Number], inverse_link: Callable[[float], float]) -> list[Number]:
    """p_i = g(z_i - t) with the t that makes the sum 1, found by bisection."""
    thresholds = []
    for values in ([score.text for score in scores], [score.baseline for score in scores]):
        low, high = min(values) - 5, max(values) + 5
        for _ in range(200):
            middle = (low + high) / 2
            too_much = sum(inverse_link(value - middle) for value in values) > 1
            low, high = (middle, high) if too_much else (low, middle)
        thresholds.append(low)
    slopes = [
        slope(inverse_link, score.text - thresholds[0], score.baseline - thresholds[1])
        for score in scores
    ]
    weights = []
    for i, score in enumerate(scores):
        sources = [
            (other, slopes[i] * ((i == j) - slopes[j] / sum(slopes)))
            for j, other in enumerate(scores)
        ]
        weights.append(
            Number(
                inverse_link(score.text - thresholds[0]),
                inverse_link(score.baseline - thresholds[1]),
                sources,
            )
        )
    return weights


softmax_link = math.exp


def sparsemax_link(value: float) -> float:
    return max(value, 0.0)


def relu(value: float) -> float:
    return max(value, 0.0)


def gelu(value: float) -> float:
    return value * (1 + math.erf(value / math.sqrt(2))) / 2


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def contributions(
    model: AttentionClassifier,
    text: numpy.ndarray,
    baseline: numpy.ndarray,
    seen: Sequence[bool],
    label: int,
    link: Callable[[float], float] | None,
    of: str = "logit",
) -> numpy.ndarray:
    """
    One a token, with additive scores. `link` is that of the attention, None for uniform; the
    encoder's own is softmax. Shape of text and baseline: (tokens, dim)
    """
    inputs = numbers_of(text, baseline)
    encode = {
        "AffineEncoder": affine,
        "CnnEncoder": cnn,
        "LstmSeq2SeqEncoder": lstm,
        "TransformerEncoder": transformer,
    }[type(model.encoder).__name__]
    states = [state for state, own in zip(encode(model.encoder, inputs), seen, strict=True) if own]
    if link is None:
        weights = [Number(1 / len(states), 1 / len(states)) for _ in states]
    else:
        scorer = model.attention.scorer
        scores = []
        for state in states:
            inner = [number.through(math.tanh) for number in layer(scorer.state_layer, state)]
            scores.extend(layer(scorer.weight_layer, inner))
        weights = distribution(scores, link)
    context = [
        total([w * s for w, s in zip(weights, column, strict=True)], [1.0] * len(weights))
        for column in zip(*states, strict=True)
    ]
    return of_inputs(inputs, layer(model.decoder, context), label, of)


def of_inputs(
    inputs: Sequence[Sequence[Number]], logits: list[Number], label: int, of: str
) -> numpy.ndarray:
    """What each vector contributes to the logit of a label, or to its probability."""
    outputs = distribution(logits, softmax_link) if of == "probability" else logits
    multipliers = backwards(outputs[label])
    return numpy.array(
        [
            sum(multipliers.get(id(x), 0.0) * (x.text - x.baseline) for x in vector)
            for vector in inputs
        ]
    )


def contributions_of_bert(
    model: torch.nn.Module, text: numpy.ndarray, baseline: numpy.ndarray, label: int, of: str
) -> numpy.ndarray:
    """
    One a position, of transformers' own `BertForSequenceClassification`, by its own names.
    Shape of text and baseline, without positions: (positions, dim)
    """
    inputs = numbers_of(text, baseline)
    embeddings = model.bert.embeddings
    kind = embeddings.token_type_embeddings.weight[0]
    states = []
    for position, x in enumerate(inputs):
        added = (embeddings.position_embeddings.weight[position] + kind).tolist()
        placed = [total([number], [1.0], more) for number, more in zip(x, added, strict=True)]
        states.append(layer_norm(embeddings.LayerNorm, placed))
    for block in model.bert.encoder.layer:
        own = block.attention.self
        states = transformer_layer(
            states,
            (own.query, own.key, own.value),
            model.config.num_attention_heads,
            block.attention.output.dense,
            block.attention.output.LayerNorm,
            (block.intermediate.dense, gelu, block.output.dense),
            block.output.LayerNorm,
        )
    pooled = [number.through(math.tanh) for number in layer(model.bert.pooler.dense, states[0])]
    return of_inputs(inputs, layer(model.classifier, pooled), label, of)


def numbers_of(text: numpy.ndarray, baseline: numpy.ndarray) -> list[list[Number]]:
    """Shape: (tokens, dim)"""
    return [
        [Number(x, x0) for x, x0 in zip(*vectors, strict=True)]
        for vectors in zip(text, baseline, strict=True)
    ]


def backwards(output: Number) -> dict:
    """The multiplier of every number, by id: sums over all paths of products of multipliers."""
    order, visited = [], set()
    waiting = [(output, False)]
    while waiting:
        number, finished = waiting.pop()
        if finished:
            order.append(number)
        elif id(number) not in visited:
            visited.add(id(number))
            waiting.append((number, True))
            waiting.extend((source, False) for source, _ in number.sources)
    multipliers = {id(output): 1.0}
    for number in reversed(order):
        for source, multiplier in number.sources:
            passed = multipliers.get(id(number), 0.0) * multiplier
            multipliers[id(source)] = multipliers.get(id(source), 0.0) + passed
    return multipliers


# The encoders, number by number ------------------------------------------------------------------


def affine(encoder, inputs):
    return [[number.through(math.tanh) for number in layer(encoder.layer, x)] for x in inputs]


def cnn(encoder, inputs):
    nothing = [Number(0.0, 0.0)] * len(inputs[0])
    states = []
    for t in range(len(inputs)):
        state = []
        for convolution in encoder.convolutions:
            half = convolution.kernel_size[0] // 2
            positions = range(t - half, t + half + 1)
            window = [inputs[p] if 0 <= p < len(inputs) else nothing for p in positions]
            weights = convolution.weight.detach().numpy()
            for row, bias in zip(weights, convolution.bias.detach().numpy(), strict=True):
                flat = [number for vector in window for number in vector]
                state.append(total(flat, row.T.ravel(), bias).through(relu))
        states.append(state)
    return states


def lstm(encoder, inputs):
    module = encoder._module
    directions = []
    for suffix in ("_l0", "_l0_reverse"):
        ordered = inputs[::-1] if "reverse" in suffix else inputs
        weights = numpy.concatenate(
            [getattr(module, f"weight_{kind}{suffix}").detach().numpy() for kind in ("ih", "hh")],
            axis=1,
        )
        bias = sum(
            getattr(module, f"bias_{kind}{suffix}").detach().numpy() for kind in ("ih", "hh")
        )
        size = module.hidden_size
        h = c = [Number(0.0, 0.0)] * size
        states = []
        for x in ordered:
            z = [total([*x, *h], row, b) for row, b in zip(weights, bias, strict=True)]
            enter, forget, leave = (
                [number.through(sigmoid) for number in z[k * size : (k + 1) * size]]
                for k in (0, 1, 3)
            )
            candidate = [number.through(math.tanh) for number in z[2 * size : 3 * size]]
            c = [forget[d] * c[d] + enter[d] * candidate[d] for d in range(size)]
            h = [leave[d] * c[d].through(math.tanh) for d in range(size)]
            states.append(h)
        directions.append(states[::-1] if "reverse" in suffix else states)
    return [[*forward, *backward] for forward, backward in zip(*directions, strict=True)]


def transformer(encoder, inputs):
    positions = encoder._position_vectors(torch.zeros(1, len(inputs), 1, dtype=torch.double))
    states = []
    for x, position in zip(inputs, positions.numpy(), strict=True):
        mapped = layer(encoder.input_layer, x)
        states.append([total([n], [1.0], p) for n, p in zip(mapped, position, strict=True)])
    for block in encoder.layers:
        attention = block.self_attention
        states = transformer_layer(
            states,
            (attention.query_layer, attention.key_layer, attention.value_layer),
            attention.num_heads,
            attention.output_layer,
            block.attention_norm,
            (block.feedforward[0], relu, block.feedforward[2]),
            block.feedforward_norm,
        )
    return states


def transformer_layer(states, projections, heads, output, norm, feedforward, last_norm):
    """norm(x + attention(x)), then norm(x + outer(activation(inner(x))))."""
    queries, keys, values = ([layer(module, state) for state in states] for module in projections)
    size = len(queries[0]) // heads
    merged = [[] for _ in states]
    for head in range(heads):
        own = range(head * size, (head + 1) * size)
        for t, query in enumerate(queries):
            scores = [total([query[d] * key[d] for d in own], [size**-0.5] * size) for key in keys]
            weights = distribution(scores, softmax_link)
            for d in own:
                parts = [w * value[d] for w, value in zip(weights, values, strict=True)]
                merged[t].append(total(parts, [1.0] * len(parts)))
    inner, activation, outer = feedforward
    above = []
    for state, mixed in zip(states, merged, strict=True):
        attended = layer(output, mixed)
        state = layer_norm(norm, [a + b for a, b in zip(state, attended, strict=True)])
        active = [number.through(activation) for number in layer(inner, state)]
        fed = layer(outer, active)
        above.append(layer_norm(last_norm, [a + b for a, b in zip(state, fed, strict=True)]))
    return above


def layer_norm(norm, numbers):
    size = len(numbers)
    mean = total(numbers, [1 / size] * size)
    centered = [total([number, mean], [1.0, -1.0]) for number in numbers]
    variance = total([number * number for number in centered], [1 / size] * size, norm.eps)
    rate = variance.through(lambda value: value**-0.5)
    gain, shift = norm.weight.detach().numpy(), norm.bias.detach().numpy()
    return [total([c * rate], [g], s) for c, g, s in zip(centered, gain, shift, strict=True)]
