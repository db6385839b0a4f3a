"""Whether a shortcut was learned, and how well methods find it, on files whose answers are known."""

import json

import numpy
import pytest

from analysis.errors import AnalysisError
from analysis.text_files import load_attributions
from analysis.truth.output import load_run, write_truth
from analysis.truth.shortcuts import agreement_with_verdict, checks_table, truth_table
from tests.analysis.attribution_files import write_attributions
from tests.analysis.plausibility import slow

METHODS = ("good", "attention", "gradient")


def rows(texts=40, seed=0, swapped=False, flips=1.0):
    """The shortcut is at one random position; `good` finds it, the others know nothing."""
    made = []
    for index in range(texts):
        text = numpy.random.default_rng(index)
        model = numpy.random.default_rng([index, seed])
        length, label = int(text.integers(3, 9)), index % 2
        marks = [0] * length
        marks[int(text.integers(length))] = 1
        flipped = swapped and index < flips * texts
        row = {
            "id": f"text-{index}",
            "tokens": [f"w{number}" for number in range(length)],
            "label": str(label ^ int(swapped)),
            "predicted": str(label ^ int(flipped)),
            "rationale": marks,
        }
        row.update({name: model.integers(0, 4, length).astype(float).tolist() for name in METHODS})
        row["good"] = [float(mark) for mark in marks]
        made.append(row)
    return made


def guesses(texts=40, right=0.5):
    made = rows(texts)
    for index, row in enumerate(made):
        row["predicted"] = row["label"] if index < right * texts else str(1 - int(row["label"]))
    return made


def shortcut_run(folder, kind="single", seed=0, flips=1.0, original=0.5, wrong=0):
    synthetic = rows(seed=seed)
    for row in synthetic[:wrong]:
        row["predicted"] = str(1 - int(row["label"]))
    contents = {
        "synthetic": synthetic,
        "swapped": rows(seed=seed, swapped=True, flips=flips),
        "original": guesses(right=original),
    }
    folder.mkdir(exist_ok=True)
    files = {
        name: write_attributions(
            folder / f"{kind}-{seed}-{name}.parquet", content, METHODS, labels=["0", "1"]
        )
        for name, content in contents.items()
    }
    return load_run(kind, seed, files)


def test_a_shortcut_is_learned_if_swapping_it_changes_predictions(tmp_path):
    run = shortcut_run(tmp_path)
    assert run.why_not == ""
    assert run.flips.all()


@pytest.mark.parametrize(
    "options, reason",
    [
        ({"wrong": 1}, "accuracy on texts with the shortcut is 0.975"),
        ({"original": 1.0}, "had a meaning before"),
        ({"flips": 0.4}, "changes the prediction of 16 texts"),
    ],
)
def test_a_shortcut_that_was_not_learned_is_not_judged(tmp_path, options, reason):
    run = shortcut_run(tmp_path, **options)
    assert reason in run.why_not
    assert len(truth_table([run], {})) == 0
    (check,) = checks_table([run]).to_dict("records")
    assert check["learned"] == run.why_not


def test_files_must_have_the_same_texts(tmp_path):
    write = lambda name, content: write_attributions(  # noqa: E731
        tmp_path / f"{name}.parquet", content, METHODS, labels=["0", "1"]
    )
    files = {name: write(name, rows()) for name in ("synthetic", "swapped")}
    files["original"] = write("original", rows(texts=39))
    with pytest.raises(AnalysisError, match="its texts are not those of"):
        load_run("single", 1, files)


def test_only_texts_whose_prediction_flips_count(tmp_path):
    run = shortcut_run(tmp_path, flips=0.75)
    table = truth_table([run], {}).set_index("method")
    counted = run.synthetic.table[:30]
    for method in METHODS:
        texts = list(zip(counted[method], counted["rationale"], strict=True))
        expected = {
            "precision@k": [slow.expected(s, slow.precision_at, m, 1) for s, m in texts],
            "last rank": [slow.expected(s, slow.last_marked, m) for s, m in texts],
            "average precision": [slow.expected(s, slow.average_precision, m) for s, m in texts],
        }
        for name, values in expected.items():
            assert table.loc[method, name] == pytest.approx(numpy.mean(values))
    lengths = counted["tokens"].map(len)
    assert table["precision@k chance"].iloc[0] == pytest.approx((1 / lengths).mean())
    assert table["last rank chance"].iloc[0] == pytest.approx(((lengths + 1) / 2).mean())
    assert set(table["texts"]) == {30}


def test_verdicts_are_compared_with_the_truth(tmp_path):
    run = shortcut_run(tmp_path)
    truth = truth_table([run], {}).set_index("method")["average precision"]
    same = {"single": {name: float(truth[name]) for name in METHODS}}
    opposite = {"single": {name: -float(truth[name]) for name in METHODS}}
    assert agreement_with_verdict(truth_table([run], same)) == pytest.approx(1)
    assert agreement_with_verdict(truth_table([run], opposite)) == pytest.approx(-1)
    assert numpy.isnan(agreement_with_verdict(truth_table([run], {})))


def test_the_page_and_tables_show_what_was_learned_and_what_was_not(tmp_path, capsys):
    runs = [shortcut_run(tmp_path / "files", seed=seed) for seed in (1, 2, 3)]
    runs.append(shortcut_run(tmp_path / "files", kind="ordered", flips=0.1))
    verdict = tmp_path / "verdict.json"
    methods = [{"name": name, "score": 0.5} for name in METHODS]
    verdict.write_text(json.dumps({"headline": "It can <be> trusted", "methods": methods}))
    table = write_truth(tmp_path, runs, {"single": verdict}, "a model")
    assert set(table["kind"]) == {"single"}
    assert set(table["seeds"]) == {3}
    page, markdown = (tmp_path / f"truth.{end}" for end in ("html", "md"))
    assert "It can &lt;be&gt; trusted" in page.read_text()
    assert "random scores" in page.read_text()
    assert "changes the prediction of 4 texts" in page.read_text()
    assert "## Ordered" in markdown.read_text()
    printed = capsys.readouterr().out
    assert "single: good finds the shortcut best (precision@k 1.000;" in printed
    assert "ordered, seed 0: not learned, no judgement" in printed


def test_known_columns_survive_the_csv(tmp_path):
    write_truth(tmp_path, [shortcut_run(tmp_path / "files")], {}, "")
    lines = (tmp_path / "truth.csv").read_text().splitlines()
    assert len(lines) == 1 + len(METHODS)
    assert lines[0].startswith("kind,method,precision@k,precision@k low,precision@k high")
    assert load_attributions(tmp_path / "files" / "single-0-synthetic.parquet").methods == list(
        METHODS
    )
