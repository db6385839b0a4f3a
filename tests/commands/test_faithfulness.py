"""`allennlp faithfulness`: the file, its metadata, whose scores it takes, and what it rejects."""

import itertools
import json
import sys
from functools import partial
from pathlib import Path

import numpy
import pyarrow
import pyarrow.parquet
import pytest
import torch
from allennlp.common.checks import ConfigurationError

from attention_explain import defaults
from attention_explain.__main__ import main
from attention_explain.archives import open_archive
from attention_explain.commands import batches
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.faithfulness import (
    faithfulness_from_file,
)
from attention_explain.errors import InputError
from attention_explain.faithfulness.evaluator import Evaluator
from attention_explain.faithfulness.faithfulness import MEASURES as ALL_MEASURES
from attention_explain.faithfulness.removal import ERASURES
from attention_explain.files.faithfulness import FORMAT
from attention_explain.interpret.text_batch import TextBatch
from tests.commands.stopping import stop_after
from tests.small_archive import small_archive

METHODS = ["attention", "gradient-x-input", "random"]
MEASURES = ["comprehensiveness", "deletion_curve", "decision_flip"]
# Few tokens, so that the texts fall into several parts.
TOKENS = 60
TEXTS = 5
# As little as can be.
SEARCH = {"width": 1, "candidates": 2, "exact": 0}


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    return small_archive(tmp_path_factory.mktemp("faithfulness") / "run")


