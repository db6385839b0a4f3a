"""`allennlp predict` with the saliency predictor: lines in, lines out, and bad lines."""

import json
import sys

import numpy
import pytest
import torch
from allennlp.predictors import Predictor

from attention_explain.__main__ import main
from attention_explain.errors import InputError
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.builders import LABELS, TEXTS, instances, model, reader, vocabulary
from tests.small_archive import small_archive

METHODS = ["attention", "gradient", {"type": "integrated-gradients", "steps": 5}, "random"]


@pytest.fixture(scope="module")
def classifier():
    return model(vocab=vocabulary(boundary_symbols=True))


@pytest.fixture
def predictor(classifier):
    return SaliencyPredictor(classifier, reader(boundary_symbols=True), interpreters=METHODS)


def lines(predictor, *texts):
    return [predictor.load_line(text + "\n") for text in texts]


def test_a_line_has_all_that_a_reader_needs(predictor, classifier):
    line = json.dumps({"text": TEXTS[1], "label": "1", "id": "mine", "date": "monday"})
    output = json.loads(predictor.dump_line(predictor.predict_json(*lines(predictor, line))))
    assert list(output) == [
        "id", "tokens", "label", "gold", "labels", "probs", "attention", "unknown", "saliency",
        "checks",
    ]  # fmt: skip
    assert output["id"] == "mine" and output["gold"] == "1"
    assert output["tokens"] == TEXTS[1].split()
    assert output["labels"] == classifier.labels
    assert sum(output["probs"]) == pytest.approx(1)
    assert output["label"] == output["labels"][int(numpy.argmax(output["probs"]))]
    assert list(output["saliency"]) == ["attention", "gradient", "integrated-gradients", "random"]
    for scores in (output["attention"], *output["saliency"].values()):
        assert len(scores) == len(output["tokens"])
    assert output["attention"] == output["saliency"]["attention"]
    assert set(output["checks"]["integrated-gradients"]) == {"convergence_delta", "flagged"}


def test_predictions_and_scores_are_those_of_model_and_methods(predictor, classifier):
    texts = instances(boundary_symbols=True)
    outputs = predictor.predict_batch_instance(texts)
    for text, output in zip(texts, outputs, strict=True):
        plain = classifier.forward_on_instance(text)
        assert output["probs"] == pytest.approx(plain["probs"], abs=1e-6)
        assert output["attention"] == pytest.approx(plain["attention"], abs=1e-6)
        for name, method in predictor.interpreters.items():
            (expected,) = method.saliency_interpret_instances([text])
            assert output["saliency"][name] == pytest.approx(expected["scores"], abs=1e-6)


def test_a_batch_gives_what_single_lines_give(predictor):
    inputs = [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)]
    together = predictor.predict_batch_json(inputs)
    for one, output in zip(inputs, together, strict=True):
        alone = predictor.predict_json(one)
        assert output["tokens"] == alone["tokens"] and output["label"] == alone["label"]
        for name, scores in alone["saliency"].items():
            assert output["saliency"][name] == pytest.approx(scores, abs=1e-6)


def test_one_forward_pass_predicts_the_batch(classifier, monkeypatch):
    predictor = SaliencyPredictor(
        classifier, reader(boundary_symbols=True), interpreters=["random"]
    )
    calls = []
    encode = classifier.encode
    monkeypatch.setattr(classifier, "encode", lambda *given: calls.append(1) or encode(*given))
    predictor.predict_batch_json([{"text": text} for text in TEXTS])
    assert len(calls) == 1


@pytest.mark.parametrize(
    "line, tokens, id_",
    [
        ("a fine film", ["a", "fine", "film"], "line-1"),
        ('"a fine film"', ['"a', "fine", 'film"'], "line-1"),
        ("[not a list", ["[not", "a", "list"], "line-1"),
        ("7", ["7"], "line-1"),
        ('{"tokens": ["a", "fine film"]}', ["a", "fine film"], "line-1"),
        ('{"tokens": "a fine film"}', ["a", "fine", "film"], "line-1"),
        ('{"text": "so", "tokens": ["exact"], "id": 5}', ["exact"], "5"),
        ("\ufeffa fine film\r", ["a", "fine", "film"], "line-1"),
    ],
)
def test_what_is_no_json_object_is_a_text(predictor, line, tokens, id_):
    output = predictor.predict_json(*lines(predictor, line))
    assert output["tokens"] == tokens and output["id"] == id_


@pytest.mark.parametrize(
    "line, problem",
    [
        ('{"text": "a', "is not JSON"),
        ('{"text": ' + "[" * 100000, "is not JSON .nested deeper than"),
        ('{"text": "a", "id": ' + "9" * 5000 + "}", "is not JSON .a number is too long"),
        (
            '{"txt": "a"}',
            r"field 'text' \(or 'tokens'\) is missing; the line has 'txt'; the reader's",
        ),
        ('{"text": 5}', "field 'text' is not a text"),
        ('{"tokens": 5}', "field 'tokens' is not a list"),
        ('{"tokens": ["a", 5]}', "field 'tokens' may hold only texts"),
        ('{"text": " "}', "the text is empty"),
        ('{"text": "a", "label": ["1"]}', "field 'label' is not a single value"),
        (
            '{"text": "a", "label": "good"}',
            "field 'label' is 'good', which is not one of the labels",
        ),
        ('{"text": "a", "rationale": "x"}', "field 'rationale' may hold only 0 and 1"),
        ('{"text": "a", "rationale": [["x"]]}', "field 'rationale' may hold only 0 and 1"),
        ('{"text": "a b", "rationale": [1]}', "'rationale' has 1 entries, but the text has 2"),
    ],
)
def test_a_bad_line_is_named_and_costs_none_before_it(predictor, line, problem):
    inputs = lines(predictor, "a fine film", line, "never reached")
    results = predictor.predict_batch_json(inputs)
    assert json.loads(predictor.dump_line(results[0]))["id"] == "line-1"
    with pytest.raises(InputError, match=f"^line 2 of the input .*: .*{problem}"):
        predictor.dump_line(results[1])
    assert len(results) == 2
    with pytest.raises(InputError, match="^line 2 of the input"):
        predictor.predict_json(inputs[1])


