"""Attention of a pretrained transformer as explanation, from the maps that transformers itself gives."""

import itertools

import numpy
import pytest
import torch
from scipy.optimize import linprog
from transformers import AutoModelForSequenceClassification

from attention_explain.errors import InputError
from tests.builders import model
from tests.interpret.no_trace import interpreter
from tests.pretrained.test_explanations import Opened
from tests.tiny_transformers import FAMILIES, KNOWN_LAYERS

TEXTS = ["the Acting was superb, fine", "a dull film", "fine"]
each_family = pytest.mark.parametrize("family", [*FAMILIES, *KNOWN_LAYERS])
# transformers computes the weights of some attention in single precision.
CLOSE = 1e-6


class WithMaps(Opened):
    """Theirs computes its maps in the open."""

    def __init__(self, folder):
        super().__init__(folder)
        eager = AutoModelForSequenceClassification.from_pretrained(
            folder, attn_implementation="eager"
        )
        self.eager = eager.double().eval()

    def maps(self, text):
        """Of each layer, with a graph to the logits; and of which word each position is."""
        ids, units = self.plain.read(text)
        output = self.eager(ids, output_attentions=True)
        return output, units

    def check(self, expected, name, **options):
        """`expected` makes of the maps, (layers, heads, positions, positions), a score of each position."""
        for text, scores in zip(TEXTS, self.scores(name, TEXTS, **options), strict=True):
            output, units = self.maps(text)
            positions = expected(torch.stack(output.attentions)[:, 0].detach())
            for word, score in enumerate(scores):
                own = [float(positions[at]) for at, unit in enumerate(units) if unit == word]
                assert score == pytest.approx(max(own), abs=CLOSE)


@pytest.fixture
def opened(folders, family):
    return WithMaps(folders[family])


@each_family
def test_a_layer_and_a_head_of_choice(opened):
    opened.check(lambda maps: maps[-1].mean(dim=0)[0], "attention")
    opened.check(lambda maps: maps[0].mean(dim=0)[0], "attention", layer=1)
    opened.check(lambda maps: maps[1, 1, 0], "attention", layer=2, head=2)
    opened.check(lambda maps: maps[-1, 0, 0], "attention", head=1)
    opened.check(lambda maps: maps.mean(dim=(0, 1))[0], "attention", layer="mean")


@each_family
def test_rollout_is_the_product_of_the_maps(opened):
    def rolled_out(maps):
        product = torch.eye(maps.size(-1), dtype=maps.dtype)
        for layer in maps.mean(dim=1):
            product = (0.5 * torch.eye(len(layer), dtype=layer.dtype) + 0.5 * layer) @ product
        return product[0]

    opened.check(rolled_out, "attention-rollout")


def slow_flow(maps, target):
    """The most that goes from the first position above all layers to one below them: a linear program."""
    layers, positions, _ = maps.shape
    edges = list(itertools.product(range(layers), range(positions), range(positions)))
    # What comes into a position between two layers leaves it.
    kept = numpy.zeros((layers - 1, positions, len(edges)))
    gained = numpy.zeros(len(edges))
    for number, (layer, upper, lower) in enumerate(edges):
        if layer > 0:
            kept[layer - 1, lower, number] += 1
        elif lower == target:
            gained[number] = -1
        if layer < layers - 1:
            kept[layer, upper, number] -= 1
    # Nothing begins at another position than the first.
    widths = [
        0.0 if layer == layers - 1 and upper > 0 else maps[layer, upper, lower]
        for layer, upper, lower in edges
    ]
    solved = linprog(
        gained,
        A_eq=kept.reshape(-1, len(edges)),
        b_eq=numpy.zeros((layers - 1) * positions),
        bounds=[(0, width) for width in widths],
    )
    return -solved.fun


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_flow_is_the_solution_of_a_linear_program(opened):
    for text, scores in zip(TEXTS, opened.scores("attention-flow", TEXTS), strict=True):
        output, units = opened.maps(text)
        maps = torch.stack(output.attentions)[:, 0].detach().mean(dim=1).numpy()
        maps = 0.5 * numpy.eye(maps.shape[-1]) + 0.5 * maps
        for word, score in enumerate(scores):
            own = [slow_flow(maps, at) for at, unit in enumerate(units) if unit == word]
            # Widths are rounded.
            assert score == pytest.approx(max(own), abs=1e-7)


