"""`allennlp attribute`: the file, its metadata, what is rejected, and life after a kill."""

import errno
import json
import os
import signal
import sys
from pathlib import Path

import numpy
import pyarrow.parquet
import pytest
import torch
from filelock import FileLock

import attention_explain
from attention_explain import defaults
from attention_explain.__main__ import main
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.chunks import ChunkStore
from attention_explain.errors import InputError
from attention_explain.files.attributions import FORMAT
from attention_explain.interpret.explainer import Explainer
from attention_explain.interpret.gradient import GradientXInput
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.builders import DIM
from tests.commands.stopping import stop_after
from tests.commands_run import forked_allennlp
from tests.small_archive import small_archive

METHODS = [
    "attention",
    "gradient-x-input",
    {"type": "integrated-gradients", "steps": 4},
    {"type": "integrated-gradients", "steps": 2, "name": "coarse"},
    "random",
]
NAMES = ["attention", "gradient-x-input", "integrated-gradients", "coarse", "random"]
# Few tokens, so that the test split of 24 texts falls into many chunks.
TOKENS = 60


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    return small_archive(tmp_path_factory.mktemp("attribute") / "run")


@pytest.fixture
def explain(archive, tmp_path):
    """The command, on the test split; the file that it writes."""

    def run(name: str = "scores.parquet", **options) -> Path:
        options = {"interpreters": METHODS, "batch_tokens": TOKENS, **options}
        attribute_from_file(str(archive), "test", tmp_path / name, **options)
        return tmp_path / name

    return run


@pytest.fixture
def stopped(monkeypatch):
    """Lets the work end at its n-th batch, as by the given exception."""

    def stop(after: int, error: BaseException) -> None:
        stop_after(after, Explainer, "explain_batch", monkeypatch, error)

    yield stop
    monkeypatch.undo()


def instances(archive):
    predictor = SaliencyPredictor.from_path(archive, "saliency", interpreters=METHODS)
    return predictor, list(predictor._dataset_reader.read("test"))


def test_one_row_a_text_in_the_order_of_the_data(archive, explain):
    predictor, texts = instances(archive)
    table = pyarrow.parquet.read_table(explain()).to_pylist()
    assert [row["id"] for row in table] == [text["metadata"].metadata["id"] for text in texts]
    for row, expected in zip(table, predictor.explain(texts), strict=True):
        assert row["tokens"] == expected.tokens
        assert row["label"] == expected.gold and row["predicted"] == expected.label
        assert row["rationale"] == expected.rationale
        assert row["contrary"] == expected.contrary
        assert row["probs"] == pytest.approx(expected.probs, abs=1e-6)
        for name in NAMES:
            assert row[name] == pytest.approx(expected.scores[name], abs=1e-6)
        for check, value in expected.checks["coarse"].items():
            assert row[f"coarse.{check}"] == pytest.approx(value, abs=1e-6)


def test_the_columns_are_those_of_the_contract(explain):
    schema = pyarrow.parquet.read_schema(explain())
    floats = "list<element: float>"
    assert {field.name: str(field.type) for field in schema} == {
        "id": "string",
        "tokens": "list<element: string>",
        "label": "string",
        "predicted": "string",
        "probs": floats,
        "rationale": "list<element: int8>",
        "contrary": "list<element: int8>",
        "unknown": "list<element: int8>",
        **dict.fromkeys(NAMES, floats),
        "integrated-gradients.convergence_delta": "float",
        "integrated-gradients.flagged": "int32",
        "coarse.convergence_delta": "float",
        "coarse.flagged": "int32",
    }


def test_metadata_say_where_the_scores_come_from(archive, explain):
    metadata = FORMAT.read_metadata(explain(seed=5))
    assert metadata["format"] == 1 and metadata["archive"] == str(archive)
    assert len(metadata["archive_sha256"]) == len(metadata["data_sha256"]) == 64
    assert metadata["config"]["model"]["type"] == "attention_classifier"
    assert metadata["labels"] == ["0", "1"] or metadata["labels"] == ["1", "0"]
    assert metadata["data"] == "test" and metadata["instances"] == 24
    assert metadata["target"] is None and metadata["batch_tokens"] == TOKENS
    assert list(metadata["interpreters"]) == NAMES
    coarse = metadata["interpreters"]["coarse"]
    assert coarse["parameters"]["steps"] == 2 and coarse["parameters"]["rule"] == "gauss_legendre"
    assert coarse["signed"] and coarse["deterministic"] and coarse["passes"].startswith("2 ")
    assert metadata["seeds"] == {"random": 5}
    assert set(metadata["seconds"]) == set(NAMES)
    assert metadata["skipped"] == {}
    assert metadata["checks"]["coarse.convergence_delta"]["largest_absolute"] >= 0
    assert metadata["versions"]["attention_explain"] == attention_explain.__version__
    assert {"torch", "allennlp", "captum", "python"} <= set(metadata["versions"])


