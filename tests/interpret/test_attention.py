"""`attention` gives the model's weights and nothing else."""

import pytest

from tests.builders import ENCODERS, PROJECTIONS, instances, model, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("projection", PROJECTIONS)
def test_scores_are_the_weights_of_a_plain_forward_pass(encoder, projection):
    classifier = model(encoder, projection=projection, vocab=vocabulary(boundary_symbols=True))
    method = interpreter("attention", classifier)
    texts = instances(boundary_symbols=True)
    results = method.saliency_interpret_instances(texts, target=classifier.labels[0])
    for text, result in zip(texts, results, strict=True):
        plain = classifier.forward_on_instance(text)
        assert result["scores"] == pytest.approx(plain["attention"], abs=1e-6)
        assert sum(result["scores"]) == pytest.approx(1, abs=1e-5)
        assert len(result["scores"]) == len(text["metadata"].metadata["tokens"])


def test_no_trace_is_left(monkeypatch):
    check_no_trace_is_left(interpreter("attention", model()), monkeypatch)
