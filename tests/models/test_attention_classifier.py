"""The classifier: what must hold for every encoder, scorer and projection, and each option."""

import math

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from attention_explain.errors import InputError
from attention_explain.models import AttentionClassifier
from attention_explain.modules.text_inputs import TextInputs
from tests.builders import (
    ENCODERS,
    LABELS,
    PROJECTIONS,
    SCORERS,
    TEXTS,
    batch,
    instances,
    model,
    vocabulary,
)

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)
every_scorer = pytest.mark.parametrize("scorer", SCORERS)
every_projection = pytest.mark.parametrize("projection", PROJECTIONS)


@every_encoder
@every_scorer
@every_projection
@pytest.mark.parametrize("boundary_symbols", [False, True])
def test_attention_is_a_distribution_over_real_tokens(
    encoder, scorer, projection, boundary_symbols
):
    vocab = vocabulary(boundary_symbols=boundary_symbols)
    classifier = model(encoder, scorer, projection, vocab=vocab)
    output = classifier(**batch(vocab, instances(boundary_symbols=boundary_symbols)))
    attention = output["attention"]
    torch.testing.assert_close(attention.sum(-1), torch.ones(len(TEXTS)))
    first = 1 if boundary_symbols else 0
    for row, text in enumerate(TEXTS):
        last = first + len(text.split())
        assert (attention[row, :first] == 0).all() and (attention[row, last:] == 0).all()


@every_encoder
@every_scorer
@every_projection
def test_an_instance_alone_equals_the_instance_in_any_batch(encoder, scorer, projection):
    vocab = vocabulary(boundary_symbols=True)
    classifier = model(encoder, scorer, projection, vocab=vocab)
    made = instances(boundary_symbols=True)
    together = classifier(**batch(vocab, made))
    for row, instance in enumerate(made):
        alone = classifier(**batch(vocab, [instance]))
        length = alone["attention"].size(1)
        for name, ours in (
            ("probs", together["probs"][row]),
            ("logits", together["logits"][row]),
            ("attention", together["attention"][row, :length]),
        ):
            torch.testing.assert_close(ours, alone[name][0], atol=1e-6, rtol=1e-5)


@every_encoder
@every_projection
def test_forward_is_the_composition_of_the_four_stages(encoder, projection):
    vocab = vocabulary()
    classifier = model(encoder, projection=projection, vocab=vocab, output_states=True)
    tensors = batch(vocab, instances())
    output = classifier(**tensors)
    embeddings = classifier.embed(tensors["tokens"])
    inputs = TextInputs(output["mask"], output["mask"])
    states = classifier.encode(embeddings, inputs)
    attention = classifier.attend(states, inputs)
    torch.testing.assert_close(output["states"], states)
    torch.testing.assert_close(output["attention"], attention)
    torch.testing.assert_close(output["logits"], classifier.decode(states, attention))
    torch.testing.assert_close(output["logits"], classifier.logits(embeddings, inputs))
    # The context is the weighted sum of the states, and the output is linear in it.
    for row in range(len(TEXTS)):
        context = sum(a * h for a, h in zip(attention[row], states[row]))
        expected = classifier.decoder.weight @ context + classifier.decoder.bias
        torch.testing.assert_close(output["logits"][row], expected, atol=1e-6, rtol=1e-5)


@every_encoder
def test_uniform_attention_decodes_the_mean_state(encoder):
    vocab = vocabulary()
    classifier = model(encoder, projection="uniform", vocab=vocab, output_states=True)
    output = classifier(**batch(vocab, instances()))
    for row, text in enumerate(TEXTS):
        mean = output["states"][row, : len(text.split())].mean(0)
        torch.testing.assert_close(output["logits"][row], classifier.decoder(mean))


def test_boundary_symbols_are_read_by_the_encoder_but_part_of_no_output():
    vocab = vocabulary(boundary_symbols=True)
    classifier = model(vocab=vocab)
    bare, bounded = instances(), instances(boundary_symbols=True)
    outputs = classifier.forward_on_instances(bounded)
    assert [output["tokens"] for output in outputs] == [text.split() for text in TEXTS]
    assert all(len(output["attention"]) == len(output["tokens"]) for output in outputs)
    assert not torch.allclose(
        classifier(**batch(vocab, bare))["logits"], classifier(**batch(vocab, bounded))["logits"]
    )


