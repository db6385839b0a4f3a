"""`python -m analysis agreement`: what it writes, and what it rejects."""

import json
import re
import shutil

import numpy
import pandas
import pyarrow.parquet
import pytest

from analysis.__main__ import main
from analysis.formats import read_csv
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import config, random_rows, write_attributions

FAST = ["--draws", "100", "--control-draws", "2"]


def write(path, *, texts=20, seed=1, noise=0.5, rationale=False, **given):
    rows = random_rows(texts, seed=seed, noise=noise, rationale=rationale)
    return write_attributions(path, rows, **{"config": config(seed), **given})


def agreement(*arguments):
    return main(["agreement", *map(str, arguments), *FAST])


def written(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


def test_one_file_gives_tables_a_matrix_a_finding_and_the_values(tmp_path, capsys):
    folder = tmp_path / "out"
    assert agreement(write(tmp_path / "a.parquet"), "-o", folder) == 0
    printed = capsys.readouterr().out
    assert "attention : gradient" in printed and printed.endswith(f"written to {folder}\n")
    manifest = json.loads((folder / "manifest.json").read_text())
    kinds = {entry["name"]: entry["kind"] for entry in manifest["entries"]}
    assert kinds == {
        "agreement": "table",
        "agreement-finding-1": "sentence",
        "agreement-matrix-bilstm-tanh-softmax-kendall": "figure",
        "agreement-paired-methods": "table",
        "agreement-apart": "table",
    }
    for entry in manifest["entries"]:
        assert all((folder / name).stat().st_size for name in entry["files"].values())
    assert manifest["commands"]["agreement"]["parameters"]["draws"] == 100
    table = pandas.read_csv(folder / "agreement.csv")
    assert len(table) == 3 * 3 and set(table["group"]) == {"overall", "0", "1"}
    values = pandas.read_parquet(folder / "instances.parquet")
    assert len(values) == 3 * 20 and values["id"].nunique() == 20


def test_seeds_are_one_model_and_other_models_are_compared(tmp_path):
    files = [
        write(tmp_path / "one.parquet", seed=1),
        write(tmp_path / "two.parquet", seed=2),
        write(tmp_path / "other.parquet", config=config(1, encoder="cnn")),
    ]
    folder = tmp_path / "out"
    assert agreement(*files, "-o", folder, "--pairs", "attention:gradient", "--by", "none") == 0
    table = pandas.read_csv(folder / "agreement.csv")
    assert table["model"].tolist() == ["bilstm tanh softmax", "cnn tanh softmax"]
    assert table["seeds"].tolist() == [2, 1]
    compared = pandas.read_csv(folder / "agreement-paired-models.csv")
    assert compared["texts"].tolist() == [20]


def test_names_of_the_data_reach_every_format_and_the_report(tmp_path, capsys):
    methods = ["attention", '=HYPERLINK("http://a.invalid")', "a\rb\x0b$\\frac$"]
    labels = ["<b>\u2028</b>", "-x\x85\n\n"]
    rows = random_rows(20, methods)
    for row in rows:
        row["label"] = row["predicted"] = labels[int(row["predicted"])]
    named = config(corpus="[a](http://b.invalid)\x1b[31m")
    folder = tmp_path / "out"
    file = write_attributions(tmp_path / "a.parquet", rows, methods, named, labels=labels)
    assert agreement(file, "-o", folder) == 0
    assert main(["report", str(folder)]) == 0
    assert not re.search(r"[^\n -~]", capsys.readouterr().out)
    table = read_csv(folder / "agreement.csv")
    assert set(table["group"]) == {"overall", *labels}
    assert set(table["first"]) | set(table["second"]) == set(methods)
    assert "\n=" not in (folder / "agreement.csv").read_text()
    assert "<b>" not in (folder / "agreement.md").read_text().replace(r"\<b>", "")
    assert "\n\n" not in (folder / "agreement.tex").read_text()
    page = (folder / "report.html").read_text()
    assert "&lt;b&gt;" in page and "=HYPERLINK(&quot;http://a.invalid&quot;)" in page


def test_the_rationale_is_one_more_method(tmp_path):
    folder = tmp_path / "out"
    assert agreement(write(tmp_path / "a.parquet", rationale=True), "-o", folder) == 0
    table = pandas.read_csv(folder / "agreement.csv")
    assert len(set(zip(table["first"], table["second"]))) == 6
    assert "rationale" in set(table["second"])


def test_of_several_annotators_it_is_the_share_who_marked_a_token(tmp_path):
    rows = [{"rationale": [[1, 0, 0], [1, 1, 0]]}, {"rationale": None}, {"rationale": [[0, 1]]}]
    of_a_text = {"label": "1", "predicted": "1", "attention": None}
    path = write_attributions(tmp_path / "a.parquet", [{**of_a_text, **row} for row in rows])
    scores = load_attributions(path).scores("rationale")
    assert [text.tolist() for text in scores] == [[1, 0.5, 0], [], [0, 1]]
    assert scores.known.tolist() == [True, False, True]


def test_measures_pairs_and_groups_are_as_asked(tmp_path):
    folder = tmp_path / "out"
    pairs = ["--pairs", "attention:gradient", "leave-one-out:attention"]
    measures = ["--measures", "fagin:k=3", "jsd", "fagin:k=3"]
    file = write(tmp_path / "a.parquet")
    assert agreement(file, "-o", folder, *pairs, *measures, "--by", "label") == 0
    table = pandas.read_csv(folder / "agreement.csv")
    assert table["measure"].unique().tolist() == ["fagin:k=3", "jsd"]
    assert set(table["by"]) == {"label"}
    found = dict.fromkeys(zip(table["first"], table["second"]))
    assert list(found) == [("attention", "gradient"), ("leave-one-out", "attention")]


def test_the_same_command_writes_the_same_bytes(tmp_path):
    file = write(tmp_path / "a.parquet")
    folder = tmp_path / "out"
    runs = []
    for _ in range(2):
        assert agreement(file, "-o", folder) == 0
        runs.append(written(folder))
    assert runs[0] == runs[1]
    assert agreement(file, "-o", folder, "--seed", "7") == 0
    assert written(folder)["agreement.csv"] != runs[0]["agreement.csv"]


def test_of_each_model_all_its_methods_are_compared(tmp_path):
    whole = write(tmp_path / "whole.parquet")
    less = write(
        tmp_path / "less.parquet",
        config=config(encoder="affine"),
        methods=["attention", "gradient"],
    )
    assert agreement(whole, less, "-o", tmp_path / "out") == 0
    table = pandas.read_csv(tmp_path / "out" / "agreement.csv")
    methods = {
        model: set(rows["first"]) | set(rows["second"]) for model, rows in table.groupby("model")
    }
    assert methods == {
        "bilstm tanh softmax": {"attention", "gradient", "leave-one-out"},
        "affine tanh softmax": {"attention", "gradient"},
    }
    # Models are compared with each other by what both have.
    across = pandas.read_csv(tmp_path / "out" / "agreement-paired-models.csv")
    assert set(across["pair"]) == {"attention : gradient"}


def test_texts_without_a_value_are_counted(tmp_path, capsys):
    rows = random_rows(20)
    rows[0]["gradient"] = None
    for row in rows:
        row["leave-one-out"] = [0.0] * len(row["tokens"])
    file = write_attributions(tmp_path / "a.parquet", rows)
    assert agreement(file, "-o", tmp_path / "out", "--by", "none") == 0
    table = pandas.read_csv(tmp_path / "out" / "agreement.csv").set_index(["first", "second"])
    assert table.loc[("attention", "gradient"), "reasons"] == "no scores: 1"
    nothing = table.loc[("attention", "leave-one-out")]
    assert (nothing["n"], nothing["undefined"]) == (0, 20) and pandas.isna(nothing["mean"])
    assert "has no value on any text" in capsys.readouterr().out


def test_a_k_that_is_no_less_than_a_text_is_said_and_never_passes_for_agreement(tmp_path, capsys):
    file = write(tmp_path / "a.parquet")
    lengths = pandas.read_parquet(file)["tokens"].map(len)
    short = (lengths <= 10).sum()
    measures = ["--measures", "top-k-overlap:k=10", "fagin:k=10", "top-k-overlap:k=20"]
    assert agreement(file, "-o", tmp_path / "out", "--by", "none", *measures) == 0
    table = pandas.read_csv(tmp_path / "out" / "agreement.csv").set_index("measure")
    assert (table.loc["top-k-overlap:k=10", "reasons"] == f"k is the whole text: {short}").all()
    assert (table.loc["top-k-overlap:k=10", "n"] == 20 - short).all() and 0 < short < 20
    assert table.loc["top-k-overlap:k=20", "mean"].isna().all()
    assert (
        agreement(file, "-o", tmp_path / "alone", "--by", "none", *measures[:1], measures[-1]) == 0
    )
    assert "no pair of methods has a value (k is the whole text)." in capsys.readouterr().out
    note = json.loads((tmp_path / "out" / "manifest.json").read_text())["entries"][0]["note"]
    assert f"fagin:k=10: in {short} of 20 texts k is the whole text." in note


def other_corpus(folder):
    return [write(folder / "b.parquet", seed=2, config=config(2, corpus="sst"))]


def other_data(folder):
    return [write(folder / "b.parquet", seed=2, data_sha256="of other texts")]


def fewer_texts(folder):
    return [write(folder / "b.parquet", seed=2, texts=19, data_sha256="of fewer texts")]


def other_ids(folder):
    rows = random_rows(20, seed=2)
    rows[2]["id"] = "somebody else's"
    return [write_attributions(folder / "b.parquet", rows, config=config(2))]


def repeated_ids(folder):
    rows = random_rows(20, seed=2)
    rows[2]["id"] = rows[1]["id"]
    return [write_attributions(folder / "a.parquet", rows)]


def truncated(folder):
    whole = write(folder / "b.parquet", seed=2)
    whole.write_bytes(whole.read_bytes()[:1000])
    return [whole]


def no_texts(folder):
    rows = random_rows(1, seed=2)
    path = write_attributions(folder / "b.parquet", rows, config=config(2))
    pyarrow.parquet.write_table(pyarrow.parquet.read_table(path).slice(0, 0), path)
    return [path]


def same_file(folder):
    return [folder / ".." / folder.name / "a.parquet"]


def one_method(folder):
    return [write(folder / "b.parquet", seed=2, methods=["gradient"])]


def one_method_less(folder):
    files = [write(folder / "b.parquet", seed=2, methods=["attention", "gradient"])]
    return [*files, "--pairs", "attention:leave-one-out"]


@pytest.fixture(scope="module")
def analysed(tmp_path_factory):
    """A folder with a file, and what was made of it."""
    folder = tmp_path_factory.mktemp("analysed")
    assert agreement(write(folder / "a.parquet"), "-o", folder / "out") == 0
    return folder


@pytest.mark.parametrize(
    "others, expected",
    [
        (other_corpus, "a.parquet and .*b.parquet are about different corpora, small and sst"),
        (other_data, "are about different data, though the ids are the same"),
        (fewer_texts, "are about different data, 20 and 19 texts"),
        (other_ids, "not have the same ids: text 3 is 'text-2' and 'somebody else's'"),
        (repeated_ids, "a.parquet: the id 'text-1' is there more than once"),
        (truncated, "b.parquet: not a readable parquet file"),
        (no_texts, "b.parquet: contains no texts"),
        (same_file, "a.parquet: given twice"),
        (one_method, "b.parquet: gradient is the only method, and it takes two to agree"),
        (one_method_less, "b.parquet: has no method 'leave-one-out'; it has attention, gradient"),
        (lambda folder: ["--pairs", "attention:shap"], "a.parquet: has no method 'shap'; it has"),
        (lambda folder: ["--pairs", "attention"], "'attention' is no pair of methods"),
        (lambda folder: ["--pairs", "a:a"], "'a:a' pairs a method with itself"),
        (lambda folder: ["--measures", "tau"], "there is no measure 'tau'; there are"),
        (lambda folder: ["--measures", "kendall:k=2"], "measure 'kendall' has no option 'k=2'"),
        (lambda folder: ["--by", "colour"], "a.parquet: has no column 'colour'"),
        (lambda folder: ["--by", "tokens"], "a.parquet: column 'tokens' has lists"),
        (lambda folder: [folder / "absent.parquet"], "absent.parquet: no such file"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_earlier_outputs(
    analysed, tmp_path, capsys, others, expected
):
    shutil.copytree(analysed, tmp_path, dirs_exist_ok=True)
    first, folder = tmp_path / "a.parquet", tmp_path / "out"
    before = written(folder)
    more = others(tmp_path)
    first = [] if more[0] == first else [first]
    assert agreement(*first, *more, "-o", folder) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and error.count("\n") == 1
    assert re.search(expected, error), error
    assert written(folder) == before


def test_too_many_groups_are_none(tmp_path, capsys):
    file = write(tmp_path / "a.parquet", texts=30)
    assert agreement(file, "-o", tmp_path / "out", "--by", "id") == 2
    assert "column 'id' would make 30 groups, more than 20" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_found_before_the_work(tmp_path, capsys):
    file = write(tmp_path / "a.parquet")
    assert agreement(file, "-o", file) == 2
    assert "a.parquet: is a file, and no folder to write into" in capsys.readouterr().err
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "manifest.json").write_text("{")
    assert agreement(tmp_path / "absent.parquet", "-o", tmp_path / "out") == 2
    assert "manifest.json: is damaged: not JSON" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--draws", "--control-draws", "--seed"])
def test_numbers_that_make_no_sense_are_rejected(tmp_path, capsys, option):
    file = write(tmp_path / "a.parquet")
    with pytest.raises(SystemExit) as stopped:
        main(["agreement", str(file), "-o", str(tmp_path / "out"), option, "-1"])
    assert stopped.value.code == 2
    assert f"argument {option}: has to be at least" in capsys.readouterr().err


SIGNED = {"attention": False, "gradient": True, "lrp": True, "gini": False}


def signed_file(path, methods=tuple(SIGNED)):
    """All see the same sizes; what the signed ones see has a random sign, the same for both."""
    rows = random_rows(20)
    for number, row in enumerate(rows):
        sizes = [score + 1 for score in row["attention"]]
        signs = numpy.random.default_rng(number).choice([-1, 1], len(sizes))
        for name, signed in SIGNED.items():
            row[name] = (signs * sizes).tolist() if signed else sizes
    declared = {name: {"signed": SIGNED[name]} for name in methods}
    return write_attributions(path, rows, list(declared), interpreters=declared)


def compared(folder):
    table = pandas.read_csv(folder / "agreement.csv").query("group == 'overall'")
    pairs = table["first"] + ":" + table["second"]
    return dict(zip(pairs, zip(table["compared"], table["mean"].round(9))))


def test_like_is_compared_with_like_whatever_else_is_in_the_file(tmp_path, capsys):
    file = signed_file(tmp_path / "all.parquet")
    assert agreement(file, "-o", tmp_path / "all") == 0
    found = compared(tmp_path / "all")
    assert found["attention:gini"] == ("scores", 1)
    assert found["attention:lrp"] == found["lrp:gini"] == ("sizes", 1)
    assert found["gradient:lrp"] == ("signed scores", 1)
    assert "with gradient (1.000)" in capsys.readouterr().out
    for methods in (["attention", "lrp"], ["gradient", "lrp"], ["attention", "gini"]):
        few = signed_file(tmp_path / "few.parquet", methods)
        assert agreement(few, "-o", tmp_path / "few") == 0
        assert compared(tmp_path / "few").items() <= found.items()


def test_all_can_be_compared_by_sizes_or_as_they_are(tmp_path):
    file = signed_file(tmp_path / "a.parquet")
    notes = {}
    for option in ("--absolute", "--signed"):
        assert agreement(file, "-o", tmp_path / option, option) == 0
        manifest = json.loads((tmp_path / option / "manifest.json").read_text())
        notes[option] = manifest["entries"][0]["note"]
    sizes, given = compared(tmp_path / "--absolute"), compared(tmp_path / "--signed")
    assert sizes["gradient:lrp"] == ("sizes", 1) and sizes["attention:gini"] == ("scores", 1)
    how, mean = given["attention:lrp"]
    assert how == "signed with unsigned" and mean < 0.5
    assert given["gradient:lrp"] == ("signed scores", 1)
    assert "by sizes" in notes["--absolute"] and "by sizes" not in notes["--signed"]
    assert "disagree by convention" in notes["--signed"]
    with pytest.raises(SystemExit):
        agreement(file, "-o", tmp_path / "both", "--absolute", "--signed")