@pytest.fixture(scope="module")
def attributions(archive, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.parquet"
    attribute_from_file(str(archive), "test", path, METHODS, limit=TEXTS)
    return path


@pytest.fixture
def judge(archive, attributions, tmp_path):
    """The command; the file that it writes."""

    def run(name: str = "out.parquet", scores: Path = attributions, **options) -> Path:
        options = {
            "measures": MEASURES,
            "erasures": ["delete"],
            "batch_tokens": TOKENS,
            "random_orders": 5,
            "search": SEARCH,
            **options,
        }
        faithfulness_from_file(str(archive), str(scores), tmp_path / name, **options)
        return tmp_path / name

    return run


def rows_of(path: Path):
    return pyarrow.parquet.read_table(path).to_pylist()


def metadata_of(path: Path):
    return FORMAT.read_metadata(path)


def test_values_are_those_of_an_independent_reference(archive, attributions, judge):
    """Each set as a text of its own, one pass each, with the archive's own model."""
    model = open_archive(archive).model
    reader = open_archive(archive).validation_dataset_reader
    texts = {row["id"]: row for row in rows_of(attributions)}
    rows = rows_of(judge(measures=["comprehensiveness"]))
    checked = 0

    @torch.no_grad()
    def probability(words, label):
        if not words:
            return float(model.decoder.bias.double().softmax(-1)[label])
        instance = reader.text_to_instance(tokens=words)
        reader.apply_token_indexers(instance)
        batch = TextBatch.of(model, [instance])
        states = model.encode(model.embed(batch.tokens), batch.inputs)
        logits = model.decode(states, model.attend(states, batch.inputs))
        return float(logits.double().softmax(-1)[0, label])

    for row in rows:
        text = texts[row["id"]]
        if row["method"] not in METHODS[:2] or row["measure"] != "comprehensiveness":
            continue
        scores, words = text[row["method"]], text["tokens"]
        if row["k"] is None or len(set(scores)) < len(scores):
            continue
        label = model.labels.index(text["predicted"])
        number = max(1, int(row["k"] * len(words) + 0.5))
        gone = sorted(range(len(words)), key=lambda position: -scores[position])[:number]
        left = [word for position, word in enumerate(words) if position not in gone]
        expected = probability(words, label) - probability(left, label)
        assert row["value"] == pytest.approx(expected, abs=1e-6)
        checked += 1
    assert checked >= TEXTS * 5


def test_the_columns_are_those_of_the_contract(judge):
    path = judge()
    kinds = {field.name: str(field.type) for field in pyarrow.parquet.read_schema(path)}
    assert kinds == {
        "id": "string",
        "label": "string",
        "predicted": "string",
        "method": "string",
        "measure": "string",
        "erasure": "string",
        "k": "float",
        "value": "double",
        "normalised": "double",
        "curve": "list<element: float>",
        "undefined": "string",
        "errors": "list<element: float>",
        "reliability": "float",
    }
    rows = rows_of(path)
    assert {row["method"] for row in rows} == {*METHODS[:2], "random", "search"}
    assert len({row["id"] for row in rows}) == TEXTS
    keys = [
        tuple(row[name] for name in ("id", "method", "measure", "erasure", "k")) for row in rows
    ]
    assert len(set(keys)) == len(keys)
    bins = {row["k"] for row in rows if row["measure"] == "comprehensiveness"}
    assert bins - {None} == {float(numpy.float32(k)) for k in (0.01, 0.05, 0.1, 0.2, 0.5)}
    tied = [row for row in rows if row["measure"] == "tied"]
    assert len(tied) == 2 * TEXTS and all(0 <= row["value"] <= 1 for row in tied)
    for row in rows:
        assert (row["value"] is None) == (row["undefined"] is not None)
        assert (row["curve"] is None) == (
            row["measure"] != "deletion_curve" or row["method"] == "search"
        )


def test_texts_are_in_the_order_of_the_data_and_rows_of_a_text_together(judge, attributions):
    ids = [row["id"] for row in rows_of(judge())]
    assert list(dict.fromkeys(ids)) == [row["id"] for row in rows_of(attributions)]
    assert sum(one != other for one, other in itertools.pairwise(ids)) == TEXTS - 1


def test_metadata_say_what_was_measured_and_how(archive, attributions, judge):
    named = {"type": "comprehensiveness", "bins": [0.3], "name": "third"}
    metadata = metadata_of(judge(measures=[*MEASURES, named], seed=4, search={"width": 2}))
    assert metadata["format"] == 1 and metadata["archive"] == str(archive)
    assert metadata["data"] == "test" and metadata["instances"] == TEXTS
    assert metadata["attributions"]["path"] == str(attributions)
    assert metadata["attributions"]["sha256"] == metadata["reads"][str(attributions)]
    assert list(metadata["methods"]) == METHODS[:2]
    assert metadata["methods"]["attention"]["signed"] is False
    about = metadata["measures"]
    assert about["third"]["parameters"]["bins"] == [0.3] and about["third"]["of"] == "third"
    assert about["normalised_third"]["higher_is_better"] is True
    assert about["deletion_curve"]["higher_is_better"] is False
    assert about["decision_flip_never"]["of"] == "decision_flip"
    assert about["comprehensiveness"]["in_order"] and about["comprehensiveness"]["erasures"]
    assert metadata["erasures"] == {"delete": {"type": "delete"}}
    assert metadata["by"] == "signed" and metadata["random_orders"] == 5
    assert metadata["search"] == {"width": 2, "candidates": 8, "exact": 10, "singles": 256}
    assert metadata["seed"] == 4 and metadata["skipped"] == {}
    assert set(metadata["seconds"]) == {"delete"}


def test_the_budget_changes_no_result(judge):
    one, other = rows_of(judge("one.parquet")), rows_of(judge("two.parquet", batch_tokens=9999))
    for row, same in zip(one, other, strict=True):
        for name in ("value", "curve"):
            assert row.pop(name) == pytest.approx(same.pop(name), abs=1e-5)
        # On a scale that is short it is anything.
        assert {**row, "normalised": None} == {**same, "normalised": None}


def test_parts_of_one_text_and_one_erasure_change_no_result(judge, monkeypatch, capsys):
    """As of a large model: whatever is stopped loses no more than that."""
    judge = partial(judge, measures=["sufficiency"], erasures=["delete", "zero"], limit=3)
    one = rows_of(judge("one.parquet"))
    monkeypatch.setattr(batches, "CHUNK_COST", 1.0)
    with monkeypatch.context() as patched:
        stop_after(3, Evaluator, "evaluate_batch", patched, KeyboardInterrupt())
        with pytest.raises(SystemExit):
            judge()
    folder = Path(capsys.readouterr().err.split("work is in ")[1].split(";")[0])
    assert len(list(folder.glob("*.parquet"))) == 3
    done = []
    judged = Evaluator.evaluate_batch
    monkeypatch.setattr(
        Evaluator,
        "evaluate_batch",
        lambda self, *rest: done.append(rest[-1]) or judged(self, *rest),
    )
    other = rows_of(judge())
    assert sorted(done) == [["delete"], ["zero"], ["zero"]]
    for row, same in zip(one, other, strict=True):
        for name in ("value", "curve", "normalised"):
            row[name] = pytest.approx(row[name], abs=1e-5)
        assert row == same
    assert set(metadata_of(judge("two.parquet"))["seconds"]) == {"delete", "zero"}


def test_a_stopped_run_goes_on_and_ends_as_an_unbroken_one(judge, monkeypatch, capsys):
    half = {"type": "sufficiency", "bins": [0.5]}
    judge = partial(judge, measures=[half], batch_tokens=20, limit=4)
    whole = pyarrow.parquet.read_table(judge("whole.parquet"))
    stop_after(2, Evaluator, "evaluate_batch", monkeypatch, KeyboardInterrupt())
    with pytest.raises(SystemExit):
        judge()
    folder = Path(capsys.readouterr().err.split("work is in ")[1].split(";")[0])
    assert len(list(folder.glob("*.parquet"))) == 2
    with pytest.raises(InputError, match="--by is .* now and was .*; give the same options"):
        judge(by="size")
    monkeypatch.undo()
    assert pyarrow.parquet.read_table(judge()).equals(whole) and not folder.exists()


def test_several_erasures_stand_next_to_each_other(judge):
    rows = rows_of(judge(measures=["sufficiency"], erasures=["delete", "zero"], limit=3))
    values = {
        (row["id"], row["method"], row["k"], row["erasure"]): row["value"]
        for row in rows
        if row["measure"] == "sufficiency"
    }
    assert {key[3] for key in values} == {"delete", "zero"}
    other = [values[key] != values[(*key[:3], "zero")] for key in values if key[3] == "delete"]
    assert any(other)


def test_where_nobody_names_erasures_it_is_those_that_the_model_allows(judge):
    path = judge(measures=["comprehensiveness"], erasures=None, limit=1)
    assert list(metadata_of(path)["erasures"]) == ["delete", "zero", "unk"]


def test_some_methods_and_some_texts(judge):
    path = judge(methods=["attention"], limit=3)
    rows = rows_of(path)
    assert {row["method"] for row in rows} == {"attention", "random", "search"}
    assert len({row["id"] for row in rows}) == 3
    with pytest.raises(InputError, match="has no method 'lime'; it has attention, grad"):
        judge("other.parquet", methods=["lime"])


def elsewhere(attributions: Path, path: Path, change=lambda row: row) -> Path:
    """The same texts and scores as somebody else would write them."""
    rows = [
        change({"id": row["id"], "tokens": row["tokens"], "mine": row["gradient-x-input"]})
        for row in rows_of(attributions)
    ]
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        lines = [list(rows[0])]
        lines += [[row["id"], *map(json.dumps, list(row.values())[1:])] for row in rows]
        quoted = [['"' + cell.replace('"', '""') + '"' for cell in line] for line in lines]
        path.write_text("".join(",".join(line) + "\n" for line in quoted))
    return path


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "csv"])
def test_scores_from_elsewhere_are_judged_as_ours_are(judge, attributions, tmp_path, suffix):
    scores = elsewhere(attributions, tmp_path / f"mine.{suffix}")
    with pytest.raises(InputError, match="does not say which data.*--data"):
        judge(scores=scores)
    rows = rows_of(judge(scores=scores, data="test", limit=3))
    ours = {
        tuple(row[name] for name in ("id", "measure", "k")): row["value"]
        for row in rows_of(judge("ours.parquet", limit=3))
        if row["method"] == "gradient-x-input"
    }
    theirs = {
        tuple(row[name] for name in ("id", "measure", "k")): row["value"]
        for row in rows
        if row["method"] == "mine"
    }
    # Other methods next to it are other sets in a pass, and other last digits.
    assert len(ours) > 45 and theirs.keys() == ours.keys()
    for key, value in ours.items():
        assert theirs[key] == pytest.approx(value, abs=1e-6)