def test_human_readable_output_has_names_and_no_padding():
    vocab = vocabulary()
    classifier = model(vocab=vocab, output_states=True)
    for number, output in enumerate(classifier.forward_on_instances(instances())):
        words = TEXTS[number].split()
        assert output["id"] == f"text-{number}"
        assert output["gold"] == LABELS[number]
        assert output["label"] == classifier.labels[output["probs"].argmax()]
        assert output["tokens"] == words
        assert len(output["attention"]) == len(output["states"]) == len(words)
        assert sum(output["attention"]) == pytest.approx(1, abs=1e-6)


def test_labels_are_not_needed_to_predict():
    vocab = vocabulary()
    output = model(vocab=vocab)(**batch(vocab, instances(labels=None)))
    assert "loss" not in output and "label" not in output


def test_the_same_seed_gives_the_same_bytes():
    one, same, other = model(seed=5), model(seed=5), model(seed=6)
    for name, parameter in one.state_dict().items():
        assert torch.equal(parameter, same.state_dict()[name])
    assert not torch.equal(one.decoder.weight, other.decoder.weight)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_loss_is_weighted_cross_entropy(reduction):
    vocab = Vocabulary.from_instances(instances(labels=["0", "1", "1", "1"]))
    classifier = model(vocab=vocab, loss_reduction=reduction, class_weights="balanced")
    output = classifier(**batch(vocab, instances(labels=["0", "1", "1", "1"])))
    weight = {"0": 1.0, "1": 1 / 3}
    losses = []
    for row, label in enumerate(["0", "1", "1", "1"]):
        probability = output["probs"][row, classifier.labels.index(label)].item()
        losses.append(-weight[label] * math.log(probability))
    expected = sum(losses) / (4 if reduction == "mean" else 1)
    assert output["loss"].item() == pytest.approx(expected, rel=1e-5)


def test_balanced_weights_give_every_class_the_same_total():
    labels = ["a", "b", "b", "c"]
    vocab = Vocabulary.from_instances(instances(labels=labels))
    classifier = model(vocab=vocab, class_weights="balanced")
    weights = dict(zip(classifier.labels, classifier.class_weights.tolist()))
    assert weights == pytest.approx({"a": 1.0, "b": 0.5, "c": 1.0})


def test_balanced_weights_come_back_from_saved_ones_but_never_from_nothing(tmp_path):
    vocab = Vocabulary.from_instances(instances(labels=["0", "1", "1", "1"]))
    trained = model(vocab=vocab, class_weights="balanced")
    vocab.save_to_files(tmp_path)
    from_files = Vocabulary.from_files(tmp_path)
    loaded = model(vocab=from_files, class_weights="balanced")
    with pytest.raises(InputError, match="has no label counts"):
        loaded(**batch(from_files, instances()))
    loaded.load_state_dict(trained.state_dict())
    torch.testing.assert_close(loaded.class_weights, trained.class_weights)


