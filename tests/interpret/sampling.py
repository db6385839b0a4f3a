"""What must hold for every method that draws random numbers."""

from typing import Any

import pytest

from attention_explain.models import AttentionClassifier
from tests.builders import LABELS, TEXTS, instances
from tests.interpret.no_trace import interpreter


def check_seeded_by_the_instance(
    name: str, classifier: AttentionClassifier, **options: Any
) -> None:
    """
    The same id gets the same numbers, alone, in any batch and in any chunk; another id or another
    seed gets others. The model must have been built for boundary symbols.
    """
    method = interpreter(name, classifier, seed=1, **options)
    made = instances(boundary_symbols=True)
    together = method.saliency_interpret_instances(made)
    again = method.saliency_interpret_instances(made[::-1])[::-1]
    in_chunks = method.saliency_interpret_instances(made, budget=30)
    for row, instance in enumerate(made):
        (alone,) = method.saliency_interpret_instances([instance])
        for other in (again[row], in_chunks[row], alone):
            assert together[row]["scores"] == pytest.approx(other["scores"], abs=1e-6)

    long = TEXTS[1:2]
    same, other_id = instances(long * 2, LABELS[1:2] * 2, boundary_symbols=True)
    first, second = method.saliency_interpret_instances([same, other_id])
    assert first["scores"] != pytest.approx(second["scores"], abs=1e-6)
    other_seed = interpreter(name, classifier, seed=2, **options)
    (third,) = other_seed.saliency_interpret_instances([same])
    assert first["scores"] != pytest.approx(third["scores"], abs=1e-6)