def test_the_budget_changes_no_score(explain):
    one = pyarrow.parquet.read_table(explain("one.parquet")).to_pylist()
    other = pyarrow.parquet.read_table(explain("other.parquet", batch_tokens=100000)).to_pylist()
    for row, same in zip(one, other, strict=True):
        for name in NAMES:
            assert row[name] == pytest.approx(same[name], abs=1e-6)


def test_limit_and_target(archive, explain):
    predictor, texts = instances(archive)
    table = pyarrow.parquet.read_table(explain(limit=5, target="1")).to_pylist()
    assert len(table) == 5
    method = predictor.interpreters["gradient-x-input"]
    # From the whole of the data, which may be sorted.
    spread = [texts[position * len(texts) // 5] for position in range(5)]
    expected = method.saliency_interpret_instances(spread, target="1")
    for row, result in zip(table, expected, strict=True):
        assert row["gradient-x-input"] == pytest.approx(result["scores"], abs=1e-6)


def test_a_stopped_run_goes_on_and_ends_as_an_unbroken_one(explain, stopped, monkeypatch, capsys):
    whole = pyarrow.parquet.read_table(explain("whole.parquet"))
    stopped(4, KeyboardInterrupt())
    with pytest.raises(SystemExit) as end:
        explain()
    assert end.value.code == 130
    folder = Path(capsys.readouterr().err.split("work is in ")[1].split(";")[0])
    # The first batch was the rehearsal.
    assert len(list(folder.glob("*.parquet"))) == 3 and folder.name == "scores.parquet.parts"
    assert not folder.with_name("scores.parquet").exists()

    monkeypatch.undo()
    resumed = pyarrow.parquet.read_table(explain())
    assert resumed.equals(whole)
    assert resumed.schema.remove_metadata() == whole.schema.remove_metadata()
    assert not folder.exists()


def test_only_what_is_missing_is_done_again(explain, stopped, monkeypatch):
    stopped(4, KeyboardInterrupt())
    with pytest.raises(SystemExit):
        explain()
    monkeypatch.undo()
    batches = []
    explain_batch = Explainer.explain_batch

    def counted(self, given, *rest):
        batches.append(len(given))
        return explain_batch(self, given, *rest)

    monkeypatch.setattr(Explainer, "explain_batch", counted)
    explain()
    resumed, batches[:] = list(batches), []
    explain("whole.parquet")
    assert len(resumed) == len(batches) - 3
    # One rehearsal each, and 24 texts in all.
    assert sum(batches) == 24 + 1 and sum(resumed) < 24 + 1


def test_unfinished_work_of_another_command_is_not_touched(explain, stopped, monkeypatch, tmp_path):
    stopped(4, KeyboardInterrupt())
    with pytest.raises(SystemExit):
        explain()
    monkeypatch.undo()
    chunks = sorted((tmp_path / "scores.parquet.parts").iterdir())

    def no_model(*_):
        raise AssertionError("a model was opened")

    with monkeypatch.context() as patched:
        patched.setattr("attention_explain.commands.job.open_to_explain", no_model)
        with pytest.raises(InputError, match="--target is 1 now and was not given"):
            explain(target="1")
        with pytest.raises(InputError, match="--interpreters is .* now and was .*; give the same"):
            explain(interpreters=["attention"])
    # As an earlier version leaves it, which did not record the options.
    (tmp_path / "scores.parquet.parts" / "options.json").unlink()
    chunks.remove(tmp_path / "scores.parquet.parts" / "options.json")
    with pytest.raises(InputError, match=r"unfinished work of another command, with other"):
        explain(target="1")
    with pytest.raises(InputError, match=r"with other interpreters; finish that one, or"):
        explain(interpreters=["attention"])
    assert sorted((tmp_path / "scores.parquet.parts").iterdir()) == chunks
    path = explain(interpreters=["attention"], force=True)
    assert list(FORMAT.read_metadata(path)["interpreters"]) == ["attention"]


def test_an_existing_file_is_kept_unless_forced(explain):
    path = explain()
    content = path.read_bytes()
    with pytest.raises(InputError, match="exists already; give --force to replace it"):
        explain(interpreters=["attention"])
    assert path.read_bytes() == content
    explain(interpreters=["attention"], force=True)
    assert path.read_bytes() != content


def test_two_processes_do_not_share_an_output(explain, tmp_path):
    folder = tmp_path / "scores.parquet.parts"
    folder.mkdir()
    with (
        FileLock(folder / "lock"),
        pytest.raises(InputError, match="another process is writing it"),
    ):
        explain()


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"interpreters": ["lrx"]}, "there is no interpreter 'lrx'"),
        ({"target": "good"}, "target is 'good'"),
        ({"limit": 0}, "--limit is 0, but must be 1 or more"),
        ({"batch_tokens": 0}, "--batch-tokens is 0"),
        ({"cuda_device": 3}, "GPU"),
        ({"html": "/proc/no/page.html"}, "/proc/no/page.html: cannot be written"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(explain, tmp_path, monkeypatch, options, sentence):
    monkeypatch.setattr(Explainer, "explain_batch", lambda *given: pytest.fail("work was begun"))
    with pytest.raises(InputError, match=sentence):
        explain(**options)
    assert not list(tmp_path.iterdir())


def test_a_method_that_rejects_the_model_does_so_at_once(explain, tmp_path, monkeypatch):
    """Also if it only does when it is called, and stands last."""

    def reject(self, batch, target):
        raise InputError("not with this encoder")

    monkeypatch.setattr(GradientXInput, "attribute", reject)
    batches = []
    explain_batch = Explainer.explain_batch
    monkeypatch.setattr(
        Explainer,
        "explain_batch",
        lambda self, given, *rest: batches.append(len(given)) or explain_batch(self, given, *rest),
    )
    with pytest.raises(InputError, match="not with this encoder"):
        explain(interpreters=["attention", "random", "gradient-x-input"])
    assert batches == [1]
    assert not list(tmp_path.iterdir())


def test_scores_that_are_not_finite_are_null_and_counted(explain, monkeypatch, capsys):
    attribute = GradientXInput.attribute

    def broken(self, batch, target):
        attribution = attribute(self, batch, target)
        for row, id_ in enumerate(batch.ids):
            if id_.endswith(("-3", "-7")):
                attribution.scores[row] = torch.inf
        return attribution

    monkeypatch.setattr(GradientXInput, "attribute", broken)
    path = explain()
    table = pyarrow.parquet.read_table(path).to_pylist()
    missing = [row["id"] for row in table if row["gradient-x-input"] is None]
    assert missing == [row["id"] for row in table if row["id"].endswith(("-3", "-7"))]
    assert len(missing) == 2 and all(row["random"] for row in table)
    skipped = {"gradient-x-input": {"a score that is not finite": 2}}
    assert FORMAT.read_metadata(path)["skipped"] == skipped
    message = f"gradient-x-input skipped 2 of {len(table)} texts: a score that is not finite"
    assert message in capsys.readouterr().err


def test_the_summary_says_rate_and_share(explain, capsys):
    explain(limit=6)
    printed = capsys.readouterr().err
    assert "scores.parquet: 6 texts explained in " in printed and " texts per second" in printed
    for name in NAMES:
        assert any(
            line.split()[:1] == [name] and line.endswith("%") for line in printed.splitlines()
        )


@pytest.mark.parametrize("fails_at", ["part", "whole"])
def test_a_full_disk_loses_nothing_that_was_finished(explain, tmp_path, monkeypatch, fails_at):
    write_table = pyarrow.parquet.write_table

    def full(table, path, **options):
        written = sorted((tmp_path / "scores.parquet.parts").glob("*.parquet"))
        is_whole = "whole" in Path(path).name
        if (fails_at == "part" and len(written) == 2) or (fails_at == "whole" and is_whole):
            Path(path).write_bytes(b"half")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write_table(table, path, **options)

    with monkeypatch.context() as patch:
        patch.setattr(pyarrow.parquet, "write_table", full)
        with pytest.raises(InputError, match=r"cannot be written \(No space left on dev"):
            explain()
    assert [path.name for path in tmp_path.iterdir()] == ["scores.parquet.parts"]
    assert not list(tmp_path.rglob("*.unfinished"))
    assert pyarrow.parquet.read_table(explain()).num_rows == 24


def test_a_folder_that_cannot_be_written_is_named(archive, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"x.parquet: cannot be written \("):
        attribute_from_file(str(archive), "test", tmp_path / "file" / "x.parquet", METHODS)
    with pytest.raises(InputError, match=r"cannot be written \(it is a folder\)"):
        (tmp_path / "folder.parquet").mkdir()
        attribute_from_file(str(archive), "test", tmp_path / "folder.parquet", METHODS, force=True)


def test_folders_are_made_and_runs_are_archives_too(archive, tmp_path):
    path = tmp_path / "new" / "scores.parquet"
    attribute_from_file(str(archive.parent), "dev", path, ["attention"])
    assert pyarrow.parquet.read_table(path).num_rows == 10


def test_texts_without_labels_and_with_odd_characters(tmp_path):
    reader = {"type": "attention_text", "tokenizer": "just_spaces", "require_label": False}
    train, data = tmp_path / "train.jsonl", tmp_path / "data.jsonl"
    train.write_text('{"text": "a b", "label": "x"}\n{"text": "c", "label": "y"}\n')
    data.write_text('{"text": "a \\ud800 b"}\n{"text": "é 電", "label": "y"}\n')
    archive = small_archive(tmp_path / "run", reader=reader, train=str(train))
    path = tmp_path / "scores.parquet"
    attribute_from_file(str(archive), str(data), path, ["attention"], html=str(tmp_path / "p.html"))
    table = pyarrow.parquet.read_table(path).to_pylist()
    assert [row["label"] for row in table] == [None, "y"]
    assert table[0]["tokens"] == ["a", "?", "b"] and table[1]["tokens"] == ["é", "電"]
    assert "rationale" not in table[0] and table[0]["id"] == "line-1"
    assert "電" in (tmp_path / "p.html").read_text("utf-8")


def test_the_markings_of_several_annotators_are_kept_apart(tmp_path):
    data = tmp_path / "data.jsonl"
    data.write_text(
        '{"text": "a b", "label": "x", "rationale": [[0, 1], [1, 1]]}\n'
        '{"text": "c", "label": "y"}\n{"text": "c a", "label": "y", "rationale": [1, 0]}\n'
    )
    archive = small_archive(tmp_path / "run", reader={"type": "attention_text"}, train=str(data))
    path, page = tmp_path / "scores.parquet", tmp_path / "page.html"
    attribute_from_file(str(archive), str(data), path, ["attention"], html=str(page))
    table = pyarrow.parquet.read_table(path)
    assert table["rationale"].to_pylist() == [[[0, 1], [1, 1]], None, [[1, 0]]]
    assert page.read_text().count("<tr class=rationale>") == 3


def test_halves_of_characters_are_read_as_the_marks_that_files_have_for_them(tmp_path, caplog):
    """With the tokenizer that is the default, and for training, too."""
    data = tmp_path / "data.jsonl"
    data.write_text('{"text": "a \\ud800 b", "label": "\\udc00"}\n{"text": "c", "label": "y"}\n')
    archive = small_archive(tmp_path / "run", reader={"type": "attention_text"}, train=str(data))
    assert f"{data}: halves of characters are read as '?' (in 1 of the texts)" in caplog.text
    assert "?" in (tmp_path / "run" / "vocabulary" / "tokens.txt").read_text().splitlines()
    attribute_from_file(str(archive), str(data), tmp_path / "scores.parquet", ["attention"])
    first = pyarrow.parquet.read_table(tmp_path / "scores.parquet").to_pylist()[0]
    assert first["tokens"] == ["a", "?", "b"] and first["label"] == "?"


def test_the_page_shows_the_first_texts(explain, tmp_path):
    explain(html=str(tmp_path / "page.html"), html_texts=7)
    page = (tmp_path / "page.html").read_text()
    assert page.count("<article ") == 7 and "7 of 24 texts" in page
    assert page.count("<th scope=row>rationale") == 7
    assert page.count("<tr class=rationale>") == 7


def test_the_command_line(archive, tmp_path, monkeypatch, capsys):
    command = ["attribute", str(archive), "dev", "-o", "out.parquet", "--limit", "4"]
    command += ["--interpreters", "attention", '{"type": "random", "name": "control"}']
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["allennlp", *command, "--seed", "3", "--html", "out.html"])
    main()
    assert FORMAT.read_metadata("out.parquet")["seeds"] == {"control": 3}
    assert Path("out.html").exists()
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "error: out.parquet: exists already; give --force to replace it"


