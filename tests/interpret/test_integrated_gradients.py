"""Integrated gradients: equal to the integral, complete, in any chunk, and flagged where it fails."""

import pytest
import torch
from captum.attr import IntegratedGradients as Captum
from scipy import integrate as scipy_integrate

from attention_explain.errors import InputError
from attention_explain.interpret.integrated_gradients import (
    FEWEST,
    MOST,
    RULES,
    integrate,
    nodes,
    positions,
    weights,
)
from attention_explain.interpret.text_batch import TextBatch, baseline_embeddings
from attention_explain.modules.text_inputs import TextInputs
from tests.builders import ENCODERS, instances, model, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.slow_gradients import finite_differences, plain_texts

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)


@pytest.fixture
def classifier(encoder):
    return model(encoder, vocab=vocabulary(boundary_symbols=True)).double()


@pytest.fixture
def texts():
    return instances(boundary_symbols=True)


def baselines(classifier, text) -> dict:
    """The three baselines of a text, written out."""
    words = classifier.text_field_embedder.token_embedder_tokens.weight.detach()
    symbols = {"zero": torch.zeros_like(words[0]), "pad": words[0], "unk": words[1]}
    made = {}
    for name, symbol in symbols.items():
        made[name] = text.embeddings.clone()
        made[name][0, text.seen] = symbol
    return made


@every_encoder
@pytest.mark.parametrize("of", ["probability", "logit"])
def test_equals_the_integral_of_finite_differences(classifier, texts, of):
    method = interpreter("integrated-gradients", classifier, steps=7, rule="midpoint", of=of)
    results = method.saliency_interpret_instances(texts, target=classifier.labels[1])
    for row, text in plain_texts(classifier, texts, label=1, of=of):
        baseline = baselines(classifier, text)["zero"]
        path = text.embeddings - baseline
        total = sum(
            finite_differences(text.output, baseline + (step + 0.5) / 7 * path) for step in range(7)
        )
        expected = (total / 7 * path[0]).sum(-1)[text.seen].tolist()
        assert results[row]["scores"] == pytest.approx(expected, abs=1e-7)


@every_encoder
@pytest.mark.parametrize("baseline", ["zero", "pad", "unk"])
def test_scores_sum_to_the_output_less_that_of_the_baseline(encoder, classifier, texts, baseline):
    # Rectifiers and layer norms make the path rough, which takes more steps.
    smooth = encoder in ("bilstm", "affine")
    steps, error = (50, 1e-12) if smooth else (1000, 5e-3)
    method = interpreter("integrated-gradients", classifier, baseline=baseline, steps=steps)
    results = method.saliency_interpret_instances(texts, target=classifier.labels[0])
    for row, text in plain_texts(classifier, texts, label=0):
        start = baselines(classifier, text)[baseline]
        with torch.no_grad():
            difference = (text.output(text.embeddings) - text.output(start)).item()
        delta = results[row]["convergence_delta"]
        assert sum(results[row]["scores"]) - difference == pytest.approx(delta, abs=1e-9)
        assert abs(delta) <= error * abs(difference) + 1e-12
        assert results[row]["flagged"] == 0


@every_encoder
def test_equals_captum_at_the_same_steps(encoder):
    classifier = model(encoder).double()
    texts = instances()
    method = interpreter("integrated-gradients", classifier, steps=20)
    batch = TextBatch.of(classifier, texts)
    target = torch.tensor([0, 1, 1, 0])
    ours = method.attribute_batch(batch, target).scores
    captum = Captum(
        lambda embeddings, mask: classifier.logits(embeddings, TextInputs(mask, mask)).softmax(-1)
    )
    theirs = captum.attribute(
        classifier.embed(batch.tokens).detach(),
        target=target,
        additional_forward_args=batch.mask,
        n_steps=20,
        method="gausslegendre",
    ).sum(-1)
    assert torch.allclose(ours, theirs.masked_fill(~batch.mask, 0), atol=1e-10)


@every_encoder
def test_neither_padding_nor_chunks_change_a_score(classifier, texts):
    method = interpreter("integrated-gradients", classifier, steps=9)
    whole = method.saliency_interpret_instances(texts)
    for budget in (1, 20, 40, 100000):
        for one, other in zip(
            whole, method.saliency_interpret_instances(texts, budget=budget), strict=True
        ):
            assert one["scores"] == pytest.approx(other["scores"], abs=1e-10)
            assert one["convergence_delta"] == pytest.approx(other["convergence_delta"], abs=1e-10)


