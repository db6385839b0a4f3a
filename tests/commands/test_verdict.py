"""`allennlp verdict`: missing files are made, once, and judged."""

import json
import re
import shutil
from pathlib import Path

import pytest
import torch

from analysis.verdict import output, questions
from analysis.verdict.inputs import load_inputs
from analysis.verdict.output import write_verdict
from attention_explain.archives import open_archive, weights_sha256
from attention_explain.commands import (
    verdict,
    verdict_plan,
)
from attention_explain.commands.attribute import AttributionJob
from attention_explain.commands.batches import TotalProgress
from attention_explain.commands.chunks import MERGED, NOTE
from attention_explain.commands.perturb import PerturbationJob
from attention_explain.commands.verdict import verdict_from_files
from attention_explain.commands.verdict_plan import check_base, check_seed, difference
from attention_explain.commands.verdict_texts import STEP
from attention_explain.errors import InputError
from attention_explain.files import attributions, faithfulness, perturbations
from attention_explain.files.tables import read_sealed, sealed_metadata
from tests.commands.stopping import stop_after
from tests.small_archive import small_archive

FILES = ("attributions", "perturbations", "faithfulness")
ENDS = ("html", "json", "md")
KEYS = (attributions.FORMAT.key, perturbations.FORMAT.key, faithfulness.FORMAT.key)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    return small_archive(tmp_path_factory.mktemp("verdict") / "run").parent


def another(run: Path, folder: Path, **changes) -> Path:
    """A copy of the run with other weights and a changed config."""
    shutil.copytree(run, folder)
    (folder / "model.tar.gz").unlink()
    weights = {name: 1.5 * values for name, values in torch.load(run / "best.th").items()}
    torch.save(weights, folder / "best.th")
    config = json.loads((run / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))
    return folder


@pytest.fixture
def asked(monkeypatch):
    """The folders that were judged, by a stub; predictions always leave something to judge."""
    folders = []
    monkeypatch.setattr(output, "write_if_nothing_to_judge", lambda folder: None)
    monkeypatch.setattr(output, "write_verdict", lambda folder, rationales: folders.append(folder))
    monkeypatch.setattr(output, "passes", lambda verdict, fail_under: fail_under is None)
    return folders


@pytest.fixture
def one_perturbation(monkeypatch):
    """Only a fast perturbation, for tests that are not about perturbations."""
    only_permutation(monkeypatch)


def only_permutation(monkeypatch):
    measures = {quick: questions.required_components(quick)[1] for quick in (False, True)}
    monkeypatch.setattr(
        questions, "required_components", lambda quick: (["permutation"], measures[quick])
    )


@pytest.fixture
def given(run, tmp_path, asked):
    def judged(*models, **options) -> int:
        known = {"methods": ["gradient"], "quick": True, "limit": 2, **options}
        folder = known.pop("folder", tmp_path / "out")
        return verdict_from_files([str(each) for each in models or [run]], "test", folder, **known)

    return judged