@each_family
def test_value_weighted_attention_is_rollout_of_the_norms(opened):
    for text, scores in zip(TEXTS, opened.scores("value-weighted-attention", TEXTS), strict=True):
        ids, units = opened.plain.read(text)
        output = opened.eager(ids, output_attentions=True, output_hidden_states=True)
        parts = opened.model.family.layers()
        product = torch.eye(len(units), dtype=torch.double)
        # What a layer has read, and what it has made of it, are the states behind its number.
        for part, weights, states in zip(parts, output.attentions, output.hidden_states):
            layer, states = part.self_attention, part.normal(states)
            size = layer.value_layer.out_features // layer.num_heads
            values = layer.value_layer(states[0])
            norms = torch.zeros(len(units), len(units), dtype=torch.double)
            for attending, attended in itertools.product(range(len(units)), repeat=2):
                brought = 0
                for head in range(layer.num_heads):
                    own = slice(head * size, (head + 1) * size)
                    matrix = layer.output_layer.weight[:, own]
                    weight = weights[0, head, attending, attended]
                    brought = brought + weight * (matrix @ values[attended, own])
                norms[attending, attended] = brought.detach().norm()
            shares = norms / norms.sum(dim=-1, keepdim=True)
            product = (0.5 * torch.eye(len(units), dtype=torch.double) + 0.5 * shares) @ product
        for word, score in enumerate(scores):
            own = [float(product[0, at]) for at, unit in enumerate(units) if unit == word]
            assert score == pytest.approx(max(own), abs=CLOSE)


@each_family
def test_value_norms_are_those_of_the_transformed_vectors(opened):
    for text, scores in zip(
        TEXTS, opened.scores("attention", TEXTS, value_norms=True), strict=True
    ):
        ids, units = opened.plain.read(text)
        output = opened.eager(ids, output_attentions=True, output_hidden_states=True)
        whole = opened.model.family.layers()[-1]
        layer = whole.self_attention
        # What the last layer has read, and its heads one by one.
        (states,) = whole.normal(output.hidden_states[-2])
        size = layer.value_layer.out_features // layer.num_heads
        for word, score in enumerate(scores):
            norms = []
            for position in (at for at, unit in enumerate(units) if unit == word):
                total = 0
                for head in range(layer.num_heads):
                    own = slice(head * size, (head + 1) * size)
                    value = layer.value_layer(states[position])[own]
                    weight = output.attentions[-1][0, head, 0, position]
                    total = total + weight * (layer.output_layer.weight[:, own] @ value)
                norms.append(total.norm().item())
            assert score == pytest.approx(max(norms), abs=CLOSE)


@each_family
@pytest.mark.parametrize("of", ["logit", "probability"])
def test_attention_x_gradient_is_the_update_rule_of_the_paper(opened, of):
    for text, scores in zip(
        TEXTS, opened.scores("attention-x-gradient", TEXTS, of=of), strict=True
    ):
        output, units = opened.maps(text)
        outputs = output.logits if of == "logit" else output.logits.softmax(-1)
        gradients = torch.autograd.grad(outputs[0, 1], output.attentions)
        relevance = torch.eye(len(units), dtype=torch.double)
        for weights, gradient in zip(output.attentions, gradients):
            update = torch.stack([(w * g).relu() for w, g in zip(weights[0], gradient[0])]).mean(0)
            relevance = relevance + update @ relevance
        for word, score in enumerate(scores):
            own = [relevance[0, at].item() for at, unit in enumerate(units) if unit == word]
            assert score == pytest.approx(max(own), abs=CLOSE)


@pytest.mark.parametrize("name", ["attention-rollout", "attention-flow", "attention-x-gradient"])
@pytest.mark.parametrize("family", ["mpnet"])
def test_batches_change_nothing(opened, name):
    together = opened.scores(name, TEXTS)
    for text, scores in zip(TEXTS, together, strict=True):
        assert opened.scores(name, [text])[0] == pytest.approx(scores, abs=1e-8)


@pytest.mark.parametrize("family", ["bert"])
def test_layers_and_heads_that_are_not_there(opened):
    for layer in (0, 3, "last"):
        with pytest.raises(InputError, match="must be from 1 to 2 or .mean."):
            opened.method("attention", layer=layer)
    with pytest.raises(InputError, match="head is 3, but must be from 1 to 2"):
        opened.scores("attention", head=3)
    with pytest.raises(InputError, match="value_norms puts all heads together"):
        opened.method("attention", head=1, value_norms=True)


def test_models_without_layers_say_so():
    with pytest.raises(InputError, match=r"layers of self-attention \(transformer\), but"):
        interpreter("attention", model("bilstm"), layer=1)
    # Those of our own encoder, by the weights of the model's attention.
    assert interpreter("attention", model("transformer"), layer=1).layer == 1
