"""What `attribute`, `perturb` and `predict` make of texts: split, cut, unlabelled, unknown words."""

import json
import shutil

import pyarrow.parquet
import pytest
from allennlp.models import archive_model

from attention_explain.api import explain
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.perturb import perturb_from_file
from attention_explain.errors import InputError
from attention_explain.files.attributions import FORMAT
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.small_archive import small_archive

READER = {"type": "attention_text", "tokenizer": "just_spaces", "max_tokens": 3}
COMMANDS = {
    "attribute": lambda *given, **options: attribute_from_file(*given, ["attention"], **options),
    "perturb": lambda *given, **options: perturb_from_file(*given, ["uniform"], **options),
}


@pytest.fixture
def write(tmp_path):
    def lines(name: str, *records) -> str:
        (tmp_path / name).write_text("".join(json.dumps(record) + "\n" for record in records))
        return str(tmp_path / name)

    return lines


@pytest.fixture
def archive(tmp_path, write):
    """Of a model trained on strings, or on their tokens."""

    def make(field: str = "text", **options):
        train = write(
            "train.jsonl",
            {"tokens": ["a", "b"], "text": "a b", "label": "x"},
            {"tokens": ["c"], "text": "c", "label": "y"},
        )
        other = {"text": "tokens", "tokens": "text"}[field]
        reader = {**READER, **options, "fields": {other: "nothing"}}
        made = small_archive(tmp_path / field, reader=reader, train=train)
        # What is explained may have either.
        config = made.parent / "config.json"
        changed = json.loads(config.read_text())
        del changed["dataset_reader"]["fields"]
        config.write_text(json.dumps(changed))
        return made.parent

    return make


@pytest.mark.parametrize("command", COMMANDS)
def test_strings_are_rejected_by_a_model_trained_on_tokens(archive, write, tmp_path, command):
    run, output = COMMANDS[command], tmp_path / "out.parquet"
    given = str(archive("tokens"))
    strings, tokens = write("s.jsonl", {"text": "a d"}), write("t.jsonl", {"tokens": ["a", "d"]})
    with pytest.raises(InputError, match=r"s.jsonl: the model was trained on .* as tokens"):
        run(given, strings, output)
    assert not output.exists()
    run(given, tokens, output)
    run(given, strings, output, split_text=True, force=True)
    assert pyarrow.parquet.read_table(output)["tokens"].to_pylist() == [["a", "d"]]


def test_one_string_is_rejected_and_its_tokens_are_taken(archive):
    run = archive("tokens")
    with pytest.raises(InputError, match="give its 'tokens' instead"):
        explain(run, "a d", ["attention"])
    assert explain(run, ["a", "d"], ["attention"]).unknown == [0, 1]
    assert explain(run, "a d", ["attention"], split_text=True).tokens == ["a", "d"]
    predictor = SaliencyPredictor.from_path(str(run), "saliency", interpreters=["attention"])
    with pytest.raises(InputError, match="^line 1 of the input .*given as tokens"):
        predictor.predict_json(predictor.load_line("a d"))


@pytest.mark.parametrize("archived", [True, False])
def test_an_older_archive_works_and_says_what_it_cannot_tell(
    archive, write, tmp_path, caplog, archived
):
    run = archive("tokens")
    (run / "vocabulary" / "text_origin_tags.txt").unlink()
    if archived:
        archive_model(run)
    given = run / "model.tar.gz" if archived else run
    data = write("data.jsonl", {"text": "a d", "label": "x"})
    attribute_from_file(str(given), data, tmp_path / "out.parquet", ["attention"])
    assert caplog.text.count("does not record how its training texts were split") == 1
    caplog.clear()
    predictor = SaliencyPredictor.from_path(str(given), "saliency", interpreters=["attention"])
    predictor.predict_batch_json([{"text": "a"}, {"text": "b"}])
    assert caplog.text.count("does not record how its training texts were split") == 1


def test_an_archive_keeps_how_its_tokens_came_about(archive, tmp_path):
    moved = shutil.copy(archive("tokens") / "model.tar.gz", tmp_path / "moved.tar.gz")
    with pytest.raises(InputError, match="given as tokens"):
        explain(moved, "a d", ["attention"])


@pytest.mark.parametrize("command", COMMANDS)
def test_texts_need_no_label(archive, write, tmp_path, command):
    data = write("data.jsonl", {"text": "a b"}, {"text": "c", "label": "y"})
    COMMANDS[command](str(archive()), data, tmp_path / "out.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet")["label"].to_pylist() == [None, "y"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "options, kept, said",
    [
        ({}, [["c"]], "1 of 2 texts dropped: 1 with more than 3 tokens"),
        ({"too_long": "cut"}, [["a", "b", "c"], ["c"]], "1 of 2 texts cut: 1 to 3 tokens"),
    ],
)
def test_dropped_and_cut_texts_are_told(
    archive, write, tmp_path, capsys, command, options, kept, said
):
    data = write("data.jsonl", {"text": "a b c d"}, {"text": "c"})
    metadata = COMMANDS[command](str(archive(**options)), data, tmp_path / "out.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet")["tokens"].to_pylist() == kept
    assert said in capsys.readouterr().err
    assert metadata["texts"] == {
        "kept": len(kept),
        "dropped": {} if options else {"with more than 3 tokens": 1},
        "cut": {"to 3 tokens": 1} if options else {},
    }


def test_unknown_tokens_are_a_column_and_a_share(archive, write, tmp_path, capsys):
    data = write("data.jsonl", {"text": "a d e"}, {"text": "c"})
    path, page = tmp_path / "out.parquet", tmp_path / "page.html"
    run = archive(boundary_symbols=True)
    attribute_from_file(str(run), data, path, ["attention"], html=str(page))
    assert pyarrow.parquet.read_table(path)["unknown"].to_pylist() == [[0, 1, 1], [0]]
    counts = {"tokens": 4, "unknown": 2, "texts": 1}
    assert FORMAT.read_metadata(path)["unknown_tokens"] == counts
    share = "50.0 % of the tokens are unknown to the model (2 of 4, in 1 texts)"
    assert share in capsys.readouterr().err
    assert page.read_text().count(", unknown") == 2
