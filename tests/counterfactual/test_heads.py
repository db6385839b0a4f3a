"""Other self-attention inside a model, against models that really have it."""

from contextlib import contextmanager

import pytest
import torch
from transformers import AutoModelForSequenceClassification

from attention_explain.archives import open_archive
from attention_explain.counterfactual.perturbation import PERTURBATIONS, Perturber
from attention_explain.counterfactual.self_attending import SelfAttending
from attention_explain.errors import InputError
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.modules.transformer import SelfAttention
from tests.builders import instances, model
from tests.counterfactual.fixed import perturber
from tests.pretrained.test_explanations import TEXTS, Opened
from tests.tiny_transformers import FAMILIES, KNOWN_LAYERS, save_tiny_transformer

# Of the small transformers: both have two layers of two heads.
# transformers computes the weights of some attention in single precision.
CLOSE = 1e-6
LEVELS = [(None, None), (1, None), (2, 1), (None, 2), (2, None)]
each_position = pytest.mark.parametrize("layer, head", LEVELS)


@pytest.fixture(scope="module")
def all_folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("transformers")
    families = (*FAMILIES, *KNOWN_LAYERS)
    return {family: save_tiny_transformer(root / family, family) for family in families}


@pytest.fixture(params=[*FAMILIES, *KNOWN_LAYERS])
def opened(all_folders, request):
    made = Opened(all_folders[request.param])
    eager = AutoModelForSequenceClassification.from_pretrained(
        all_folders[request.param], attn_implementation="eager"
    )
    made.plain.model = eager.double().eval()
    return made


def results(opened, name, **options):
    work = Perturber(opened.model, PERTURBATIONS.build([{"type": name, **options}]))
    return [text.results[name] for text in work.perturb(opened.instances())]


def chosen(layer, head):
    """1 at the heads that are changed. Shape: (layers, heads)"""
    found = torch.zeros(2, 2, dtype=torch.double)
    found[
        slice(None) if layer is None else layer - 1, slice(None) if head is None else head - 1
    ] = 1
    return found


@contextmanager
def changed_heads(layer, head, to_uniform):
    """Within it, the weights of these heads in transformers are uniform, or 0."""
    weigh = torch.nn.functional.softmax
    calls = []

    def patched(scores, *given, **options):
        weights = weigh(scores, *given, **options)
        changed = chosen(layer, head)[len(calls) % 2].view(1, -1, 1, 1)
        calls.append(1)
        return weights * (1 - changed) + to_uniform * changed / weights.size(-1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.nn.functional, "softmax", patched)
        yield


@each_position
def test_heads_that_are_off_have_weights_of_zero(opened, layer, head):
    found = results(opened, "heads-off", layer=layer, head=head)
    for text, each in zip(TEXTS, found, strict=True):
        ids, _ = opened.plain.read(text)
        with torch.no_grad():
            as_it_is = opened.plain.model(ids).logits[0].softmax(-1)
            with changed_heads(layer, head, to_uniform=False):
                masked = opened.plain.model(ids).logits[0]
        expected = masked.softmax(-1)
        assert each["probs"] == pytest.approx(expected.tolist(), abs=CLOSE)
        assert each["tvd"] == pytest.approx(float((expected - as_it_is).abs().sum() / 2), abs=CLOSE)
        assert each["flip"] == bool(expected.argmax() != as_it_is.argmax())


@each_position
def test_uniform_heads_are_those_of_a_softmax_that_is_uniform(opened, layer, head):
    found = results(opened, "uniform-heads", layer=layer, head=head)
    for text, each in zip(TEXTS, found, strict=True):
        ids, _ = opened.plain.read(text)
        with torch.no_grad(), changed_heads(layer, head, to_uniform=True):
            logits = opened.plain.model(ids).logits[0]
        assert each["probs"] == pytest.approx(logits.softmax(-1).tolist(), abs=CLOSE)


