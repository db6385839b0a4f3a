"""Targets of single texts, and contrasts: why a class is predicted rather than another."""

import json
import sys

import pytest
import torch

import attention_explain as ax
from attention_explain.__main__ import main
from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import known_interpreters
from attention_explain.interpret.text_batch import TextBatch, contrast_with
from tests.builders import LABELS, TEXTS, instances, model, reader, vocabulary
from tests.interpret.no_trace import interpreter
from tests.small_archive import small_archive

THREE = ["0", "1", "2", "0"]
# Methods whose scores of a contrast are the difference of the scores of the two classes, by their options.
LINEAR = {
    "gradient-x-input": {"of": "logit"},
    "integrated-gradients": {"of": "logit", "steps": 8},
    "gradient-shap": {"of": "logit"},
    "lrp": {},
    "deeplift": {"of": "logit"},
    "occlusion": {"of": "logit"},
    "leave-one-out": {"of": "logit", "measure": "signed"},
    "kernel-shap": {"of": "logit", "samples": 16},
    "lime": {"of": "logit", "samples": 16},
    "signed-attention": {"of": "logit"},
}
OF_ALL_CLASSES = {
    *("attention", "random", "attention-rollout", "attention-flow", "input-to-hidden"),
    *("value-weighted-attention", "leave-one-out"),
}


@pytest.fixture(scope="module")
def classifier():
    return model("affine", vocab=vocabulary(labels=THREE)).double()


def targets(classes, others=None):
    classes = torch.tensor(classes)
    return classes if others is None else contrast_with(classes, torch.tensor(others), 3)


@pytest.mark.parametrize("name", LINEAR)
def test_the_scores_of_a_contrast_are_a_difference(name, classifier):
    method = interpreter(name, classifier, **LINEAR[name])
    batch = TextBatch.of(classifier, instances(labels=THREE))
    classes, others = [0, 1, 2, 0], [1, 2, 0, 2]
    found = method.attribute_batch(batch, targets(classes, others)).scores
    first = method.attribute_batch(batch, targets(classes)).scores
    second = method.attribute_batch(batch, targets(others)).scores
    torch.testing.assert_close(found, first - second, atol=1e-8, rtol=1e-6)
    assert (found != first).any()


def test_the_gradient_of_a_contrast_is_that_of_the_difference(classifier):
    batch = TextBatch.of(classifier, instances(labels=THREE))
    found = interpreter("gradient", classifier).attribute_batch(batch, targets([0] * 4, [2] * 4))
    embeddings = classifier.embed(batch.tokens).detach().requires_grad_()
    logits = classifier.logits(embeddings, batch.inputs)
    (gradient,) = torch.autograd.grad((logits[:, 0] - logits[:, 2]).sum(), embeddings)
    torch.testing.assert_close(found.scores, gradient.norm(dim=-1) * batch.attendable)


@pytest.mark.parametrize("default", ["centred", "score-gradient"])
def test_signed_attention_of_a_contrast_has_no_mean(default, classifier):
    options = {"effect": default} if default == "score-gradient" else {}
    batch = TextBatch.of(classifier, instances(labels=THREE))
    one, other = (
        interpreter("signed-attention", classifier, **options, of=of)
        .attribute_batch(batch, targets([0] * 4, [2] * 4))
        .scores
        for of in ("centred", "logit")
    )
    torch.testing.assert_close(one, other)


@pytest.mark.parametrize("name", known_interpreters())
def test_methods_that_ignore_the_class_say_so(name):
    try:
        method = interpreter(name, model("transformer"))
    except InputError:
        pytest.skip("the method does not support the model")
    batch = TextBatch.of(method.model, instances())
    of_class = [method.attribute_batch(batch, torch.full((4,), each)).scores for each in range(2)]
    ignores = torch.allclose(*of_class, equal_nan=True)
    assert method.class_specific or ignores
    if name in OF_ALL_CLASSES:
        assert not method.class_specific


def test_methods_that_ignore_the_class_cannot_explain_a_contrast(classifier):
    loaded = ax.load(classifier.float(), dataset_reader=reader())
    for method, message in (
        ("attention", "attention does not depend"),
        ("leave-one-out", "'signed'"),
    ):
        with pytest.raises(InputError, match=message):
            loaded.attribute(TEXTS, [method], contrast="0", progress=False)
    explanations = loaded.attribute(TEXTS, contrast="0", target="1", progress=False)
    assert "attention" in explanations.left_out and "integrated-gradients" in explanations.methods
    with pytest.raises(InputError, match="contrast is 'good', which is none of"):
        loaded.attribute(TEXTS, ["gradient"], contrast="good", progress=False)
    with pytest.raises(InputError, match="measures are about the probability of one class"):
        explanations.evaluate(["comprehensiveness"], progress=False)


def test_each_text_has_its_target(classifier):
    loaded = ax.load(classifier.float(), dataset_reader=reader())
    methods = [{"type": "gradient-x-input", "of": "logit"}]
    wanted = ["2", "0", "1", "1"]
    explanations = loaded.attribute(TEXTS, methods, target=wanted, progress=False)
    assert [each.target for each in explanations] == wanted
    for number, label in enumerate(wanted):
        alone = loaded.attribute(TEXTS, methods, target=label, progress=False)
        expected = explanations[number].scores["gradient-x-input"]
        assert alone[number].scores["gradient-x-input"] == pytest.approx(expected)
        assert "target" not in alone.table.column_names
    scores = explanations.evaluate(["comprehensiveness"], removal=["delete"], progress=False)
    assert scores.table.num_rows
    with pytest.raises(InputError, match="target has 2 labels for 4 texts"):
        loaded.attribute(TEXTS, methods, target=["0", "1"], progress=False)


def test_a_text_whose_class_is_the_contrast_is_skipped(classifier):
    loaded = ax.load(classifier.float(), dataset_reader=reader())
    predicted = [each.label for each in loaded.attribute(TEXTS, ["random"], progress=False)]
    other = ["1" if label == "0" else "0" for label in predicted]
    contrast = [predicted[0], *other[1:]]
    explanations = loaded.attribute(TEXTS, ["gradient", "lrp"], contrast=contrast, progress=False)
    assert [each.contrast for each in explanations] == contrast
    assert explanations[0].scores == {"gradient": None, "lrp": None}
    assert explanations[0].skipped["lrp"].startswith("the explained class is the one")
    assert all(each.scores["lrp"] for each in explanations[1:])
    assert f"rather than {contrast[1]}" in str(explanations[1]) + explanations[1]._repr_html_()


def test_the_command_explains_contrasts_and_targets(tmp_path, monkeypatch):
    lines = [json.dumps({"text": text, "label": label}) for text, label in zip(TEXTS, LABELS)]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines))
    data = str(tmp_path / "texts.jsonl")
    archive = small_archive(tmp_path / "run", reader={"type": "attention_text"}, train=data)
    output = tmp_path / "out.parquet"
    command = ["attribute", str(archive), data, "-o", str(output), "--interpreters", "lrp"]
    monkeypatch.setattr(sys, "argv", ["allennlp", *command, "--target", "0", "--contrast", "1"])
    main()
    read = ax.read(output)
    found = ax.load(archive).attribute(
        (tmp_path / "texts.jsonl"), ["lrp"], target=0, contrast=1, progress=False
    )
    assert read.table.equals(found.table) and read.metadata["contrast"] == "1"
    targets = ["--force", "--target", "0", "1", "1", "0"]
    monkeypatch.setattr(sys, "argv", ["allennlp", *command, *targets])
    main()
    assert [each.target for each in ax.read(output)] == ["0", "1", "1", "0"]
