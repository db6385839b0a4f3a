"""Where the facts that an answer rests on are known: accuracy, mass on them, positions, each compared with chance."""

import json

import numpy
import pandas
import pytest

from analysis.__main__ import main
from analysis.papers.jain_wallace.supporting_facts import facts_table, with_known_causes
from analysis.papers.shared.study_files import load_study
from analysis.performance import NOTHING
from tests.analysis.attribution_files import config, write_attributions
from tests.analysis.faithfulness.faithfulness_files import judged_rows, write_faithfulness

LABELS = ["attic", "cellar", "garden", "kitchen"]
# How much of a method's size is on the facts, as a factor of what it is elsewhere.
METHODS = {"attention": 4.0, "lrp": 20.0, "gradient": 0.2, "random": 1.0}
SCORES = {"attention": 0.2, "lrp": 0.8, "gradient": 0.5}
WRONG = 5


def story(index: int, seed: int, candidates: int = 4, right: bool = True) -> dict:
    """Its facts are some words in the middle; what is no candidate has a probability of 0."""
    text, model = numpy.random.default_rng(index), numpy.random.default_rng([index, seed])
    length = int(text.integers(6, 20))
    facts = numpy.zeros(length, dtype=int)
    facts[2 : 2 + int(text.integers(1, 4))] = 1
    label, other = text.permutation(4)[:2]
    allowed = [label, *(position for position in range(4) if position != label)][:candidates]
    probs = [0.5 / candidates if position in allowed else 0.0 for position in range(4)]
    row = {
        "id": f"text-{index}",
        "tokens": [f"w{position}" for position in range(length)],
        "other": ["where", "is", "it"],
        "label": LABELS[label],
        "predicted": LABELS[label if right else other],
        "probs": probs,
        "rationale": facts.tolist(),
    }
    for method, factor in METHODS.items():
        signs = numpy.where(model.random(length) < 0.3, -1, 1)
        sizes = model.random(length) * numpy.where(facts, factor, 1.0)
        row[method] = (signs * sizes).tolist()
    return row


def write_model(folder, corpus="babi_1", judged=True, seeds=(1, 2, 3), wrong=WRONG, candidates=4):
    for seed in seeds:
        given = config(seed, dataset_reader={"type": "babi", "corpus": corpus})
        about = {"weights_sha256": f"{corpus} {seed}", "target": None}
        rows = [
            # Not the same ones whatever the seed.
            story(index, seed, candidates, (index + seed) % 30 >= wrong)
            for index in range(30)
        ]
        path = folder / f"a-{corpus}-{seed}.parquet"
        write_attributions(path, rows, list(METHODS), given, labels=LABELS, **about)
        if judged:
            # Fewer than are explained.
            rows = judged_rows(12, SCORES, ["delete"], seed)
            path = folder / f"f-{corpus}-{seed}.parquet"
            write_faithfulness(path, rows, seed, given, **about)
    return folder


def table_of(folder) -> pandas.DataFrame:
    return facts_table(with_known_causes(load_study([folder]))).set_index("method")


def slow_means(method: str, seeds=(1, 2, 3)):
    """From the definition: of every right answer of every seed, text by text."""
    masses, chances = [], []
    for seed in seeds:
        for index in range(30):
            if (index + seed) % 30 < WRONG:
                continue
            row = story(index, seed)
            sizes = [abs(score) for score in row[method]]
            on_facts = sum(size for size, fact in zip(sizes, row["rationale"]) if fact)
            masses.append(on_facts / sum(sizes))
            chances.append(sum(row["rationale"]) / len(row["tokens"]))
    return numpy.mean(masses), numpy.mean(chances)


def test_mass_chance_and_lift_are_those_of_the_definition(tmp_path):
    table = table_of(write_model(tmp_path))
    assert list(table.index) == list(METHODS)
    for method in METHODS:
        mass, chance = slow_means(method)
        row = table.loc[method]
        assert row["mass"] == pytest.approx(mass)
        assert row["chance"] == pytest.approx(chance)
        assert row["lift"] == pytest.approx(mass / chance)
        assert row["above chance"] == pytest.approx(mass - chance)
        assert row["mass score"] == pytest.approx((mass - chance) / (1 - chance))
        assert row["mass low"] < mass < row["mass high"]
        assert row["lift low"] < row["lift"] < row["lift high"]
    assert (
        table.loc["attention", "above chance low"] > 0 > table.loc["gradient", "above chance high"]
    )
    assert table.loc["random", "lift low"] < 1 < table.loc["random", "lift high"]
    # Three are wrong in every seed.
    assert (table["texts"] == 27).all()


