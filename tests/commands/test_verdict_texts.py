"""The files of a verdict grow by steps in a random order, until the answer is decided or data or budget end."""

import json
from pathlib import Path

import pytest

from analysis.verdict import interim as interims
from analysis.verdict import output, questions
from analysis.verdict.interim import Interim
from analysis.verdict.means import LEAST_TEXTS
from analysis.verdict.question import NOT_KNOWN, Answer
from attention_explain import archives
from attention_explain.commands import verdict_texts
from attention_explain.commands.faithfulness import FaithfulnessJob
from attention_explain.commands.job import Job
from attention_explain.commands.verdict import verdict_from_files
from attention_explain.commands.verdict_texts import STEP
from attention_explain.errors import InputError
from attention_explain.faithfulness import evaluator
from attention_explain.files import attributions, faithfulness, perturbations
from attention_explain.files.stopping import FIRST, next_number, read_stopped, seeded_order
from tests.commands.stopping import stop_after
from tests.small_archive import small_archive

# Of the small archive.
TEXTS = 24
FORMATS = {
    "attributions": attributions.FORMAT,
    "perturbations": perturbations.FORMAT,
    "faithfulness": faithfulness.FORMAT,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    return small_archive(tmp_path_factory.mktemp("growing") / "run").parent


def growing(run: Path, parent: Path, patched: pytest.MonkeyPatch):
    """
    Runs the command, with decisions from a stub: `decided_at` is the number of texts at which it is decided,
    `stuck_at` the one at which more do not help. Returns the numbers of texts that were judged.
    """
    measures = [{"type": "comprehensiveness"}]
    patched.setattr(questions, "required_components", lambda quick: (["permutation"], measures))
    patched.setattr(output, "write_if_nothing_to_judge", lambda folder: None)
    patched.setattr(output, "write_verdict", lambda folder, rationales: None)
    patched.setattr(output, "passes", lambda verdict, fail_under: True)

    def grown(decided_at=1000, stuck_at=1000, **options) -> list[int]:
        judged = []

        def interim(folder, seed):
            texts = read_stopped(folder).texts
            judged.append(texts)
            decided = texts >= decided_at
            return Interim(texts, Answer.NO, NOT_KNOWN, decided, texts < stuck_at)

        patched.setattr(interims, "interim", interim)
        known = {"methods": ["gradient"], "quick": True, "budget": 1000, "anyway": True, **options}
        verdict_from_files([str(run)], "test", parent / "out", **known)
        return judged

    return grown


@pytest.fixture
def grow(run, tmp_path, monkeypatch):
    return growing(run, tmp_path, monkeypatch)


def contents(folder: Path) -> dict:
    """Tables and metadata without times."""
    found = {}
    for name, kind in FORMATS.items():
        table, metadata = kind.read(folder / "files" / f"{name}-1.parquet")
        for key in ("seconds", "reads", "attributions"):
            metadata.pop(key, None)
        found[name] = (table.to_pylist(), metadata, table.schema.names)
    return found


@pytest.fixture(scope="module")
def by_steps(run, tmp_path_factory) -> dict:
    """The files of all texts, made in two steps without interruption."""
    folder = tmp_path_factory.mktemp("by-steps")
    with pytest.MonkeyPatch.context() as patched:
        assert growing(run, folder, patched)() == [20, TEXTS]
    return contents(folder / "out")


def rounded(value):
    """Numbers depend on the other texts of a batch, in their last digits."""
    if isinstance(value, (list, tuple)):
        return [rounded(each) for each in value]
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    return pytest.approx(value, rel=1e-3, abs=1e-5) if isinstance(value, float) else value


def test_files_that_grow_at_once_are_those_of_all_texts_by_steps(
    grow, by_steps, tmp_path, monkeypatch
):
    monkeypatch.setattr(verdict_texts, "next_number", lambda texts, available: available)
    assert grow() == [TEXTS]
    assert contents(tmp_path / "out") == {
        name: tuple(rounded(each)) for name, each in by_steps.items()
    }
    assert [len(rows) for rows, _, _ in by_steps.values()][:2] == [TEXTS, TEXTS]
    stopped = read_stopped(tmp_path / "out")
    assert (stopped.why, stopped.texts, stopped.available) == ("data ended", TEXTS, TEXTS)
    assert stopped.seconds > 0


def test_the_next_command_has_nothing_to_do(grow, tmp_path, capfd):
    """Files say the right things about their texts and the files that they were made from."""
    grow()
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out/files").iterdir()}
    assert grow() == [TEXTS]
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out/files").iterdir()} == before
    assert "all 3 files exist" in capfd.readouterr().err


@pytest.mark.parametrize(
    "options, judged, why",
    [
        ({"decided_at": 20}, [20], "decided"),
        ({"stuck_at": 20}, [20], "more texts do not help"),
        ({"decided_at": 24}, [20, 24], "decided"),
        ({"budget": 1e-9}, [20], "budget ended"),
        ({"limit": 22}, [20, 22], "data ended"),
        # Too few to judge.
        ({"limit": 3}, [], "data ended"),
    ],
    ids=str,
)
def test_it_stops_and_says_why(grow, tmp_path, capfd, options, judged, why):
    assert grow(**options) == judged
    stopped = read_stopped(tmp_path / "out")
    texts = judged[-1] if judged else 3
    assert (stopped.why, stopped.texts) == (why, texts)
    assert f"{texts} of {options.get('limit', TEXTS)} texts used: {why}" in capfd.readouterr().err
    assert len(contents(tmp_path / "out")["attributions"][0]) == texts


def test_a_larger_budget_continues_where_a_smaller_one_ended(grow, by_steps, tmp_path):
    assert grow(budget=1e-9) == [20]
    spent = read_stopped(tmp_path / "out").seconds
    # The time of all runs counts.
    assert grow(budget=1e-9) == [20]
    assert read_stopped(tmp_path / "out").seconds == spent
    assert read_stopped(tmp_path / "out").earlier == 0
    assert grow() == [20, 24]
    assert read_stopped(tmp_path / "out").seconds > spent
    # There was a verdict on 20 texts.
    assert read_stopped(tmp_path / "out").earlier == 1
    assert grow() == [24]
    assert read_stopped(tmp_path / "out").earlier == 1
    assert contents(tmp_path / "out") == by_steps


@pytest.mark.parametrize(
    "owner, method, calls",
    [
        # In the first step, in the second, and between the merged files of either.
        (FaithfulnessJob, "work", 0),
        (FaithfulnessJob, "run", 1),
        (Job, "merge", 1),
        (Job, "merge", 4),
        (Job, "merge", 5),
    ],
    ids=str,
)
def test_a_killed_run_ends_with_the_same_files(
    grow, by_steps, tmp_path, monkeypatch, owner, method, calls
):
    with monkeypatch.context() as patched:
        stop_after(calls, owner, method, patched, KeyboardInterrupt())
        with pytest.raises((KeyboardInterrupt, SystemExit)):
            grow()
    assert (tmp_path / "out" / STEP).exists()
    assert grow()[-1] == TEXTS
    assert not (tmp_path / "out" / STEP).exists()
    assert contents(tmp_path / "out") == by_steps


def test_a_step_of_other_options_is_an_error_unless_force_is_given(grow, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        stop_after(0, FaithfulnessJob, "work", patched, KeyboardInterrupt())
        with pytest.raises(SystemExit):
            grow()
    with pytest.raises(InputError, match=r"--methods is \[\"random\"\] now and was"):
        grow(methods=["random"])
    grow(methods=["random"], force=True)
    assert set(contents(tmp_path / "out")["attributions"][1]["interpreters"]) == {
        *("attention", "random")
    }


def test_the_file_that_is_behind_is_completed_first(grow, by_steps, tmp_path):
    grow()
    (tmp_path / "out/files/faithfulness-1.parquet").unlink()
    assert grow() == [24]
    for name, expected in by_steps.items():
        assert contents(tmp_path / "out")[name] == tuple(rounded(expected))


def test_the_order_depends_on_ids_and_seed_alone():
    ids = [f"text-{number}" for number in range(200)]
    order = seeded_order(ids, 1)
    assert sorted(order) == list(range(200)) and order != sorted(order)
    backwards = ids[::-1]
    assert [backwards[each] for each in seeded_order(backwards, 1)] == [ids[each] for each in order]
    assert seeded_order(ids, 2) != order
    assert seeded_order(ids, None) == seeded_order(ids, 0)
    # Positions and order have nothing to do with each other.
    assert abs(sum(order[:100]) / 100 - 99.5) < 20


def test_each_step_is_half_as_large_as_all_before():
    numbers, texts = [], 0
    while texts < 200:
        texts = next_number(texts, 200)
        numbers.append(texts)
    assert numbers == [20, 30, 45, 68, 102, 153, 200]
    assert next_number(0, 7) == 7
    # The rule needs as many.
    assert FIRST == LEAST_TEXTS


def test_a_damaged_record_is_an_error(grow, tmp_path):
    grow(decided_at=20)
    record = tmp_path / "out/.stopped.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "texts": 23}))
    with pytest.raises(InputError, match="is damaged"):
        grow()


def test_pilot_texts_are_evaluated_once_and_the_model_is_opened_once(run, tmp_path, monkeypatch):
    """The files of later steps take their samplings from the first."""
    chosen, opened = [], []
    choose, open_one = evaluator.choose_sampling, archives.open_archive
    monkeypatch.setattr(
        evaluator, "choose_sampling", lambda *given: chosen.append(given[2]) or choose(*given)
    )
    monkeypatch.setattr(
        archives,
        "open_archive",
        lambda *given, **known: opened.append(given) or open_one(*given, **known),
    )
    grown = growing(run, tmp_path, monkeypatch)
    measures = [{"type": "relevance", "permutations": 4}]
    monkeypatch.setattr(questions, "required_components", lambda quick: (["permutation"], measures))
    assert grown() == [20, TEXTS]
    # One for each removal method.
    assert len(chosen) == 2 and len(opened) == 1
    metadata = contents(tmp_path / "out")["faithfulness"][1]
    assert set(metadata["samplings"]["relevance"]) == {"delete", "unk"}
