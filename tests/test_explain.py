"""`explain` from Python: what it takes, what it gives, and how that looks."""

import json
import os

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.predictors import Predictor

from attention_explain.explain import explain
from attention_explain.interpret.explanation import Explanation, short
from attention_explain.interpret.terminal import columns, fitted, render
from tests.builders import TEXTS, instances, model, reader
from tests.interpret.no_trace import interpreter
from tests.small_archive import small_archive

METHODS = ["attention", "gradient-x-input", "random"]


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return small_archive(tmp_path_factory.mktemp("run") / "run")


def test_scores_are_those_of_the_methods():
    classifier = model()
    explained = explain(classifier, TEXTS[1], METHODS, target="0", dataset_reader=reader())
    assert explained.tokens == TEXTS[1].split() and explained.target == "0"
    assert sum(explained.probs) == pytest.approx(1)
    for name in ("attention", "gradient-x-input"):
        method = interpreter(name, classifier)
        (expected,) = method.saliency_interpret_instances(instances(TEXTS[1:2], None), target="0")
        assert explained.scores[name] == pytest.approx(expected["scores"], abs=1e-6)


def test_it_takes_whatever_a_model_is_in(archive):
    text = "the film was fine"
    explained = [
        explain(source, text, METHODS)
        for source in (archive, str(archive), archive.parent, Predictor.from_path(archive))
    ]
    for one in explained[1:]:
        assert one.to_dict() == explained[0].to_dict()


def test_tokens_are_taken_as_they_are(archive):
    explained = explain(archive, ("the", "fine film"), ["random"])
    assert explained.tokens == ["the", "fine film"]
    assert len(explained.scores["random"]) == 2


def test_the_mode_of_a_model_is_not_touched():
    classifier = model().train()
    explain(classifier, "a dull film", dataset_reader=reader())
    assert classifier.training and classifier.encoder.training


@pytest.mark.parametrize(
    "text, options, sentence",
    [
        ("a", {"methods": ["lrx"]}, "there is no interpreter 'lrx'"),
        ("a", {"target": "good"}, "target is 'good'"),
        (" ", {}, "the text is empty"),
        ([1, 2], {}, "field 'tokens' is not a list of texts"),
        ("a", {"dataset_reader": None}, "a model needs the dataset_reader"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text, options, sentence):
    with pytest.raises(ConfigurationError, match=sentence):
        explain(model(), text, **{"dataset_reader": reader(), **options})


def test_a_folder_or_file_that_holds_no_model_is_named(tmp_path):
    (tmp_path / "notes.txt").write_text("no archive")
    with pytest.raises(ConfigurationError, match=r"notes.txt: is not a model archive"):
        explain(tmp_path / "notes.txt", "a")
    with pytest.raises(ConfigurationError, match="the folder of no training run"):
        explain(tmp_path, "a")
    with pytest.raises(FileNotFoundError, match="absent"):
        explain(tmp_path / "absent", "a")


def example(**changes) -> Explanation:
    values = {
        "tokens": ["a", "film", "電影", "x" * 40, "\x1b[2J"],
        "label": "good",
        "labels": ["good", "bad"],
        "probs": [0.75, 0.25],
        "scores": {"attention": [0.0, 0.5, 0.25, 0.25, 0.0], "lrp": [-0.02, 0.01, 0.0, 0.0, 0.0]},
    }
    return Explanation(**{**values, **changes})


def test_a_terminal_shows_a_token_a_line_aligned():
    lines = render(example(gold="bad", target="bad"), colour=False).splitlines()
    assert lines[0] == "predicted good (good 0.750, bad 0.250); gold bad; explained bad"
    assert lines[2].split() == ["token", "attention", "lrp"]
    assert len(lines) == 3 + 5
    assert lines[4].split() == ["film", "0.500", "██████", "0.0100", "███"]
    assert lines[3].split() == ["a", "0.000", "-0.0200", "██████"]
    # Nothing in a token can move the cursor, and wide characters keep the columns.
    assert "\x1b" not in "".join(lines)
    assert len({columns(line[: line.index(".")]) for line in lines[3:]}) == 1


def test_colour_only_where_it_is_wanted(monkeypatch):
    assert "\x1b" not in str(example(tokens=["a", "b", "c", "d", "e"]))
    coloured = render(example(), colour=True)
    assert "\x1b[38;5;33m" in coloured and "\x1b[38;5;208m" in coloured


def test_many_methods_are_broken_into_blocks_that_fit(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    scores = {f"method-number-{n}": [0.1, 0.2, 0.3, 0.4, 0.5] for n in range(7)}
    shown = render(example(scores=scores), colour=False)
    assert max(map(columns, shown.splitlines())) <= 60
    assert all(name in shown for name in scores)


def test_a_method_that_failed_says_why():
    failed = example(scores={"lrp": None}, skipped={"lrp": "a score that is not finite"})
    assert str(failed).splitlines()[-1] == "lrp: no scores, a score that is not finite"


def test_fitted_cuts_and_fills_to_the_width():
    assert fitted("abc", 5) == "abc  "
    assert fitted("abcdef", 5) == "abcd…"
    assert columns(fitted("電影電影", 5)) == 5


def test_a_notebook_gets_a_heatmap():
    shown = example()._repr_html_()
    assert shown.startswith("<div class=ae><style>") and "<article>" in shown
    assert shown.count("<th scope=row>") == 2


def test_to_dict_is_json_with_short_numbers():
    explained = explain(model(), TEXTS[0], METHODS, dataset_reader=reader())
    values = json.loads(json.dumps(explained.to_dict()))
    assert values["saliency"]["random"] == pytest.approx(explained.scores["random"], rel=1e-6)
    assert max(len(str(number)) for number in values["saliency"]["random"]) <= 11
    assert short([0.30000001192092896, 1, float("1e-20")]) == [0.3, 1, 1e-20]


def test_it_is_in_the_package():
    import attention_explain

    assert attention_explain.explain is explain
    assert os.path.basename(attention_explain.__file__) == "__init__.py"