@pytest.fixture(scope="module")
def made(run, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "out"
    with pytest.MonkeyPatch.context() as patched:
        only_permutation(patched)
        patched.setattr(output, "write_if_nothing_to_judge", lambda folder: None)
        patched.setattr(output, "write_verdict", lambda *_: None)
        verdict_from_files([str(run)], "test", folder, ["gradient"], quick=True, limit=2)
    return folder


def metadata(folder: Path, number: int = 1) -> dict:
    return {
        name: json.loads(sealed_metadata(folder / "files" / f"{name}-{number}.parquet")[key])
        for name, key in zip(FILES, KEYS, strict=True)
    }


def times(folder: Path, name: str = "files") -> dict:
    return {path.name: path.stat().st_mtime_ns for path in (folder / name).iterdir()}


def test_the_files_have_all_components_of_a_verdict(given, asked, run, tmp_path, capfd):
    assert given(fail_under=0.5) == 1
    assert asked == [tmp_path / "out"]
    made = metadata(tmp_path / "out")
    assert {name: each["instances"] for name, each in made.items()} == dict.fromkeys(FILES, 2)
    # Attention is always among the methods.
    assert set(made["attributions"]["interpreters"]) == {"attention", "gradient"}
    assert set(made["perturbations"]["perturbations"]) == {
        *("uniform", "permutation", "drop-top", "instance-adversary")
    }
    measures = {about["of"] for about in made["faithfulness"]["measures"].values()}
    assert measures == {
        *("relevance", "direction"),
        *("comprehensiveness", "sufficiency", "parameter_randomization"),
    }
    assert set(made["faithfulness"]["erasures"]) == {"delete", "unk"}
    said = capfd.readouterr().err
    assert re.search(
        "3 of 3 files to make, for 2 texts: (less than a minute|about .*) on this", said
    )
    assert "1 of 3, explaining" in said and "3 of 3, judging" in said
    assert said.count("2 texts explained in") == 1
    # The analysis reads them; a model that has learned nothing gets no answer.
    write_verdict(tmp_path / "out")
    answered = json.loads((tmp_path / "out" / "verdict.json").read_text())
    assert answered["weights_sha256"] == [weights_sha256(open_archive(run).model)]
    assert answered["texts"] == 2 and "no better than the majority" in answered["nothing"]


def test_if_predictions_leave_nothing_to_judge_no_other_file_is_made(
    run, one_perturbation, tmp_path, capfd
):
    def judged(folder, **options) -> str:
        options = {"methods": ["gradient"], "quick": True, "limit": 2, **options}
        assert verdict_from_files([str(run)], "test", tmp_path / folder, **options) == 0
        return capfd.readouterr().err

    assert "the predictions are enough for this: 3 files were not made" in judged("short")
    made = sorted(
        path.relative_to(tmp_path / "short").as_posix()
        for path in (tmp_path / "short").rglob("*")
        if path.is_file()
    )
    assert made == ["predictions/predictions-1.parquet", *(f"verdict.{end}" for end in ENDS)]
    assert "predictions are enough" not in judged("long", anyway=True)
    assert set(times(tmp_path / "long")) == {f"{name}-1.parquet" for name in FILES}
    assert (tmp_path / "short/verdict.md").read_text() == (tmp_path / "long/verdict.md").read_text()

    def facts(folder: str, why: str | None) -> dict:
        facts = json.loads((tmp_path / folder / "verdict.json").read_text())
        assert facts.pop("stopped")["why"] == why
        return facts

    assert facts("short", None) == facts("long", "data ended")
    # The page says what it rests on, and is else the same.
    short, long = (
        re.sub(r"<pre.*?</pre>", "", (tmp_path / name / "verdict.html").read_text(), flags=re.S)
        for name in ("short", "long")
    )
    assert short == long
    # Other texts are no reason to reject the folder, and all files are what was asked for.
    judged("short", limit=3)
    assert json.loads((tmp_path / "short" / "verdict.json").read_text())["texts"] == 3
    judged("short", anyway=True)
    assert facts("short", "data ended") == facts("long", "data ended")
    assert not (tmp_path / "short" / "predictions").exists()


def test_an_unknown_label_is_found_before_any_work_even_in_texts_that_are_not_used(ended, tmp_path):
    lines = [{"text": f"a good film {place}", "label": str(place % 2)} for place in range(8)]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    reader = {"type": "attention_text", "tokenizer": {"type": "just_spaces"}}
    small_archive(tmp_path / "run", reader=reader, train=str(tmp_path / "train.jsonl"))
    lines[6]["label"] = "good"
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for command in ("verdict", "attribute", "perturb"):
        output = "out" if command == "verdict" else "out.parquet"
        code, message = ended(command, "run", "data.jsonl", "-o", output, "--limit", "2")
        assert (
            code == 2 and "data.jsonl, line 7: field 'label' is 'good', which is not one" in message
        )
        assert not (tmp_path / output).exists()


def test_without_quick_there_is_sensitivity_and_unsupported_components_are_left_out(
    given, one_perturbation, tmp_path, capfd
):
    given(quick=False, methods=["random"], limit=1)
    made = metadata(tmp_path / "out")["faithfulness"]
    assert "sensitivity" in made["measures"]
    assert set(made["erasures"]) == {"delete", "zero", "unk"}
    assert (
        "left out: removal method 'mask' is for models that were trained with"
        in capfd.readouterr().err
    )


def test_existing_files_are_not_made_again_whatever_the_path_of_the_folder(
    there, given, one_perturbation, run, tmp_path, asked, capfd
):
    before = times(tmp_path / "out")
    # The same model as an archive, and the folder by another path.
    (tmp_path / "link").symlink_to(there)
    given(run / "model.tar.gz", folder=tmp_path / "link")
    assert times(there) == before and len(asked) == 1
    assert "all 3 files exist" in capfd.readouterr().err
    (tmp_path / "out" / "files" / "perturbations-1.parquet").unlink()
    given()
    after = times(tmp_path / "out")
    assert [name for name in after if after[name] != before[name]] == ["perturbations-1.parquet"]


def test_leftovers_of_a_killed_run_next_to_a_complete_file_are_removed(
    there, given, one_perturbation
):
    left = there / "files" / "attributions-1.parquet.parts"
    left.mkdir()
    for name in (MERGED, NOTE):
        (left / name).touch()
    given()
    assert not left.exists()


@pytest.fixture
def there(made, tmp_path) -> Path:
    """The folder of a verdict that was given."""
    return Path(shutil.copytree(made, tmp_path / "out"))


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"limit": 3}, "--limit is 3 now and was 2"),
        ({"methods": ["random"]}, '--methods is ["random"] now and was ["gradient"]'),
        ({"quick": False}, "--quick is not given now and was given"),
        ({"seed": 5}, "--seed is 5 now and was not given"),
    ],
    ids=str,
)
def test_other_options_than_those_of_existing_files_fail_before_a_model_is_loaded(
    there, given, monkeypatch, tmp_path, options, sentence
):
    def no_model(*_):
        raise AssertionError("a model was opened")

    monkeypatch.setattr(verdict_plan, "open_to_explain", no_model)
    before = times(tmp_path / "out")
    with pytest.raises(InputError) as error:
        given(**options)
    assert f"out: the verdict was made with other options: {sentence}; give" in str(error.value)
    assert times(tmp_path / "out") == before


