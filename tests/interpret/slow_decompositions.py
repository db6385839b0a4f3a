"""
ALTI and DecompX from their definitions: numpy, plain loops over tokens, no batch, no padding, nothing
shared with the implementation but the layers' weights.
"""

import numpy
import torch


def array(values):
    return values.detach().numpy()


def rolled_out(maps, last=None):
    """Read with the weights `last`, or at the first position."""
    row = numpy.eye(len(maps[0]))[0] if last is None else last
    for each in maps[::-1]:
        # A row of zeros stays one.
        row = row @ numpy.array([own / (own.sum() or 1.0) for own in each])
    return row


def linear(layer, vector):
    return array(layer.weight) @ vector


def value_terms(attention, maps, i, j, vector):
    """sum_h A_ij W_O W_V x"""
    value = linear(attention.value_layer, vector)
    size = len(value) // attention.num_heads
    weighed = numpy.concatenate(
        [maps[h, i, j] * value[h * size : (h + 1) * size] for h in range(attention.num_heads)]
    )
    return linear(attention.output_layer, weighed)


def attention_bias(attention):
    return array(attention.output_layer.bias) + linear(
        attention.output_layer, array(attention.value_layer.bias)
    )


def through_norm(norm, vector, total):
    deviation = numpy.sqrt(((total - total.mean()) ** 2).mean() + norm.eps)
    return array(norm.weight) * (vector - vector.mean()) / deviation


def alti_map(layer, states, maps):
    attention, norm, length = layer.self_attention, layer.attention_norm, len(states)
    contributions = numpy.zeros((length, length))
    for i in range(length):
        terms = [value_terms(attention, maps, i, j, states[j]) for j in range(length)]
        terms[i] = terms[i] + states[i]
        total = sum(terms) + attention_bias(attention)
        output = through_norm(norm, total, total) + array(norm.bias)
        for j in range(length):
            distance = numpy.abs(output - through_norm(norm, terms[j], total)).sum()
            contributions[i, j] = max(0.0, numpy.abs(output).sum() - distance)
    return contributions


def share(terms, bias):
    sizes = [abs(bias @ term) for term in terms]
    if sum(sizes) == 0:
        sizes = [1.0] * len(terms)
    return [term + size / sum(sizes) * bias for term, size in zip(terms, sizes, strict=True)]


def through_linear(layer, terms):
    return share([linear(layer, term) for term in terms], array(layer.bias))


def through_activation(function, terms):
    total = torch.tensor(sum(terms))
    slope = array(function(total) / total)
    return [term * slope for term in terms]


def norm_of_terms(norm, terms):
    total = sum(terms)
    return share([through_norm(norm, term, total) for term in terms], array(norm.bias))


def layer_of_terms(layer, terms, maps):
    """terms[i][k] -> the same"""
    attention, positions = layer.self_attention, range(len(terms))
    outputs = []
    for i in positions:
        attended = [
            sum(value_terms(attention, maps, i, j, terms[j][k]) for j in positions)
            for k in positions
        ]
        attended = share(attended, attention_bias(attention))
        middle = [one + other for one, other in zip(attended, terms[i], strict=True)]
        middle = norm_of_terms(layer.attention_norm, middle)
        inner = through_activation(layer.activation, through_linear(layer.inner, middle))
        fed = through_linear(layer.outer, inner)
        sums = [one + other for one, other in zip(fed, middle, strict=True)]
        outputs.append(norm_of_terms(layer.feedforward_norm, sums))
    return outputs


def through_layers(layers, states, maps):
    """The terms of the last states, from the first states and the maps of each layer: [i][k]"""
    positions = range(len(states))
    terms = [
        [states[i] if i == k else numpy.zeros_like(states[i]) for k in positions] for i in positions
    ]
    for layer, own in zip(layers, maps, strict=True):
        terms = layer_of_terms(layer, terms, own)
    return terms