def test_no_pass_holds_more_tokens_than_the_budget(monkeypatch):
    classifier = model()
    method = interpreter("integrated-gradients", classifier, steps=50)
    sizes = []
    encode = classifier.encode

    def watched(embeddings, inputs):
        sizes.append(inputs.mask.numel())
        return encode(embeddings, inputs)

    monkeypatch.setattr(classifier, "encode", watched)
    method.saliency_interpret_instances(instances(["a b c d e f"] * 10, ["0", "1"] * 5), budget=60)
    assert max(sizes) == 60 and sum(sizes) >= 50 * 60


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("steps", [2, 5, 50])
def test_rules_are_those_of_numerical_analysis(rule, steps):
    positions, weights = nodes(rule, steps)
    assert len(positions) == len(weights) == steps
    assert weights.sum().item() == pytest.approx(1)
    exact, _ = scipy_integrate.quad(lambda u: 3 * u * u + u, 0, 1)
    found = (weights * (3 * positions**2 + positions)).sum().item()
    bound = {"gauss_legendre": 1e-12, "midpoint": 1 / steps**2, "trapezoid": 2 / (steps - 1) ** 2}
    assert found == pytest.approx(exact, abs=bound.get(rule, 4 / steps))
    if rule == "trapezoid":
        even = torch.linspace(0, 1, steps, dtype=torch.double)
        assert found == pytest.approx(float(scipy_integrate.trapezoid(3 * even**2 + even, even)))


def test_the_default_rule_is_the_most_accurate_at_equal_cost():
    errors = {}
    for rule in RULES:
        method = interpreter("integrated-gradients", model().double(), steps=10, rule=rule)
        results = method.saliency_interpret_instances(instances())
        errors[rule] = max(abs(result["convergence_delta"]) for result in results)
    *best, left, right = errors.values()
    assert best == sorted(best) and max(best) < min(left, right)
    assert interpreter("integrated-gradients", model(), steps=9).rule == RULES[0]


def test_a_text_that_misses_completeness_is_flagged():
    classifier = model("affine")
    # One step at the end of the path, where tanh is flat, tells nothing of the way there.
    with torch.no_grad():
        classifier.text_field_embedder.token_embedder_tokens.weight.mul_(5)
    options = {"steps": 1, "rule": "right"}
    coarse = interpreter("integrated-gradients", classifier, **options)
    lenient = interpreter("integrated-gradients", classifier, tolerance=1e6, **options)
    results = coarse.saliency_interpret_instances(instances())
    assert [result["flagged"] for result in results] == [1, 1, 1, 1]
    results = lenient.saliency_interpret_instances(instances())
    assert [result["flagged"] for result in results] == [0, 0, 0, 0]


def test_no_trace_is_left(monkeypatch):
    method = interpreter("integrated-gradients", model(), steps=3)
    check_no_trace_is_left(method, monkeypatch)
    check_no_trace_is_left(method, monkeypatch, fails_at_call=2)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"steps": 9, "rule": "simpson"}, "rule is 'simpson', but must be one of gauss_legendre"),
        ({"rule": "midpoint"}, "rule is 'midpoint', but steps 'auto' has a rule of its own"),
        ({"steps": "many"}, "steps is 'many', but must be a number or 'auto'"),
        ({"steps": 0}, "steps is 0, which is too few for rule 'gauss_legendre'"),
        ({"steps": 1, "rule": "trapezoid"}, "steps is 1, which is too few for rule 'trapezoid'"),
        ({"tolerance": -1.0}, "tolerance must not be negative, but is -1.0"),
        ({"baseline": "blank"}, "baseline is 'blank', but must be one of zero, pad, unk, mask"),
        ({"of": "loss"}, "of is 'loss'"),
    ],
)
def test_bad_options_are_rejected(options, sentence):
    with pytest.raises(InputError, match=sentence):
        interpreter("integrated-gradients", model(), **options)


def test_a_baseline_symbol_needs_words_with_one_number_each():
    classifier = model()
    batch = TextBatch.of(classifier, instances())
    classifier.text_field_embedder.token_embedder_tokens = torch.nn.Identity()
    with pytest.raises(InputError, match="unlike 'zero'"):
        baseline_embeddings(classifier, batch, torch.zeros(4, batch.length, 6), "unk")


# Smooth, steep, and with a jump.
FUNCTIONS = [
    lambda u: 3 * u**2 + u,
    lambda u: torch.sigmoid(200 * (u - 0.3)),
    lambda u: (u > 0.317).to(u),
]


@pytest.mark.parametrize("intervals", [4, 8, 64])
def test_the_rule_is_exact_for_polynomials_and_keeps_its_positions(intervals):
    at, shares = positions(intervals), weights(intervals)
    for power in range(intervals + 1):
        assert (shares * at**power).sum().item() == pytest.approx(1 / (power + 1), abs=1e-13)
    assert at.tolist() == pytest.approx(positions(2 * intervals)[::2].tolist(), abs=1e-15)


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


def test_each_text_gets_what_it_needs_and_no_position_is_asked_for_twice():
    exact, found, evaluations, evaluated = integrals(FUNCTIONS)
    assert found[:2] == pytest.approx(exact[:2], rel=0.01)
    assert evaluations[0] == 2 * FEWEST + 1 < evaluations[1] < evaluations[2] <= MOST + 1
    for row, number in enumerate(evaluations):
        asked = [position for rows, at in evaluated if row in rows for position in at]
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