def test_a_killed_process_leaves_no_half_file_and_can_be_taken_up(
    explain, archive, tmp_path, monkeypatch
):
    """kill -9 in the middle; the same command then gives the same table as one never killed."""
    slow = [{"type": "integrated-gradients", "steps": 60}, "random"]
    output = tmp_path / "killed.parquet"
    command = ["attribute", str(archive), "test", "-o", str(output)]
    command += ["--batch-tokens", str(TOKENS), "--interpreters"]
    command += [item if isinstance(item, str) else json.dumps(item) for item in slow]
    chunks = tmp_path / "killed.parquet.parts"
    save = ChunkStore.save

    def save_or_be_killed(*part) -> None:
        if len(list(chunks.glob("[0-9]*.parquet"))) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        save(*part)

    with monkeypatch.context() as in_the_process:
        in_the_process.setattr(ChunkStore, "save", save_or_be_killed)
        process = forked_allennlp(*command, folder=tmp_path)
        process.join()
    said = tmp_path / "said.txt"
    assert process.exitcode == -signal.SIGKILL, said.read_text()
    said.unlink()
    assert not output.exists() and len(list(chunks.glob("[0-9]*.parquet"))) == 2

    killed = pyarrow.parquet.read_table(explain("killed.parquet", interpreters=slow))
    whole = pyarrow.parquet.read_table(explain("whole.parquet", interpreters=slow))
    # A process with another number of threads adds up in another order.
    assert killed.schema == whole.schema and killed["id"].equals(whole["id"])
    for method in ("integrated-gradients", "random"):
        scores = [table[method].combine_chunks().flatten().to_numpy() for table in (killed, whole)]
        numpy.testing.assert_allclose(*scores, atol=1e-6)
    left = {path.name for path in tmp_path.iterdir()}
    assert left - {"killed.parquet.log"} == {"killed.parquet", "whole.parquet"}