def test_from_python_a_bad_input_raises_at_once(predictor):
    with pytest.raises(InputError, match="^field 'text' is not a text"):
        predictor.predict_batch_json([{"text": "a fine film"}, {"text": 5}])


def test_target_names_the_label_to_explain(classifier):
    for label in classifier.labels:
        predictor = SaliencyPredictor(
            classifier, reader(), interpreters=["gradient-x-input"], target=label
        )
        output = predictor.predict_json({"text": TEXTS[1]})
        (expected,) = predictor.interpreters["gradient-x-input"].saliency_interpret_instances(
            instances(TEXTS[1:2], None), target=label
        )
        assert output["target"] == label
        assert output["saliency"]["gradient-x-input"] == pytest.approx(expected["scores"])


def test_scores_that_are_not_finite_are_left_out_with_a_reason(classifier, monkeypatch):
    predictor = SaliencyPredictor(classifier, reader(), interpreters=["gradient-x-input", "random"])
    method = predictor.interpreters["gradient-x-input"]
    attribute = method.attribute

    def broken(batch, target):
        attribution = attribute(batch, target)
        attribution.scores[batch.ids.index("b"), 0] = torch.nan
        return attribution

    monkeypatch.setattr(method, "attribute", broken)
    first, second = predictor.predict_batch_json(
        [{"text": TEXTS[0], "id": "a"}, {"text": TEXTS[3], "id": "b"}]
    )
    assert "skipped" not in first and len(first["saliency"]["gradient-x-input"]) == 3
    assert second["saliency"]["gradient-x-input"] is None
    assert second["skipped"] == {"gradient-x-input": "a score that is not finite"}
    assert len(second["saliency"]["random"]) == 11
    assert "NaN" not in predictor.dump_line(second)


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"interpreter": ["lrp"]}, "has no argument 'interpreter'; it has interpreters, target"),
        ({"interpreters": ["lrx"]}, "there is no interpreter 'lrx'"),
        ({"target": "good"}, "target is 'good', which is none of the model's labels"),
        ({"html": "/proc/no/page.html"}, "/proc/no/page.html: cannot be written"),
    ],
)
def test_bad_arguments_are_rejected_before_the_first_line(classifier, arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        SaliencyPredictor(classifier, reader(), **arguments)


def test_the_page_is_whole_at_every_moment(classifier, tmp_path):
    path = tmp_path / "page.html"
    predictor = SaliencyPredictor(classifier, reader(), html=str(path))
    assert path.read_text().endswith("</html>\n")
    predictor.predict_json({"text": "a <b>fine</b> film", "id": "first"})
    predictor.predict_batch_json([{"text": TEXTS[1]}, {"text": TEXTS[2]}])
    predictor._page.finish()
    page = path.read_text()
    assert page.count("<article ") == 3 and page.endswith("</html>\n")
    assert "3 texts" in page and "&lt;b&gt;fine&lt;/b&gt;" in page
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.html"]


def test_it_is_the_models_default_predictor(tmp_path):
    archive = small_archive(tmp_path / "run")
    predictor = Predictor.from_path(archive)
    assert isinstance(predictor, SaliencyPredictor)
    output = predictor.predict_json({"text": "the film was fine"})
    assert list(output["saliency"]) == ["attention", "gradient-x-input"]


def test_predict_as_a_user_runs_it(tmp_path, monkeypatch, capsys):
    """Plain texts and objects, batches, a page; and a bad line, which costs nothing that is there."""
    archive = small_archive(tmp_path / "run")
    good = ["the film was fine", '{"text": "a dull film", "label": "0"}', "", "so it was"]
    (tmp_path / "in.txt").write_text("\n".join(good))
    arguments = {"interpreters": ["attention", "gradient"], "html": "page.html"}
    command = ["predict", str(archive), "in.txt", "--batch-size", "3", "--silent"]
    command += ["--output-file", "out.jsonl", "--predictor-args", json.dumps(arguments)]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["allennlp", *command, "--predictor", "saliency"])
    main()
    outputs = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    # The third is blank.
    assert [output["id"] for output in outputs] == ["line-1", "line-2", "line-4"]
    assert outputs[1]["gold"] == "0"
    there = [(tmp_path / name).read_bytes() for name in ("out.jsonl", "page.html")]
    (tmp_path / "in.txt").write_text("\n".join([*good, '{"text": 1}', "more"]))
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message == "error: in.txt, line 5: field 'text' is not a text"
    assert there == [(tmp_path / name).read_bytes() for name in ("out.jsonl", "page.html")]


def test_a_whole_data_set_through_its_reader(tmp_path, monkeypatch):
    archive = small_archive(tmp_path / "run")
    command = ["predict", str(archive), "dev", "--use-dataset-reader", "--batch-size", "4"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        sys, "argv", ["allennlp", *command, "--silent", "--output-file", "out.jsonl"]
    )
    main()
    outputs = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert len(outputs) == 10
    assert all(len(output["rationale"]) == len(output["tokens"]) for output in outputs)