def test_one_head_at_a_time_is_each_of_them_alone(opened):
    for change, name in (("off", "heads-off"), ("permuted", "permuted-heads")):
        together = results(opened, "each-head", change=change)

        def alone(layer=None, head=None, name=name):
            return [each["tvd"] for each in results(opened, name, layer=layer, head=head)]

        heads = [alone(layer, head) for layer in (1, 2) for head in (1, 2)]
        layers = [alone(layer) for layer in (1, 2)]
        for row, (each, whole) in enumerate(zip(together, alone(), strict=True)):
            assert each["heads"] == pytest.approx([values[row] for values in heads], abs=1e-12)
            assert each["layers"] == pytest.approx([values[row] for values in layers], abs=1e-12)
            assert each["all"] == pytest.approx(whole, abs=1e-12)


def self_attending(classifier):
    texts = instances(boundary_symbols=False)
    return SelfAttending.of(classifier, TextBatch.of(classifier, texts))


@each_position
def test_our_own_transformer_is_changed_in_the_same_way(layer, head, monkeypatch):
    classifier = model("transformer").double()
    heads = classifier.encoder.layers[0].self_attention.num_heads
    if head is not None and head > heads:
        pytest.skip("it has fewer heads")
    (text,) = perturber(classifier, "heads-off", layer=layer, head=head).perturb(instances()[:1])
    weights = SelfAttention.weights
    changed = [
        each.self_attention
        for number, each in enumerate(classifier.encoder.layers, 1)
        if layer in (None, number)
    ]

    def without(module, *given):
        found = weights(module, *given)
        if module in changed:
            found[:, slice(None) if head is None else head - 1] = 0.0
        return found

    monkeypatch.setattr(SelfAttention, "weights", without)
    batch = TextBatch.of(classifier, instances()[:1])
    with torch.no_grad():
        logits = classifier.logits(classifier.embed(batch.tokens), batch.inputs)[0]
    assert text.results["heads-off"]["probs"] == pytest.approx(
        logits.softmax(-1).tolist(), abs=1e-9
    )


def test_permuted_rows_have_the_same_weights_at_other_positions():
    texts = self_attending(model("transformer").double())
    rows, positions = texts.batch.mask.shape
    torch.manual_seed(1)
    maps = torch.rand(rows, 2, positions, positions) * texts.batch.mask[:, None, None, :]
    permuted = texts.permuted(seed=3, layer=1)(maps, slice(None))
    torch.testing.assert_close(permuted.sort(dim=-1).values, maps.sort(dim=-1).values)
    assert (permuted[~texts.batch.mask[:, None, None, :].expand_as(maps)] == 0).all()
    longest = int(texts.batch.mask.sum(dim=1).argmax())
    # Each head and each position has an order of its own.
    orders = permuted[longest].unsqueeze(-1) == maps[longest].unsqueeze(-2)
    found = {tuple(order.int().argmax(dim=-1).tolist()) for order in orders.flatten(0, 1)}
    assert len(found) > positions
    # In pieces they are the same.
    change = texts.permuted(seed=3, layer=1)
    pieces = [change(maps[:, :, some], some) for some in (slice(0, 2), slice(2, positions))]
    assert torch.equal(torch.cat(pieces, dim=2), permuted)


def test_pieces_of_positions_change_nothing(monkeypatch):
    classifier = model("transformer").double()
    work = perturber(classifier, "permuted-heads", seed=2)
    whole = [text.results for text in work.perturb(instances())]
    monkeypatch.setattr(
        "attention_explain.counterfactual.self_attending.rows_at_once", lambda *of: 2
    )
    for one, other in zip(whole, work.perturb(instances()), strict=True):
        probs = other.results["permuted-heads"]["probs"]
        assert one["permuted-heads"]["probs"] == pytest.approx(probs, abs=1e-12)


@pytest.mark.parametrize("options", [{"layer": 3}, {"layer": 0}, {"head": 7}])
def test_a_layer_or_head_that_is_not_there_is_named(options):
    ((name, number),) = options.items()
    with pytest.raises(InputError, match=f"{name} is {number!r}, but must be from 1 to"):
        perturber(model("transformer"), "heads-off", **options).perturb(instances())


def test_a_classifier_without_attention_over_states_says_so(all_folders):
    classifier = open_archive(all_folders["bert"]).model
    with pytest.raises(InputError, match="perturbation 'uniform': it needs hidden states"):
        Perturber(classifier, PERTURBATIONS.build(["uniform"]))
