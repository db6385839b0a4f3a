"""`python -m analysis table`: what can be asked for, and what it says when it cannot be had."""

import json

import pytest

from analysis.__main__ import main
from analysis.papers.discovery import EXHIBITIONS
from tests.analysis.attribution_files import random_rows, write_attributions
from tests.analysis.papers.studies import JAIN_WALLACE, MEISTER, write_run


def run(capsys, *arguments):
    code = main(["table", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_a_paper_fills_all_it_can_and_says_what_it_cannot(tmp_path, capsys):
    path = write_run(tmp_path / "a.parquet", MEISTER)
    code, out, _ = run(capsys, "meister", path, "-o", tmp_path / "out")
    assert code == 0
    names = [
        entry["name"]
        for entry in json.loads((tmp_path / "out/manifest.json").read_text())["entries"]
    ]
    assert names == [
        "meister-table-1",
        "meister-table-3",
        "meister-table-6",
        "meister-table-6-differences",
        "meister-correlations-sst-bilstm",
        "meister-entropies",
    ]
    assert (
        "meister-table-2 is not filled: it takes at least 3 models with sparsegen or sparsemax "
        "attention, and there are none" in out
    )
    for ending in ("csv", "json", "md", "tex"):
        assert (tmp_path / "out" / f"meister-table-6.{ending}").is_file()
    for ending in ("svg", "png"):
        assert (tmp_path / "out" / f"meister-entropies.{ending}").is_file()


def test_one_table_is_written_alone(tmp_path, capsys):
    path = write_run(tmp_path / "runs" / "a.parquet")
    out = tmp_path / "out"
    code, *_ = run(capsys, "jain-wallace-correlations", path.parent, "-o", out)
    assert code == 0
    assert sorted(file.name for file in out.iterdir()) == [
        *(
            f"jain-wallace-correlations{part}.{kind}"
            for part in ("-differences", "")
            for kind in ("csv", "json", "md", "tex")
        ),
        "manifest.json",
    ]


def test_the_same_files_give_the_same_bytes(tmp_path, capsys):
    path = write_run(tmp_path / "a.parquet", projection="sparsemax", texts=20)
    for folder in ("one", "two"):
        assert run(capsys, "neely-schouten", path, "-o", tmp_path / folder)[0] == 0
    for file in sorted((tmp_path / "one").iterdir()):
        if file.name != "manifest.json":
            assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name


def test_models_that_lack_a_method_are_left_out_of_a_paper_and_named(tmp_path, capsys):
    whole = write_run(tmp_path / "whole.parquet", scorer="scaled_dot")
    lacking = write_run(tmp_path / "lacking.parquet", ["attention", "leave-one-out"])
    code, out, _ = run(capsys, "jain-wallace", whole, lacking, "-o", tmp_path / "out")
    assert code == 0
    assert (
        f"jain-wallace-correlations is without some models: {lacking}: has no 'gradient-x-input'; "
        "it has attention, leave-one-out" in out
    )
    table = (tmp_path / "out" / "jain-wallace-correlations.md").read_text()
    assert "bilstm dot softmax" in table and "bilstm tanh softmax" not in table


def test_a_table_asked_for_by_name_wants_every_file_to_serve(tmp_path, capsys):
    whole = write_run(tmp_path / "whole.parquet", scorer="scaled_dot")
    lacking = write_run(tmp_path / "lacking.parquet", ["attention", "leave-one-out"])
    out = tmp_path / "out"
    code, _, error = run(capsys, "jain-wallace-correlations", whole, lacking, "-o", out)
    assert code == 2 and error.startswith(f"error: {lacking}: has no 'gradient-x-input'")
    assert error.count("\n") == 1 and not out.exists()


def test_a_method_with_other_options_is_not_the_papers(tmp_path, capsys):
    rows = random_rows(10, JAIN_WALLACE)
    options = {name: {"parameters": {}} for name in JAIN_WALLACE}
    options["gradient-x-input"] = {"parameters": {"of": "probability", "absolute": False}}
    path = write_attributions(tmp_path / "a.parquet", rows, interpreters=options)
    code, _, error = run(capsys, "jain-wallace", path, "-o", tmp_path / "out")
    assert code == 2
    assert f"{path}: its 'gradient-x-input' has absolute = False, the paper's has True" in error


def test_an_unknown_name_gets_the_list(tmp_path, capsys):
    path = write_run(tmp_path / "a.parquet", texts=5)
    code, _, error = run(capsys, "jain", path, "-o", tmp_path / "out")
    assert code == 2 and "there is no table 'jain'; there are" in error
    assert all(each.name in error for each in EXHIBITIONS if each.exhibits)
    assert "single parts of these (--help)" in error
    _, _, error = run(capsys, "jain-walace", path, "-o", tmp_path / "out")
    assert "there is no table 'jain-walace'; did you mean 'jain-wallace'? there are" in error


@pytest.mark.parametrize(
    "name,said",
    [
        ("absent.parquet", "no such file"),
        ("empty", "holds no attribution, perturbation or faithfulness file"),
    ],
)
def test_locations_without_attributions_raise(tmp_path, capsys, name, said):
    (tmp_path / "empty").mkdir()
    code, _, error = run(capsys, "meister", tmp_path / name, "-o", tmp_path / "out")
    assert code == 2 and str(tmp_path / name) in error and said in error


def test_what_fails_leaves_earlier_results_as_they_were(tmp_path, capsys):
    path = write_run(tmp_path / "a.parquet")
    out = tmp_path / "out"
    assert run(capsys, "jain-wallace-correlations", path, "-o", out)[0] == 0
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    assert run(capsys, "meister-table-6", path, "-o", out)[0] == 2
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


def test_seeds_with_different_texts_raise(tmp_path, capsys):
    one = write_run(tmp_path / "one.parquet", seed=1, texts=10)
    other = write_run(tmp_path / "other.parquet", seed=2, texts=11)
    code, _, error = run(capsys, "jain-wallace", one, other, "-o", tmp_path / "out")
    assert code == 2 and "10 and 11 texts" in error