def test_columns_that_are_no_scores_are_left_alone_where_methods_are_named(
    judge, attributions, tmp_path
):
    def change(row):
        return {**row, "split": "test", "random": 3, "text": "a text", "mine.flagged": 0}

    scores = elsewhere(attributions, tmp_path / "mine.jsonl", change)
    path = judge(scores=scores, data="test", methods=["mine"], limit=1, measures=["sufficiency"])
    assert {row["method"] for row in rows_of(path)} == {"mine", "random", "search"}
    scores = elsewhere(attributions, scores, lambda row: dropped("random")(change(row)))
    with pytest.raises(InputError, match="line 1, 'split': must be a list of numbers"):
        judge("other.parquet", scores=scores, data="test")


def test_texts_without_scores_have_rows_that_say_why(judge, attributions, tmp_path, capsys):
    empty, broken = (row["id"] for row in rows_of(attributions)[:2])

    def change(row):
        if row["id"] == empty:
            row["mine"] = None
        if row["id"] == broken:
            row["mine"] = [None] * len(row["tokens"])
        return row

    scores = elsewhere(attributions, tmp_path / "mine.jsonl", change)
    path = judge(scores=scores, data="test")
    rows = [row for row in rows_of(path) if row["method"] == "mine"]
    reasons = {empty: "the file has no scores", broken: "a score is not a finite number"}
    for row in rows:
        if row["id"] in reasons:
            assert row["value"] is None and row["undefined"] == reasons[row["id"]]
        elif not row["measure"].startswith("normalised"):
            assert row["value"] is not None
    numbers = {id: sum(row["id"] == id for row in rows) for id in {row["id"] for row in rows}}
    assert len(numbers) == TEXTS and len(set(numbers.values())) == 1
    assert metadata_of(path)["skipped"] == {"mine": dict.fromkeys(reasons.values(), 1)}
    assert "mine has no scores for 1 texts: the file has no scores" in capsys.readouterr().err


