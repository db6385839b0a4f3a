"""Measures of faithfulness against known causes: both made up, so that the answer is known."""

import numpy
import pandas
import pytest

from analysis.__main__ import main
from analysis.papers.planted_truth import (
    agreement_rows,
    attention_rows,
    cause_first_rows,
    judged_models,
    over_models,
)
from analysis.papers.shared.study_files import load_study
from tests.analysis.attribution_files import config, write_attributions
from tests.analysis.faithfulness.faithfulness_files import judged_rows, write_faithfulness

# How often each method's highest score is at the cause, from the best to the worst.
METHODS = {"lrp": 1.0, "gradient": 0.8, "smoothgrad": 0.5, "attention": 0.1}
TEXTS = 20


def planted(seed=1, **more):
    made = config(seed, **more)
    made["dataset_reader"] = {"type": "planted", "preset": "easy"}
    return made


def explained_rows(methods=METHODS):
    """Texts of five tokens, the cause third."""
    rows = []
    for index in range(TEXTS):
        row = {
            "id": f"text-{index}",
            "tokens": list("abcde"),
            "label": str(index % 2),
            "predicted": str(index % 2),
            "rationale": [0, 0, 1, 0, 0],
        }
        for method, share in methods.items():
            top = 2 if index < share * TEXTS else 0
            row[method] = [1.0 if position == top else 0.1 for position in range(5)]
        rows.append(row)
    return rows


def write(folder, seed=1, positions=None, given=None, methods=METHODS):
    given = given or planted(seed)
    positions = positions or {name: share / 2 for name, share in METHODS.items()}
    weights = {"weights_sha256": f"weights {folder.name} {seed}"}
    folder.mkdir(parents=True, exist_ok=True)
    write_attributions(
        folder / f"a{seed}.parquet", explained_rows(methods), list(methods), given, **weights
    )
    rows = judged_rows(TEXTS, positions, ["delete"], seed, noise=0.01)
    write_faithfulness(folder / f"f{seed}.parquet", rows, seed, given, **weights)


def rows_of(folder):
    return [row for one in judged_models(load_study([folder])) for row in agreement_rows(one)]


def by_measure(rows):
    return {row["measure"]: row for row in rows}


def test_a_measure_that_ranks_as_the_truth_does_has_a_tau_of_1(tmp_path):
    write(tmp_path)
    found = by_measure(rows_of(tmp_path))["comprehensiveness"]
    assert found["tau"] == pytest.approx(1.0)
    assert found["tau first"] == pytest.approx(1.0)
    assert (found["chosen"], found["lost"]) == ("lrp", 0.0)


def test_one_that_ranks_the_other_way_is_wrong_and_loses(tmp_path):
    write(tmp_path, positions=dict(zip(METHODS, [0.1, 0.2, 0.3, 0.9])))
    found = by_measure(rows_of(tmp_path))["sufficiency"]
    assert found["tau"] == pytest.approx(-1.0)
    assert found["chosen"] == "attention"
    # Average precision of a cause that is first in 2 of 20 texts, and tied for second position in others.
    attention = (2 * 1.0 + 18 * numpy.mean([1 / 2, 1 / 3, 1 / 4, 1 / 5])) / 20
    assert found["lost"] == pytest.approx(1 - attention)


def test_the_control_among_the_methods_is_not_ranked(tmp_path):
    write(tmp_path, positions={**dict.fromkeys(METHODS, 0.1), "lrp": 0.9})
    methods = {**METHODS, "random": 0.2}
    write_attributions(
        tmp_path / "a1.parquet",
        explained_rows(methods),
        list(methods),
        planted(),
        weights_sha256=f"weights {tmp_path.name} 1",
    )
    assert by_measure(rows_of(tmp_path))["comprehensiveness"]["methods"] == len(METHODS)


def test_files_are_joined_by_the_weights(tmp_path):
    write(tmp_path)
    other = write_faithfulness(
        tmp_path / "f1.parquet", judged_rows(TEXTS), given=planted(), weights_sha256="others"
    )
    assert other.exists()
    assert rows_of(tmp_path) == []


def test_means_are_over_models_seeds_averaged():
    table = pandas.DataFrame(
        {
            "measure": "m",
            "erasure": "",
            "corpus": "c",
            "model": ["one", "one", "other"],
            "tau": [0.0, 1.0, 0.9],
        }
    )
    (row,) = over_models(table, ["tau"], []).to_dict("records")
    assert row["tau"] == pytest.approx((0.5 + 0.9) / 2)
    assert (row["models"], row["trained"]) == (2, 3)


def test_wrong_attention_is_compared_with_that_of_plain_models(tmp_path):
    write(tmp_path / "plain")
    callback = {"type": "deceptive_attention", "strength": 1}
    write(tmp_path / "deceptive", given=planted(trainer={"callbacks": [callback]}))
    study = load_study([tmp_path / "plain", tmp_path / "deceptive"])
    found = [row for one in judged_models(study) for row in attention_rows(one)]
    assert {row["role"] for row in found} == {"plain", "deceptive"}
    assert all(row["truth"] < 0.5 for row in found)


def test_the_command(tmp_path, capsys):
    for seed in (1, 2):
        write(tmp_path / "runs", seed)
    erased = planted(3, trainer={"callbacks": ["erasure_training"]})
    write(tmp_path / "erased", 3, given=erased)
    callback = {"type": "deceptive_attention", "strength": 1}
    write(tmp_path / "deceptive", 4, given=planted(4, trainer={"callbacks": [callback]}))
    folders = [str(tmp_path / name) for name in ("runs", "erased", "deceptive")]
    out = tmp_path / "out"
    assert main(["table", "planted-truth", *folders, "-o", str(out)]) == 0
    said = capsys.readouterr().out
    assert "ranks methods most as the truth does: tau 1.000" in said
    for name in ("measures", "methods", "wrong-attention"):
        assert (out / f"planted-truth-{name}.csv").exists()
    assert (out / "planted-truth-tau.svg").exists()


def test_without_known_causes_there_is_no_truth(tmp_path, capsys):
    write(tmp_path, given=config())
    assert main(["table", "planted-truth", str(tmp_path), "-o", str(tmp_path / "out")]) != 0
    assert "causes are known" in capsys.readouterr().err


def test_how_often_the_cause_is_first_is_counted_over_texts_and_seeds_and_compared_with_chance(
    tmp_path,
):
    for seed, share in ((1, 1.0), (2, 0.9), (3, 0.5)):
        write(tmp_path, seed, methods={**METHODS, "lrp": share})
    rows = cause_first_rows(judged_models(load_study([tmp_path])))
    assert [row["method"] for row in rows].count("lrp") == 1 and len(rows) == len(METHODS)
    (lrp,) = [row for row in rows if row["method"] == "lrp"]
    assert lrp["cause first"] == pytest.approx(0.8) and lrp["chance"] == pytest.approx(0.2)
    # A share, of few seeds that differ much.
    assert 0 <= lrp["cause first low"] < 0.8 < lrp["cause first high"] == 1 and lrp["seeds"] == 3
    (wrong,) = [row for row in rows if row["method"] == "attention"]
    assert (
        wrong["cause first"] == pytest.approx(0.1)
        and wrong["cause first high"] < lrp["cause first"]
    )