@pytest.mark.parametrize(
    "options, file, sentence",
    [
        ({"limit": 3}, "attributions", "was made with other texts"),
        ({"methods": ["random"]}, "attributions", "was made with other interpreters"),
        ({"quick": False}, "faithfulness", "was made with other measures and erasures"),
        ({"seed": 5}, "perturbations", "was made with other perturbations"),
    ],
    ids=str,
)
def test_files_of_other_options_are_an_error_or_replaced_by_force(
    there, given, one_perturbation, tmp_path, options, file, sentence
):
    # As in a folder of an earlier version, which did not record its options.
    (tmp_path / "out" / verdict.OPTIONS).unlink()
    before = times(tmp_path / "out")
    with pytest.raises(InputError) as error:
        given(**options)
    assert f"files/{file}-1.parquet: {sentence}. Give another folder" in str(error.value)
    assert times(tmp_path / "out") == before
    if options.get("quick") is None:
        given(**options, force=True)
        assert times(tmp_path / "out")["faithfulness-1.parquet"] != before["faithfulness-1.parquet"]
        given(**options)


def test_a_file_of_another_kind_or_a_damaged_one_is_an_error(
    there, given, one_perturbation, tmp_path
):
    files = tmp_path / "out" / "files"
    good = (files / "perturbations-1.parquet").read_bytes()
    for content, sentence in (
        ((files / "attributions-1.parquet").read_bytes(), "was made with other content"),
        (good[: len(good) // 2], "not a readable parquet file"),
    ):
        (files / "perturbations-1.parquet").write_bytes(content)
        with pytest.raises(InputError, match=sentence) as error:
            given()
        assert "--force" in str(error.value)
    given(force=True)
    assert read_sealed(files / "perturbations-1.parquet").num_rows == 2


def test_each_seed_has_its_own_files(there, given, one_perturbation, run, tmp_path):
    seeds = [run, another(run, tmp_path / "second", pytorch_seed=2)]
    before = times(there)
    given(*seeds)
    assert before.items() < times(there).items()
    hashes = {
        each["weights_sha256"]
        for number in (1, 2)
        for each in metadata(tmp_path / "out", number).values()
    }
    assert len(hashes) == 2
    # The files of the second would be judged with the first.
    with pytest.raises(InputError, match="attributions-2.parquet: does not belong to this"):
        given(run)
    given(run, force=True)
    assert {name.split(".")[0][-1] for name in times(tmp_path / "out")} == {"1"}


def test_seeds_of_an_adversary_may_have_different_bases():
    def config(base, lambda_=0.1):
        callback = {"type": "adversarial_attention", "base": base, "lambda_": lambda_}
        return {"trainer": {"callbacks": ["console_logger", callback]}}

    seen = {}
    check_seed("one", "1", {**config("runs/1"), "pytorch_seed": 1}, seen)
    check_seed("two", "2", {**config("runs/2"), "pytorch_seed": 2}, seen)
    with pytest.raises(InputError, match="differs in 'trainer.callbacks'"):
        check_seed("three", "3", config("runs/2", 0.2), seen)


def test_an_adversary_must_be_trained_against_this_model(run, tmp_path):
    def config(base):
        return {"trainer": {"callbacks": [{"type": "adversarial_attention", "base": str(base)}]}}

    check_base("other", config(run / "model.tar.gz"), ["runs/first", str(run)])
    with pytest.raises(InputError, match="other: was trained against runs/gone, which is"):
        check_base("other", config("runs/gone"), [str(run)])
    with pytest.raises(InputError, match="other: was not trained with the callback"):
        check_base("other", {"trainer": {}}, [str(run)])


def test_the_attention_of_an_adversary_has_its_own_file(
    there, given, one_perturbation, run, tmp_path
):
    trainer = {"callbacks": [{"type": "adversarial_attention", "base": str(run), "lambda_": 1}]}
    adversary = another(run, tmp_path / "adversary", trainer=trainer)
    before = times(there)
    given(adversaries=[str(adversary)])
    assert set(times(there)) == {*before, "adversary-1.parquet"}
    assert times(there).items() > before.items()
    table = read_sealed(there / "files" / "adversary-1.parquet")
    assert table.num_rows == 2 and "attention" in table.column_names
    # The analysis knows whose adversary it is.
    assert len(load_inputs(there).adversaries) == 1
    with pytest.raises(InputError, match="adversary-1.parquet: does not belong to this verdict"):
        given()


def test_models_that_are_not_seeds_of_one_model_are_an_error(given, run, tmp_path):
    model = json.loads((run / "config.json").read_text())["model"]
    other = another(run, tmp_path / "other", model={**model, "min_label_count": 2})
    with pytest.raises(InputError, match="differs in 'model.min_label_count'"):
        given(run, other)
    with pytest.raises(InputError, match="is the same model as"):
        given(run, run / "model.tar.gz")
    assert not (tmp_path / "out").exists()


def test_the_first_difference_of_configs_is_named():
    one = {"a": {"b": [1, 2], "c": 3}, "d": None}
    assert difference(one, json.loads(json.dumps(one))) is None
    assert difference(one, {**one, "a": {"b": [1, 3], "c": 3}}) == "a.b"
    assert difference(one, {**one, "e": 1}) == "e"
    assert difference(one, {**one, "a": 1}) == "a"


@pytest.mark.parametrize(
    "place",
    ["out/notes.txt", "out/files/mine.parquet", "out", "out/verdict.md", "out/verdict.json"],
)
def test_a_folder_of_something_else_is_left_alone(given, tmp_path, place):
    precious = tmp_path / place
    precious.parent.mkdir(parents=True, exist_ok=True)
    precious.write_text("precious")
    for force in (False, True):
        with pytest.raises(InputError) as error:
            given(force=force)
        assert str(tmp_path / "out") in str(error.value)
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == [precious]


def test_a_stopped_run_is_resumed(given, one_perturbation, tmp_path, monkeypatch):
    # Small batches are slow to judge.
    tasks = verdict_plan._tasks
    monkeypatch.setattr(verdict_plan, "_tasks", lambda *given: tasks(*given)[:2])
    with monkeypatch.context() as patched:
        stop_after(1, PerturbationJob, "work", patched, KeyboardInterrupt())
        with pytest.raises(SystemExit) as end:
            given(batch_tokens=10)
        assert end.value.code == 130
    before = times(tmp_path / "out", "step")
    assert set(before) == {"attributions-1.parquet", "perturbations-1.parquet.parts"}
    done = []
    for kind in (AttributionJob, PerturbationJob):
        work = kind.work
        monkeypatch.setattr(
            kind, "work", lambda self, *rest, work=work: done.append(self) or work(self, *rest)
        )
    given(batch_tokens=10)
    assert set(times(tmp_path / "out")) == {"attributions-1.parquet", "perturbations-1.parquet"}
    assert not (tmp_path / "out" / "step").exists()
    # Of two texts, one was left to perturb.
    assert [type(job) for job in done if STEP in str(job.options.output_file)] == [PerturbationJob]


def test_a_model_whose_attention_cannot_be_replaced_is_not_perturbed(
    given, one_perturbation, tmp_path, monkeypatch, capfd
):
    def rejected(self, *given):
        raise InputError("there is no attention to perturb")

    monkeypatch.setattr("attention_explain.commands.verdict_plan.Perturber.__init__", rejected)
    assert given() == 0
    assert set(times(tmp_path / "out")) == {"attributions-1.parquet", "faithfulness-1.parquet"}
    said = capfd.readouterr().err
    assert "left out: perturbations: there is no attention to perturb" in said


def test_the_progress_is_over_all_jobs():
    progress = TotalProgress([10.0, 30.0])
    try:
        first = progress.of_job(0).start(100, 50, "one")
        assert progress.bar.n == pytest.approx(5) and progress.bar.initial == pytest.approx(5)
        first.update(50)
        assert first.n == 100 and progress.bar.n == pytest.approx(10)
        progress.of_job(1).start(10, 0, "two").update(5)
        assert progress.bar.n == pytest.approx(25)
        assert "2 of 2, two" in progress.bar.desc
    finally:
        progress.close()


def test_the_expected_time_is_printed_before_any_work(given, monkeypatch, capfd):
    monkeypatch.setattr(
        "attention_explain.commands.verdict_plan._seconds", lambda *_: [60.0, 0.0, 7200.0]
    )
    sentence = "3 of 3 files to make, for 2 texts: about 2.0 h on this machine; --limit uses fewer"
    said = []

    def run(work, reports=True):
        said.append(capfd.readouterr().err)
        assert sentence in said[0]
        raise KeyboardInterrupt

    monkeypatch.setattr(verdict, "run", run)
    with pytest.raises(KeyboardInterrupt):
        given(budget=1000)
    assert said


BAD = {
    "--limit 0": "--limit is 0, but must be 1 or more",
    "--batch-tokens 0": "--batch-tokens is 0, but must be 1 or more",
    "--fail-under 2": "--fail-under is 2, but must be from 0 to 1",
    "--fail-under nan": "--fail-under is nan, but must be from 0 to 1",
    "--methods none": "there is no interpreter 'none'; there are alti, attention, ",
    "--methods attention attention": "two interpreters are called 'attention'",
    "--methods attention-rollout": "",
}


@pytest.mark.parametrize("options, sentence", BAD.items(), ids=list(BAD))
def test_bad_options_are_errors_and_nothing_is_written(ended, run, tmp_path, options, sentence):
    code, message = ended("verdict", str(run), "test", "-o", "out", *options.split())
    assert code == 2 and message.startswith(f"error: {sentence}")
    assert not (tmp_path / "out").exists()


def test_the_parent_of_the_folder_is_made(ended, run, tmp_path):
    """The log is written there before the verdict."""
    code, message = ended("verdict", str(run), "no/such/data", "-o", "new/results/out")
    assert code == 2 and "no/such/data" in message
    assert (tmp_path / "new/results").is_dir()


def test_data_without_texts_is_an_error(ended, tmp_path):
    lines = [{"text": "a good film", "label": "1"}, {"text": "a bad film", "label": "0"}]
    data = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "data.jsonl").write_text(data)
    reader = {"type": "attention_text", "tokenizer": {"type": "just_spaces"}}
    small_archive(tmp_path / "run", reader=reader, train=str(tmp_path / "data.jsonl"))
    (tmp_path / "empty.jsonl").write_text("")
    code, message = ended("verdict", "run", "empty.jsonl", "-o", "out")
    assert code == 2 and "empty.jsonl" in message and message.startswith("error: ")
    assert not (tmp_path / "out").exists()