def changed(name, value):
    def change(row):
        row[name] = value(row[name]) if callable(value) else value
        return row

    return change


def dropped(name):
    return lambda row: {key: value for key, value in row.items() if key != name}


def from_line(line, name, value):
    """Scores in the lines before."""
    lines = itertools.count(1)

    def change(row):
        here = next(lines)
        row[name] = [float(here)] * len(row["tokens"]) if here < line else value
        return row

    return change


@pytest.mark.parametrize(
    "change, sentence",
    [
        (changed("id", lambda id: "x" + id), "5 of 5 requested texts are missing"),
        (
            changed("tokens", lambda words: ["no", *words[1:]]),
            "has other tokens there than in test",
        ),
        (changed("tokens", None), "line 1: 'tokens' must be a list of words"),
        (changed("id", None), "line 1: has no 'id'"),
        (changed("id", "same"), "line 2: the id 'same' is there twice"),
        (changed("mine", lambda scores: scores[1:]), "line 1, 'mine': has .* scores for"),
        (changed("mine", "much"), "line 1, 'mine': must be a list of numbers.*but is 'much'"),
        (changed("theirs", "0.1 0.2 0.3"), "line 1, 'theirs': must be a list of numbers"),
        (changed("theirs", ["0.1", "0.2"]), "line 1, 'theirs': must be a list of numbers"),
        (changed("theirs", [[0.1], [0.2]]), "line 1, 'theirs': must be a list of numbers"),
        (changed("theirs", {"a": 0.1}), "line 1, 'theirs': must be a list of numbers"),
        (changed("theirs", 0.5), "line 1, 'theirs': must be a list of numbers, .* with --methods"),
        (changed("theirs", [True, False]), "line 1, 'theirs': must be a list of numbers"),
        (changed("theirs", []), "line 1, 'theirs': has 0 scores for"),
        (from_line(3, "theirs", "0.1"), "line 3, 'theirs': must be a list of numbers"),
        (changed("random", [0.1]), "a method cannot be called 'random'.*rename the column"),
        (changed("search", [0.1]), "a method cannot be called 'search'.*rename the column"),
        (dropped("mine"), "has no method; each is a column with a list of numbers"),
        (changed("target", "sad"), "explains the label 'sad', which the model does not know"),
    ],
)
def test_what_is_wrong_with_scores_is_said_before_any_work(
    judge, attributions, tmp_path, monkeypatch, change, sentence
):
    monkeypatch.setattr(Evaluator, "evaluate_batch", lambda *given: pytest.fail("work was begun"))
    scores = elsewhere(attributions, tmp_path / "mine.jsonl", change)
    with pytest.raises(InputError, match=sentence):
        judge(scores=scores, data="test")
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"measures": ["fidelity"]}, "there is no measure 'fidelity'"),
        ({"measures": [{"type": "sufficiency", "bin": 1}]}, "measure 'sufficiency': "),
        (
            {"erasures": ["blank"]},
            "there is no removal method 'blank'; there are attention-mask, delete, marginal",
        ),
        (
            {"erasures": ["mask"]},
            "removal method 'mask' is for models that were trained with masked",
        ),
        ({"erasures": ["marginal"]}, "give the training data"),
        ({"random_orders": 4}, "random_orders is 4, but must be 5 or more"),
        ({"search": {"width": 0}}, "width is 0"),
        ({"search": {"depth": 1}}, "depth"),
        ({"by": "rank"}, "by is 'rank'"),
        ({"limit": 0}, "--limit is 0"),
    ],
)
def test_what_is_wrong_with_options_is_said_before_any_work(judge, tmp_path, options, sentence):
    with pytest.raises((ConfigurationError, InputError), match=sentence):
        judge(**options)
    assert not list(tmp_path.iterdir())


