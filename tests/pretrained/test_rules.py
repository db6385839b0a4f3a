"""Methods with a rule for each part of a pretrained transformer, against transformers itself."""

import math

import numpy
import pytest
import torch

from attention_explain.interpret.deeplift import contributions
from tests.interpret.slow_deeplift import contributions_of_bert
from tests.pretrained.constant_gates import gradient_x_input
from tests.pretrained.really_removed import words_of
from tests.pretrained.test_explanations import TEXTS, Opened
from tests.tiny_transformers import FAMILIES, KNOWN_LAYERS

each_family = pytest.mark.parametrize("family", [*FAMILIES, *KNOWN_LAYERS, "modernbert-mean"])
# transformers computes the weights of their attention, or the scale of scores, in single precision.
SINGLE = ("modernbert", "modernbert-mean", "deberta-v2")


def close(family: str, usual: float) -> float:
    return 1e-6 if family in SINGLE else usual


@pytest.fixture
def opened(folders, family):
    return Opened(folders[family])


def explained(opened, name, target="pos", texts=TEXTS, **options):
    instances = opened.instances(texts)
    return opened.method(name, **options).saliency_interpret_instances(instances, target)


@each_family
def test_relevance_is_gradient_x_input_with_constant_gates(opened, folders, family):
    most = close(family, 1e-7)
    for label, target in enumerate(opened.model.labels):
        results = explained(opened, "lrp", target, epsilon=1e-14)
        for text, found in zip(TEXTS, results, strict=True):
            ids, units = opened.plain.read(text)
            of_positions, logit = gradient_x_input(folders[family], ids, label)
            expected = [0.0] * len(words_of(text))
            for unit, relevance in zip(units, of_positions.tolist(), strict=True):
                if unit is not None:
                    expected[unit] += relevance
            assert found["scores"] == pytest.approx(expected, abs=most, rel=10 * most)
            unassigned = 1 - sum(expected) / logit
            assert found["unassigned"] == pytest.approx(unassigned, abs=10 * most, rel=10 * most)


@each_family
@pytest.mark.parametrize("precision, most", [(torch.double, 1e-9), (torch.float, 1e-3)])
def test_relevance_is_conserved(opened, precision, most):
    opened.model.to(precision)
    for found in explained(opened, "lrp"):
        assert found["conservation_error"] < most


@each_family
@pytest.mark.parametrize("baseline", ["zero", "mask"])
@pytest.mark.parametrize("of", ["logit", "probability"])
def test_deeplift_sums_to_the_difference_that_transformers_gives(opened, family, baseline, of):
    most = close(family, 1e-9)
    for text, found in zip(TEXTS, explained(opened, "deeplift", baseline=baseline, of=of)):
        whole, nothing = opened.plain.of_text(text), opened.plain.replaced(text, [], baseline)
        expected = whole[1] - nothing[1]
        if of == "logit":
            # Of two labels: what moves the logit of the one alone is the mean of the labels.
            other = explained(opened, "deeplift", "neg", [text], baseline=baseline)[0]
            difference = sum(found["scores"]) - sum(other["scores"])
            expected = math.log(whole[1] / whole[0]) - math.log(nothing[1] / nothing[0])
            assert difference == pytest.approx(expected, abs=most)
        else:
            assert sum(found["scores"]) == pytest.approx(expected, abs=most)
        assert found["convergence_delta"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("of", ["logit", "probability"])
def test_deeplift_of_a_folder_equals_the_rules_number_by_number(folders, of):
    opened = Opened(folders["bert"])
    assert opened.plain.model.config.hidden_act == "gelu"
    for text, found in zip(TEXTS[:2], explained(opened, "deeplift", texts=TEXTS[:2], of=of)):
        ids, units = opened.plain.read(text)
        embedded = opened.plain.embedded(ids).detach()[0].numpy()
        of_words = numpy.array([unit is not None for unit in units])
        baseline = numpy.where(of_words[:, None], 0.0, embedded)
        of_positions = contributions_of_bert(opened.plain.model, embedded, baseline, 1, of)
        expected = [0.0] * len(words_of(text))
        for unit, contribution in zip(units, of_positions, strict=True):
            if unit is not None:
                expected[unit] += contribution
        assert found["scores"] == pytest.approx(expected, abs=1e-7, rel=1e-6)
        assert max(map(abs, expected)) > 1e-3


@each_family
def test_deeplift_of_a_small_step_is_the_gradient(opened):
    batch = opened.batch(TEXTS[:1])
    embeddings = opened.model.embed(batch.tokens).detach()
    torch.manual_seed(1)
    step = torch.randn_like(embeddings) * 1e-4
    target = torch.ones(1, dtype=torch.long)
    around = (embeddings + step / 2, embeddings - step / 2)
    found = contributions(opened.model, *around, batch.inputs, target, "logit").of_embeddings

    ids, _ = opened.plain.read(TEXTS[0])
    inputs = opened.plain.embedded(ids).detach().requires_grad_()
    output = opened.plain.model(inputs_embeds=inputs, attention_mask=torch.ones_like(ids)).logits[
        0, 1
    ]
    (gradient,) = torch.autograd.grad(output, inputs)
    torch.testing.assert_close(found / step, gradient, atol=1e-5, rtol=1e-5)


@each_family
def test_input_to_hidden_is_a_backward_pass_for_each_word(opened):
    for text, found in zip(TEXTS[:2], explained(opened, "input-to-hidden", texts=TEXTS[:2])):
        ids, units = opened.plain.read(text)
        positions = [
            [position for position, unit in enumerate(units) if unit == word]
            for word in range(len(words_of(text)))
        ]
        inputs = opened.plain.embedded(ids).detach().requires_grad_()
        states = opened.plain.model.base_model(inputs_embeds=inputs).last_hidden_state[0]
        for own, score in zip(positions, found["scores"], strict=True):
            norm = states[own].mean(dim=0).norm()
            (gradient,) = torch.autograd.grad(norm, inputs, retain_graph=True)
            lengths = gradient[0].norm(dim=-1)
            largest = [float(lengths[of_word].max()) for of_word in positions]
            shares = [length / sum(largest) for length in largest]
            entropy = -sum(share * math.log(share) for share in shares if share > 0)
            assert score == pytest.approx(entropy / math.log(len(shares)), abs=1e-7)