def test_metrics_of_known_predictions():
    vocab = vocabulary()
    classifier = model(projection="sparsemax", vocab=vocab)
    output = classifier(**batch(vocab, instances()))
    running = classifier.get_metrics()
    metrics = classifier.get_metrics(reset=True)
    assert "auc" not in running and "auc" in metrics

    gold = [classifier.labels.index(label) for label in LABELS]
    predicted = output["probs"].argmax(-1).tolist()
    assert metrics["accuracy"] == sum(map(int.__eq__, gold, predicted)) / 4
    positive = classifier.labels.index("1")
    hits = sum(g == p == positive for g, p in zip(gold, predicted))
    found, real = predicted.count(positive), gold.count(positive)
    assert metrics["f1"] == pytest.approx(2 * hits / max(found + real, 1))

    scores = output["probs"][:, positive].tolist()
    pairs = [
        (a, b)
        for a, label in zip(scores, LABELS)
        for b, other in zip(scores, LABELS)
        if label == "1" and other == "0"
    ]
    expected = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs) / len(pairs)
    assert metrics["auc"] == pytest.approx(expected)

    entropies, zeros = [], []
    for row, text in enumerate(TEXTS):
        weights = output["attention"][row, : len(text.split())].tolist()
        zeros.append(weights.count(0.0) / len(weights))
        if len(weights) > 1:
            nats = -sum(weight * math.log(weight) for weight in weights if weight > 0)
            entropies.append(nats / math.log(len(weights)))
    assert metrics["attention_entropy"] == pytest.approx(sum(entropies) / 3, abs=1e-5)
    assert metrics["attention_zeros"] == pytest.approx(sum(zeros) / 4)
    assert classifier.get_metrics(reset=True)["accuracy"] == 0


def test_extra_metrics_see_every_output_and_stand_next_to_the_others():
    class LargestWeight:
        def __init__(self):
            self.seen = []

        def __call__(self, output):
            self.seen.append(output["attention"].max().item())
            output["largest"] = output["attention"].max(-1).values

        def get_metric(self, reset=False):
            found = {"largest_weight": max(self.seen, default=0.0)}
            if reset:
                self.seen = []
            return found

    vocab = vocabulary()
    classifier = model(vocab=vocab)
    classifier.extra_metrics.append(LargestWeight())
    tensors = batch(vocab, instances(labels=None))
    output = classifier(**tensors)
    assert classifier.get_metrics()["largest_weight"] == output["largest"].max().item()
    assert "accuracy" in classifier.get_metrics(reset=True)
    assert classifier.get_metrics()["largest_weight"] == 0.0
    # They are no part of the model, whose archive stays what it was.
    assert set(classifier.state_dict()) == set(model(vocab=vocab).state_dict())


def test_more_than_two_classes():
    labels = ["a", "b", "c", "a"]
    vocab = Vocabulary.from_instances(instances(labels=labels))
    classifier = model(vocab=vocab)
    output = classifier(**batch(vocab, instances(labels=labels)))
    assert output["probs"].shape == (4, 3)
    metrics = classifier.get_metrics(reset=True)
    assert "f1" not in metrics and {"macro_f1", "accuracy", "auc"} <= set(metrics)


@every_encoder
@every_projection
def test_every_parameter_is_trained(encoder, projection):
    vocab = vocabulary()
    classifier = model(encoder, projection=projection, vocab=vocab)
    classifier(**batch(vocab, instances()))["loss"].backward()
    assert all(parameter.grad is not None for parameter in classifier.parameters())


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"loss_reduction": "median"}, "loss_reduction is 'median'"),
        ({"class_weights": "even"}, "class_weights is 'even'"),
        ({"class_weights": {"0": 1.0}}, "class_weights names 0, but the labels are 0, 1"),
        ({"positive_label": "yes"}, "positive_label is 'yes', which is none of"),
        ({"encoder": {"type": "affine", "input_dim": 7}}, "input size of encoder"),
        ({"attention": {"scorer": "bilinear"}}, "bilinear not in acceptable choices"),
        ({"attentoin": {}}, "Extra parameters"),
    ],
)
def test_impossible_settings_are_rejected(options, sentence):
    with pytest.raises((ConfigurationError, InputError), match=sentence):
        model(**options) if "encoder" not in options else build_with(options)


def build_with(options):
    from tests.builders import DIM, params

    config = {
        "type": "attention_classifier",
        "text_field_embedder": {
            "token_embedders": {"tokens": {"type": "embedding", "embedding_dim": DIM}}
        },
        **options,
    }
    return Model.from_params(params(config), vocab=vocabulary())


def test_one_label_is_not_enough():
    vocab = Vocabulary.from_instances(instances(labels=["0"] * 4))
    with pytest.raises(InputError, match="needs two labels or more"):
        model(vocab=vocab)


def test_is_registered_under_its_name():
    assert Model.by_name("attention_classifier") is AttentionClassifier