def test_frequencies_for_marginal_can_be_counted_in_the_training_data(judge):
    erasure = {"type": "marginal", "data": "train", "draws": 2}
    path = judge(measures=["comprehensiveness"], erasures=[erasure], limit=2)
    assert {row["erasure"] for row in rows_of(path)} == {None, "marginal"}


def test_ties_are_told(judge, attributions, tmp_path, capsys):
    def halved(row):
        row["mine"] = [float(position % 2) for position in range(len(row["tokens"]))]
        return row

    scores = elsewhere(attributions, tmp_path / "mine.jsonl", halved)
    judge(scores=scores, data="test", measures=["sufficiency"], limit=2)
    assert "mine: 100 % of the tokens have tied scores" in capsys.readouterr().err


def test_scores_of_another_model_are_rejected(attributions, tmp_path):
    other = small_archive(tmp_path / "other", "cnn")
    with pytest.raises(InputError, match="its scores are of another model than .*other"):
        faithfulness_from_file(str(other), str(attributions), tmp_path / "out.parquet")


def test_another_label_than_the_predicted_one_is_judged_by_its_own_probability(
    archive, judge, tmp_path
):
    values = {}
    for label in open_archive(archive).model.labels:
        scores = tmp_path / f"{label}.parquet"
        attribute_from_file(
            str(archive), "test", scores, ["gradient-x-input"], target=label, limit=3
        )
        path = judge(f"of-{label}.parquet", scores=scores)
        assert metadata_of(path)["target"] == label
        for row in rows_of(path):
            if row["measure"] == "deletion_curve" and row["method"] == "gradient-x-input":
                values.setdefault(row["id"], []).append(row["curve"][0])
    assert len(values) == 3
    # Probabilities of the whole text, one a label.
    assert all(sum(starts) == pytest.approx(1.0, abs=1e-5) for starts in values.values())


