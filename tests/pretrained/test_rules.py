"""Methods with a rule for each part of a pretrained transformer, against transformers itself."""

import pytest
import torch

from tests.pretrained.constant_gates import gradient_x_input
from tests.pretrained.test_explanations import TEXTS, Opened
from tests.tiny_transformers import FAMILIES

each_family = pytest.mark.parametrize("family", FAMILIES)


@pytest.fixture
def opened(folders, family):
    return Opened(folders[family])


def explained(opened, name, target="pos", texts=TEXTS, **options):
    instances = opened.instances(texts)
    return opened.method(name, **options).saliency_interpret_instances(instances, target)


@each_family
def test_relevance_is_gradient_x_input_with_constant_gates(opened, folders, family):
    for label, target in enumerate(opened.model.labels):
        results = explained(opened, "lrp", target, epsilon=1e-14)
        for text, found in zip(TEXTS, results, strict=True):
            ids, units = opened.plain.read(text.split())
            of_places, logit = gradient_x_input(folders[family], ids, label)
            expected = [0.0] * len(text.split())
            for unit, relevance in zip(units, of_places.tolist(), strict=True):
                if unit is not None:
                    expected[unit] += relevance
            assert found["scores"] == pytest.approx(expected, abs=1e-7, rel=1e-6)
            unassigned = 1 - sum(expected) / logit
            assert found["unassigned"] == pytest.approx(unassigned, abs=1e-6, rel=1e-6)


@each_family
@pytest.mark.parametrize("precision, most", [(torch.double, 1e-9), (torch.float, 1e-3)])
def test_relevance_is_conserved(opened, precision, most):
    opened.model.to(precision)
    for found in explained(opened, "lrp"):
        assert found["conservation_error"] < most
