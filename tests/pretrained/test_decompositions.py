"""
Value zeroing, ALTI, DecompX and AttnLRP on every family, against plain loops over tokens that are
written from the definitions; states and maps are those of transformers itself.
"""

import numpy
import pytest
import torch

from tests.interpret.slow_decompositions import (
    alti_map,
    array,
    rolled_out,
    through_activation,
    through_layers,
    through_linear,
)
from tests.pretrained.constant_gates import gradient_x_input
from tests.pretrained.test_attention_variants import WithMaps
from tests.pretrained.test_explanations import CLOSE
from tests.tiny_transformers import FAMILIES

TEXTS = ["the Acting was superb, fine", "a dull film", "fine"]
METHODS = ["value-zeroing", "alti", "decompx", "attn-lrp"]
each_family = pytest.mark.parametrize("family", FAMILIES)


class WithStates(WithMaps):
    def read(self, text):
        """The states below each layer, the maps of each layer, the logits, and the words of positions."""
        ids, units = self.plain.read(text)
        output = self.eager(ids, output_attentions=True, output_hidden_states=True)
        states = [array(each[0]) for each in output.hidden_states]
        maps = [array(each[0]) for each in output.attentions]
        return states, maps, array(output.logits[0]), units

    @property
    def own_family(self):
        return type(self.model.family)(self.eager)

    def check_words(self, name, expected, **options):
        """`expected` gives the score of each position of a text; those of a word are summed."""
        for text, scores in zip(TEXTS, self.scores(name, TEXTS, **options), strict=True):
            units = self.plain.read(text)[1]
            sums = [0.0] * len(scores)
            for unit, score in zip(units, expected(text), strict=True):
                if unit is not None:
                    sums[unit] += score
            assert scores == pytest.approx(sums, abs=CLOSE)
            assert len(scores) == 1 or numpy.ptp(scores) > 1e-3


@pytest.fixture
def opened(folders, family):
    return WithStates(folders[family])


def output_of_layer(opened, ids, number, zeroed=None):
    """What a layer of transformers gives, with one of its value vectors set to zero."""
    layer = opened.own_family.layers()[number]
    found = []

    def zero(module, given, output):
        output = output.clone()
        output[:, zeroed] = 0.0
        return output

    def keep(module, given, output):
        found.append(
            array((output[0] if isinstance(output, tuple) else output).reshape(ids.size(1), -1))
        )

    hooks = [layer.module.register_forward_hook(keep)]
    if zeroed is not None:
        hooks.append(layer.self_attention.value_layer.register_forward_hook(zero))
    opened.eager(ids)
    for hook in hooks:
        hook.remove()
    return found[0]


@each_family
def test_value_zeroing_is_a_pass_without_each_value(opened):
    def expected(text):
        ids = opened.plain.read(text)[0]
        length = ids.size(1)
        maps = numpy.zeros((2, length, length))
        for number in range(2):
            whole = output_of_layer(opened, ids, number)
            for j in range(length):
                without = output_of_layer(opened, ids, number, zeroed=j)
                for i in range(length):
                    sizes = numpy.linalg.norm(whole[i]) * numpy.linalg.norm(without[i])
                    maps[number, i, j] = 1 - whole[i] @ without[i] / sizes
        return rolled_out(maps)

    opened.check_words("value-zeroing", expected)


@each_family
def test_alti_equals_the_definition_in_plain_loops(opened):
    def expected(text):
        states, maps, _, _ = opened.read(text)
        layers = enumerate(opened.own_family.layers())
        return rolled_out([alti_map(layer, states[n], maps[n]) for n, layer in layers])

    opened.check_words("alti", expected)


@each_family
@pytest.mark.parametrize("label", [0, 1])
def test_decompx_equals_the_definition_in_plain_loops(opened, label):
    def expected(text):
        states, maps, logits, _ = opened.read(text)
        terms = through_layers(opened.own_family.layers(), states[0], maps)
        vectors = terms[0]
        for step in opened.own_family.head():
            through = through_linear if isinstance(step, torch.nn.Linear) else through_activation
            vectors = through(step, vectors)
        scores = [vector[label] for vector in vectors]
        assert sum(scores) == pytest.approx(logits[label], abs=CLOSE)
        return scores

    opened.check_words("decompx", expected, target=opened.model.labels[label])


@each_family
def test_decompx_sums_to_the_logit(opened):
    for precision, most in ((torch.double, 1e-10), (torch.float, 1e-4)):
        opened.model.to(precision)
        found = opened.method("decompx").saliency_interpret_instances(opened.instances(TEXTS))
        assert max(abs(each["convergence_delta"]) for each in found) < most


def test_a_sum_that_misses_the_logit_is_reported(folders, monkeypatch):
    opened = WithStates(folders["bert"])
    logits = opened.model.logits
    monkeypatch.setattr(opened.model, "logits", lambda *inputs: logits(*inputs) + 0.25)
    found = opened.method("decompx").saliency_interpret_instances(opened.instances(TEXTS))
    assert [each["convergence_delta"] for each in found] == pytest.approx([-0.25] * len(TEXTS))


@each_family
@pytest.mark.parametrize("label", [0, 1])
def test_attn_lrp_is_gradient_x_input_with_halved_products(opened, folders, family, label):
    def expected(text):
        ids = opened.plain.read(text)[0]
        relevance, _ = gradient_x_input(folders[family], ids, label, constant_weights=False)
        return relevance.tolist()

    target = opened.model.labels[label]
    opened.check_words("attn-lrp", expected, target=target, epsilon=1e-14)


@each_family
def test_attn_lrp_is_conserved(opened):
    for found in opened.method("attn-lrp").saliency_interpret_instances(opened.instances(TEXTS)):
        assert found["conservation_error"] < 1e-9


@each_family
@pytest.mark.parametrize("name", METHODS)
def test_batches_change_nothing(opened, name):
    together = opened.scores(name, TEXTS)
    for text, scores in zip(TEXTS, together, strict=True):
        assert opened.scores(name, [text])[0] == pytest.approx(scores, abs=1e-9)


@each_family
@pytest.mark.parametrize("name", ["value-zeroing", "alti"])
def test_contributions_are_shares(opened, name):
    instances = opened.instances(TEXTS)
    for found in opened.method(name).saliency_interpret_instances(instances):
        assert min(found["scores"]) >= 0
        assert sum(found["scores"]) + found["special_share"] == pytest.approx(1)