def test_default_methods_that_an_encoder_does_not_allow_are_left_out(tmp_path, capfd):
    gru = {"type": "gru", "input_size": DIM, "hidden_size": 3}
    archive = small_archive(tmp_path / "run", encoder=gru)
    output = tmp_path / "scores.parquet"
    metadata = attribute_from_file(str(archive), "test", output, limit=2)
    assert list(metadata["interpreters"]) == [
        name for name in defaults.INTERPRETERS if name != "lrp"
    ]
    assert "encoder is a GruSeq2SeqEncoder" in metadata["left_out"]["lrp"]
    assert f"left out: {metadata['left_out']['lrp']}" in capfd.readouterr().err
    with pytest.raises(InputError, match="interpreter 'lrp': lrp needs an encoder"):
        attribute_from_file(str(archive), "test", tmp_path / "named.parquet", ["attention", "lrp"])


@pytest.mark.parametrize("force", [True, False])
def test_no_output_replaces_an_input_or_another(archive, tmp_path, force):
    data = tmp_path / "data.parquet"
    data.write_text("what somebody collected")
    os.link(data, tmp_path / "link.parquet")
    spare = tmp_path / "scores.parquet"
    for output, html, sentence in (
        (data, None, "is an input"),
        (tmp_path / "link.parquet", None, "is an input"),
        (tmp_path / "scores.csv", None, r"call it \*.parquet"),
        (spare, spare, r"call it \*.html"),
        (archive, None, r"call it \*.parquet"),
    ):
        with pytest.raises(InputError, match=sentence):
            attribute_from_file(str(archive), str(data), output, html=html, force=force)
    assert data.read_text() == "what somebody collected" and not spare.exists()


def test_a_page_of_the_user_is_not_replaced(archive, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>mine</p>")
    options = {"html": str(page), "limit": 1}
    with pytest.raises(InputError, match="page.html: exists, and was not written by"):
        attribute_from_file(str(archive), "test", tmp_path / "a.parquet", ["attention"], **options)
    assert page.read_text() == "<p>mine</p>" and not (tmp_path / "a.parquet").exists()
    page.unlink()
    for name in ("a.parquet", "b.parquet"):
        attribute_from_file(str(archive), "test", tmp_path / name, ["attention"], **options)