def test_accuracy_is_next_to_the_published_one_and_that_of_a_guess(tmp_path):
    write_model(tmp_path, candidates=2)
    write_model(tmp_path, "stories")
    table = facts_table(with_known_causes(load_study([tmp_path])))
    first = table.drop_duplicates("corpus").set_index("corpus")
    assert first["accuracy"].tolist() == pytest.approx([25 / 30, 25 / 30])
    assert (first["accuracy low"] < 25 / 30).all() and (first["accuracy high"] > 25 / 30).all()
    assert first.loc["babi_1", "published accuracy"] == 1.0
    assert numpy.isnan(first.loc["stories", "published accuracy"])
    assert first.loc["babi_1", "guess"] == 0.5
    # If any label is allowed, the comparison is with the most frequent one.
    assert numpy.isnan(first.loc["stories", "guess"])


def test_scores_are_those_of_the_judged_texts(tmp_path):
    table = table_of(write_model(tmp_path))
    for method, position in SCORES.items():
        for measure in ("comprehensiveness", "sufficiency"):
            assert table.loc[method, measure] == pytest.approx(position, abs=0.1)
            assert (
                table.loc[method, f"{measure} low"]
                < position
                < table.loc[method, f"{measure} high"]
            )
    assert table["judged texts"].tolist() == [12, 12, 12, 0]
    assert numpy.isnan(table.loc["random", "comprehensiveness"])


def shown(folder) -> dict:
    """What the command leaves, by name."""
    listed = json.loads((folder / "manifest.json").read_text())["entries"]
    return {entry["name"]: entry for entry in listed}


def test_the_command_says_where_attention_points(tmp_path):
    out = tmp_path / "out"
    assert main(["table", "supporting-facts", str(write_model(tmp_path)), "-o", str(out)]) == 0
    said = shown(out)["supporting-facts-babi-1-bilstm-tanh-softmax"]["caption"]
    assert (
        "(accuracy 0.833 [" in said and "published: 1.000): attention points to the facts" in said
    )
    assert "lrp has most, 0." in said and "by comprehensiveness and" in said
    assert (out / "supporting-facts-scale.svg").exists()
    assert main(["report", str(out)]) == 0
    page = (out / "report.html").read_text()
    assert "Supporting facts" in page and "attention points to the facts" in page


@pytest.mark.parametrize(
    "factor, said", [(0.2, "points away from the facts"), (1.0, "no more than chance")]
)
def test_attention_that_looks_elsewhere_is_said_to(factor, said, tmp_path, monkeypatch):
    monkeypatch.setitem(METHODS, "attention", factor)
    out = tmp_path / "out"
    write_model(tmp_path, judged=False)
    assert main(["table", "supporting-facts", str(tmp_path), "-o", str(out)]) == 0
    sentence = shown(out)["supporting-facts-babi-1-bilstm-tanh-softmax"]["caption"]
    assert said in sentence
    # Without a faithfulness file there is no position.
    assert "comprehensiveness" not in sentence
    assert pandas.read_csv(out / "supporting-facts.csv")["comprehensiveness"].isna().all()


def test_who_only_guesses_among_the_candidates_is_marked_and_not_judged(tmp_path):
    """Twice as often right as by the most frequent of four labels, and as often as by a guess."""
    write_model(tmp_path, wrong=14, candidates=2)
    write_model(tmp_path, "babi_2")
    table = facts_table(with_known_causes(load_study([tmp_path])))
    nothing = table.drop_duplicates("corpus").set_index("corpus")[NOTHING]
    assert "does not differ significantly from the 0.500 of a guess" in nothing["babi_1"]
    assert nothing["babi_2"] == ""
    out = tmp_path / "out"
    assert main(["table", "supporting-facts", str(tmp_path), "-o", str(out)]) == 0
    said = shown(out)["supporting-facts-babi-1-bilstm-tanh-softmax"]["caption"]
    assert "nothing to judge: accuracy 0.533 does not differ" in said
    people = (out / "supporting-facts.md").read_text().splitlines()
    (row,) = [line for line in people if line.startswith("| babi_1")]
    assert "attention" not in row and "nothing to judge" in "".join(people)
    assert sum(line.startswith("| babi_2") for line in people) == len(METHODS)
    assert "babi_1" not in (out / "supporting-facts-scale.svg").read_text()


def test_nothing_is_drawn_of_nothing(tmp_path):
    write_model(tmp_path, wrong=14, candidates=2)
    out = tmp_path / "out"
    assert main(["table", "supporting-facts", str(tmp_path), "-o", str(out)]) == 0
    assert not (out / "supporting-facts-scale.svg").exists()


def test_texts_that_people_have_marked_are_no_known_causes(tmp_path, capsys):
    rows = [story(index, 1) for index in range(10)]
    write_attributions(tmp_path / "a.parquet", rows, list(METHODS), config(1), labels=LABELS)
    arguments = [
        "table",
        "supporting-facts",
        str(tmp_path / "a.parquet"),
        "-o",
        str(tmp_path / "o"),
    ]
    assert main(arguments) != 0
    assert "causes are known" in capsys.readouterr().err