def test_a_text_of_one_token(tmp_path):
    reader = {"type": "attention_text"}
    train = tmp_path / "train.jsonl"
    train.write_text('{"text": "a", "label": "x"}\n{"text": "c d", "label": "y"}\n')
    archive = small_archive(tmp_path / "run", reader=reader, train=str(train))
    attribute_from_file(str(archive), str(train), tmp_path / "a.parquet", ["attention"])
    faithfulness_from_file(str(archive), str(tmp_path / "a.parquet"), tmp_path / "out.parquet")
    rows = [row for row in rows_of(tmp_path / "out.parquet") if row["id"].endswith("1")]
    assert rows and all(row["normalised"] is None for row in rows)
    (tau,) = {row["undefined"] for row in rows if row["measure"] == "leave_one_out_correlation"}
    assert "the same" in tau


def test_the_command_line(archive, attributions, tmp_path, monkeypatch, capsys):
    command = ["faithfulness", str(archive), str(attributions), "-o", "out.parquet", "--limit", "2"]
    command += ["--measures", "sufficiency", json.dumps({"type": "decision_flip", "name": "flip"})]
    command += ["--erasures", "zero", "--by", "size", "--search", '{"width": 3}', "--seed", "3"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["allennlp", *command])
    main()
    metadata = metadata_of(Path("out.parquet"))
    assert metadata["by"] == "size" and metadata["search"]["width"] == 3 and metadata["seed"] == 3
    assert "flip_never" in metadata["measures"]
    assert (
        "(0 = random order, 1 = best order found), words removed by zero" in capsys.readouterr().err
    )


def test_a_search_that_is_no_json_is_rejected(ended, archive, attributions):
    code, said = ended(
        "faithfulness", str(archive), str(attributions), "-o", "x.parquet", "--search", "{wide"
    )
    assert code != 0 and "--search" in said and "is not JSON" in said


def test_every_measure_can_judge_the_methods_of_an_attribution_file(judge):
    small = {
        "soft_comprehensiveness": {"draws": 2},
        "soft_sufficiency": {"draws": 2},
        "infidelity": {"samples": 4},
        "sensitivity": {"samples": 1},
    }
    configs = [{"type": name, **small.get(name, {})} for name in ALL_MEASURES.known()]
    rows = rows_of(judge(measures=configs, limit=2))
    for name in ALL_MEASURES.known():
        found = [row for row in rows if row["measure"] == name and row["method"] in METHODS[:2]]
        assert {row["method"] for row in found} == set(METHODS[:2])
        # The texts of this model leave nothing to divide by, at times; attention has no sign, and the texts are
        # no edited pairs.
        may_lack = name.startswith("soft") or name in ("direction", "edit_effect")
        assert all(row["value"] is not None or may_lack for row in found), name


def test_the_file_says_how_the_effects_of_words_were_estimated(judge):
    path = judge(measures=["relevance", "direction"], erasures=["delete", "zero"], limit=3)
    metadata = metadata_of(path)
    assert set(metadata["samplings"]) == {"relevance", "direction"}
    for of_measure in metadata["samplings"].values():
        for sampling in (of_measure["delete"], of_measure["zero"]):
            assert sampling["permutations"] >= 16 and sampling["texts"] == 3
            assert sampling["output"] in sampling["reliability"]
    rows = [row for row in rows_of(path) if row["method"] == "search"]
    assert len(rows) == 3 * 2 * 2
    for row in rows:
        assert len(row["curve"]) == len(row["errors"]) and 0 <= row["reliability"] <= 1


def test_methods_of_elsewhere_cannot_be_applied_again(judge, attributions, tmp_path):
    scores = elsewhere(attributions, tmp_path / "mine.jsonl")
    names = ["parameter_randomization", "sensitivity", "input_shift"]
    path = judge(scores=scores, data="test", measures=names, limit=2)
    rows = [row for row in rows_of(path) if row["measure"] != "tied"]
    assert rows and all("cannot be recomputed" in row["undefined"] for row in rows)
    (count,) = metadata_of(path)["undefined"]["sensitivity"].values()
    assert count == 2


def test_the_help_names_every_measure_and_erasure():
    assert {*defaults.MEASURES, *defaults.OTHER_MEASURES} == set(ALL_MEASURES.known())
    assert set(defaults.ALL_ERASURES) == set(ERASURES.known())
