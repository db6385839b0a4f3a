"""Integrals with as many evaluations as they need: exact, nested, and each text by itself."""

import pytest
import torch
from scipy import integrate as scipy_integrate

from attention_explain.interpret.adaptive_integral import FEWEST, MOST, integrate, places, weights
from tests.builders import ENCODERS, instances, model, vocabulary
from tests.interpret.no_trace import interpreter

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)

# Smooth, steep, and with a jump.
FUNCTIONS = [
    lambda u: 3 * u**2 + u,
    lambda u: torch.sigmoid(200 * (u - 0.3)),
    lambda u: (u > 0.317).to(u),
]


@pytest.mark.parametrize("intervals", [4, 8, 64])
def test_the_rule_is_exact_for_polynomials_and_keeps_its_places(intervals):
    at, shares = places(intervals), weights(intervals)
    for power in range(intervals + 1):
        assert (shares * at**power).sum().item() == pytest.approx(1 / (power + 1), abs=1e-13)
    assert at.tolist() == pytest.approx(places(2 * intervals)[::2].tolist(), abs=1e-15)


def integrals(functions, goal=0.01):
    """One token a text."""
    exact = [
        scipy_integrate.quad(lambda u, f=f: f(torch.tensor(u)).item(), 0, 1, points=[0.3, 0.317])[0]
        for f in functions
    ]
    evaluated = []

    def integrand(rows, at):
        evaluated.append((rows.tolist(), at.tolist()))
        return torch.stack([functions[row](at) for row in rows], dim=1).unsqueeze(-1)

    total = torch.tensor(exact, dtype=torch.double)
    found, evaluations = integrate(integrand, total, goal, rounding=1e-9)
    return exact, found.squeeze(-1).tolist(), evaluations.tolist(), evaluated


def test_each_text_gets_what_it_needs_and_no_place_is_asked_for_twice():
    exact, found, evaluations, evaluated = integrals(FUNCTIONS)
    assert found[:2] == pytest.approx(exact[:2], rel=0.01)
    assert evaluations[0] == 2 * FEWEST + 1 < evaluations[1] < evaluations[2] <= MOST + 1
    for row, number in enumerate(evaluations):
        asked = [place for rows, at in evaluated if row in rows for place in at]
        assert len(asked) == len(set(asked)) == number


def test_no_text_feels_another():
    _, together, evaluations, _ = integrals(FUNCTIONS)
    for row, function in enumerate(FUNCTIONS):
        _, alone, own_evaluations, _ = integrals([function])
        assert alone == [together[row]] and own_evaluations == [evaluations[row]]


def test_a_right_sum_of_wrong_parts_is_not_enough():
    """Two tokens whose errors cancel: their sum is right from the start."""

    def integrand(rows, at):
        steep = torch.sigmoid(60 * (at - 0.4))
        return torch.stack([steep, 1 - steep], dim=-1).unsqueeze(1)

    found, evaluations = integrate(integrand, torch.ones(1, dtype=torch.double), 0.01, 1e-9)
    expected = scipy_integrate.quad(
        lambda u: torch.sigmoid(60 * torch.tensor(u - 0.4)).item(), 0, 1
    )
    assert evaluations.item() > 2 * FEWEST + 1
    assert found[0, 0].item() == pytest.approx(expected[0], abs=0.01)


@every_encoder
def test_scores_are_those_of_many_steps_within_the_tolerance(encoder):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True)).double()
    texts = instances(boundary_symbols=True)
    exact = interpreter("integrated-gradients", classifier, steps=2000, rule="midpoint")
    expected = exact.saliency_interpret_instances(texts, target="1")
    adaptive = interpreter("integrated-gradients", classifier)
    assert adaptive.steps == "auto" and adaptive.rule == "clenshaw_curtis"
    for found, wanted in zip(
        adaptive.saliency_interpret_instances(texts, target="1"), expected, strict=True
    ):
        size = sum(map(abs, wanted["scores"]))
        error = sum(abs(a - b) for a, b in zip(found["scores"], wanted["scores"], strict=True))
        assert error <= 0.05 * size and found["flagged"] == 0
        assert 2 * FEWEST < found["steps"] <= MOST + 1


@every_encoder
def test_neither_batch_nor_budget_change_steps_or_scores(encoder):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True)).double()
    method = interpreter("integrated-gradients", classifier)
    texts = instances(boundary_symbols=True)
    whole = method.saliency_interpret_instances(texts)
    for budget in (1, 40):
        for one, other in zip(
            whole, method.saliency_interpret_instances(texts, budget=budget), strict=True
        ):
            assert one["steps"] == other["steps"]
            assert one["scores"] == pytest.approx(other["scores"], abs=1e-10)


def test_a_smaller_tolerance_takes_more_steps():
    classifier = model("cnn").double()
    steps = [
        sum(
            result["steps"]
            for result in interpreter(
                "integrated-gradients", classifier, tolerance=tolerance
            ).saliency_interpret_instances(instances())
        )
        for tolerance in (0.2, 0.01)
    ]
    assert steps[0] < steps[1]
