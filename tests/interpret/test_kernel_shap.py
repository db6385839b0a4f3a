"""Kernel SHAP: exact where it can be, near the exact values where not, complete always."""

import itertools
import math

import pytest
import torch
from captum.attr import KernelShap as CaptumKernelShap

import attention_explain.interpret.coalitions  # noqa: F401  (registers it)
from attention_explain.errors import InputError
from attention_explain.interpret.text_batch import TextBatch, class_output
from attention_explain.modules.text_inputs import TextInputs
from tests.builders import ENCODERS, TEXTS, instances, model, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.one_by_one import one_by_one
from tests.interpret.sampling import check_seeded_by_the_instance

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)
SIX = "not a good film at all"


def text_of(classifier, **options):
    return TextBatch.of(classifier, instances([SIX], **options))


def value(classifier, text, players, present, baseline, of):
    """The output for class 1 with those players present, run alone."""
    embeddings = classifier.embed(text.tokens).detach().clone()
    for player in players:
        if player not in present:
            embeddings[0, player] = baseline
    logits = classifier.logits(embeddings, text.inputs)
    return class_output(classifier, logits, torch.tensor([1]), of).item()


def shapley_values(classifier, text, baseline, of):
    """From the definition: the mean contribution over all sets of the others."""
    players = text.attendable[0].nonzero().flatten().tolist()
    n = len(players)
    outputs = {
        frozenset(present): value(classifier, text, players, present, baseline, of)
        for size in range(n + 1)
        for present in itertools.combinations(players, size)
    }
    values = []
    for player in players:
        others = [other for other in players if other != player]
        score = 0.0
        for size in range(n):
            weight = math.factorial(size) * math.factorial(n - size - 1) / math.factorial(n)
            for present in itertools.combinations(others, size):
                gain = outputs[frozenset((*present, player))] - outputs[frozenset(present)]
                score += weight * gain
        values.append(score)
    return values


@every_encoder
@pytest.mark.parametrize("boundary_symbols", [False, True])
def test_six_tokens_get_their_exact_shapley_values(encoder, boundary_symbols):
    vocab = vocabulary(boundary_symbols=boundary_symbols)
    classifier = model(encoder, vocab=vocab).double()
    made = instances([SIX], boundary_symbols=boundary_symbols)
    for of, baseline in (("probability", "zero"), ("logit", "unk")):
        method = interpreter("kernel-shap", classifier, samples=64, of=of, baseline=baseline)
        (result,) = method.saliency_interpret_instances(made, target=classifier.labels[1])
        unknown = classifier.text_field_embedder.token_embedder_tokens.weight[1].detach()
        text = text_of(classifier, boundary_symbols=boundary_symbols)
        expected = shapley_values(classifier, text, 0.0 if baseline == "zero" else unknown, of)
        assert result["scores"] == pytest.approx(expected, abs=1e-9)


@every_encoder
def test_more_samples_come_nearer_to_the_exact_values(encoder):
    classifier = model(encoder)
    made = instances(TEXTS[1:2])
    scores = {}
    for samples in (50, 4000, 2**12):
        method = interpreter("kernel-shap", classifier, samples=samples, of="logit")
        (result,) = method.saliency_interpret_instances(made)
        scores[samples] = torch.tensor(result["scores"])
    exact = scores[2 ** len(TEXTS[1].split())]
    few, many = ((scores[samples] - exact).abs().max() for samples in (50, 4000))
    assert 0 < many < few and many < 0.05 * exact.abs().max()


def test_scores_sum_to_the_difference_of_the_outputs_however_few_the_samples():
    classifier = model(vocab=vocabulary(boundary_symbols=True)).double()
    made = instances(boundary_symbols=True)
    results = interpreter("kernel-shap", classifier, samples=2).saliency_interpret_instances(
        made, target=classifier.labels[1]
    )
    for result, text in zip(results, one_by_one(TextBatch.of(classifier, made)), strict=True):
        players = text.attendable[0].nonzero().flatten().tolist()
        whole, empty = (
            value(classifier, text, players, present, 0.0, "probability")
            for present in (players, [])
        )
        assert sum(result["scores"]) == pytest.approx(whole - empty, abs=1e-9)


def test_a_linear_game_needs_few_samples():
    """Without interaction every coalition says the same, so that sampling costs nothing."""
    classifier = model("affine", projection="uniform").double()
    made = instances()
    method = interpreter("kernel-shap", classifier, samples=24, of="logit")
    alone = interpreter("kernel-shap", classifier, samples=2**12, of="logit")
    for few, all_of_them in zip(
        method.saliency_interpret_instances(made),
        alone.saliency_interpret_instances(made),
        strict=True,
    ):
        assert few["scores"] == pytest.approx(all_of_them["scores"], abs=1e-9)


def test_agrees_with_captum():
    classifier = model()
    (result,) = interpreter("kernel-shap", classifier, samples=64).saliency_interpret_instances(
        instances([SIX]), target=classifier.labels[1]
    )
    text = text_of(classifier)

    def forward(embeddings):
        size = len(embeddings)
        mask, attendable = text.mask.expand(size, -1), text.attendable.expand(size, -1)
        logits = classifier.logits(embeddings, TextInputs(mask, attendable))
        return class_output(classifier, logits, torch.ones(size, dtype=torch.long), "probability")

    embeddings = classifier.embed(text.tokens).detach()
    torch.manual_seed(0)
    found = CaptumKernelShap(forward).attribute(
        embeddings,
        feature_mask=torch.arange(6).view(1, 6, 1),
        n_samples=1000,
        perturbations_per_eval=1000,
    )
    largest = max(map(abs, result["scores"]))
    assert result["scores"] == pytest.approx(found[0, :, 0].tolist(), abs=0.1 * largest)


@every_encoder
def test_random_numbers_belong_to_the_instance(encoder):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True)).double()
    check_seeded_by_the_instance("kernel-shap", classifier, samples=30)


def test_no_trace_is_left(monkeypatch):
    method = interpreter("kernel-shap", model(), samples=16)
    check_no_trace_is_left(method, monkeypatch)


def test_a_pass_stays_within_the_budget(monkeypatch):
    classifier = model()
    passes = []
    encode = classifier.encode
    monkeypatch.setattr(
        classifier,
        "encode",
        lambda vectors, inputs: passes.append(inputs.mask.numel()) or encode(vectors, inputs),
    )
    method = interpreter("kernel-shap", classifier, samples=64)
    method.saliency_interpret_instances(instances([SIX]), target="1", budget=100)
    assert max(passes) <= 100 and sum(passes) == 64 * 6


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"samples": 1}, "samples must be at least 2, but is 1"),
        ({"of": "loss"}, "of is 'loss'"),
        ({"baseline": "noise"}, "baseline is 'noise'"),
    ],
)
def test_bad_options_are_rejected(options, sentence):
    with pytest.raises(InputError, match=sentence):
        interpreter("kernel-shap", model(), **options)
