"""What a layperson can guess from the top words, on texts of which one word gives the label away."""

import numpy
import pytest

from analysis.__main__ import main
from analysis.errors import AnalysisError
from analysis.text_files import load_attributions
from analysis.truth.simulatability import guesses, messages, simulatability_table
from tests.analysis.attribution_files import write_attributions


def rows(split, texts=60, seed=0):
    """The last word says what the model predicts; `good` finds it, `bad` never does."""
    random = numpy.random.default_rng(seed)
    made = []
    for number in range(texts):
        label = str(number % 2)
        length = int(random.integers(6, 9))
        words = [f"w{random.integers(5)}" for _ in range(length - 1)]
        last = [0.0] * (length - 1) + [1.0]
        made.append(
            {
                "id": f"{split}-{number}",
                "tokens": [*words, f"clue{label}"],
                "label": label if number % 4 else str(1 - int(label)),
                "predicted": label,
                "good": last,
                "bad": [-value for value in last],
            }
        )
    return made


@pytest.fixture
def files(tmp_path):
    return [
        write_attributions(
            tmp_path / f"{split}.parquet",
            rows(split, seed=seed),
            ["good", "bad"],
            weights_sha256="w",
        )
        for seed, split in enumerate(("train", "test"))
    ]


def test_a_method_that_finds_the_clue_communicates_the_label(files):
    table = simulatability_table(*map(load_attributions, files)).set_index(["method", "k"])
    for k in (1, 3, 5):
        assert table.loc[("good", k), "CSR"] == 1
        # A quarter of the predictions is wrong.
        assert table.loc[("good", k), "accuracy"] == pytest.approx(0.75)
        assert table.loc[("bad", k), "CSR"] < 0.8
        assert table.loc[("first words", k), "CSR"] < 0.8
    assert set(table["texts"]) == {60}
    assert table.loc[("random words", 5), "CSR"] > table.loc[("random words", 1), "CSR"]


def test_messages_are_the_top_words_with_ties_at_random(tmp_path):
    row = {"id": "a", "tokens": list("abcdef"), "label": "0", "predicted": "0"}
    made = [{**row, "id": f"{n}", "good": [0, 0, 0, 0, 0, 9]} for n in range(200)]
    file = load_attributions(write_attributions(tmp_path / "a.parquet", made, ["good"]))
    found = messages(file, "good", 2)
    assert {first for first, _ in found} == {"f"}
    counts = [sum(second == word for _, second in found) for word in "abcde"]
    assert sum(counts) == 200 and min(counts) > 15
    assert messages(file, "good", 2) == found
    assert messages(file, "first words", 3)[0] == ["a", "b", "c"]
    assert len(messages(file, "good", 9)[0]) == 6


def test_a_layperson_sees_bags_of_whole_words():
    train = [["not good", "x"], ["good", "x"]] * 10
    said = guesses(train, ["0", "1"] * 10, [["x", "not good"], ["good"]])
    assert said.tolist() == ["0", "1"]


def test_files_that_do_not_belong_together_are_errors(files, tmp_path):
    train, test = map(load_attributions, files)
    with pytest.raises(AnalysisError, match="has texts of"):
        simulatability_table(train, train)
    with pytest.raises(AnalysisError, match="must be 1 or more"):
        simulatability_table(train, test, [0])
    other = write_attributions(
        tmp_path / "other.parquet", rows("x"), ["good"], weights_sha256="another"
    )
    with pytest.raises(AnalysisError, match="is of another model"):
        simulatability_table(train, load_attributions(other))
    same = [{**row, "predicted": "0"} for row in rows("y")]
    one = load_attributions(
        write_attributions(tmp_path / "one.parquet", same, ["good"], weights_sha256="w")
    )
    with pytest.raises(AnalysisError, match="the same prediction"):
        simulatability_table(one, test)


def test_the_command_prints_and_writes_the_table(files, tmp_path, capsys):
    assert not main(["simulatability", *map(str, files), "-o", str(tmp_path / "table.csv")])
    assert "CSR, k = 3 [95 %]" in capsys.readouterr().out
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 1 + 4 * 3
