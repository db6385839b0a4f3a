"""Each claim is kept by numbers that keep it, and broken by numbers that break it."""

from dataclasses import replace
from typing import Any, Dict, List

import pandas
import pytest

from analysis.claims.claim import judged
from analysis.claims.table_rows import Tables, TypedTable, read_tables
from analysis.errors import AnalysisError
from analysis.papers.discovery import CLAIMS, TABLES, find_claim
from analysis.papers.shared.agreement_rows import AgreementRow, DifferenceRow, less_than

Rows = List[Dict[str, Any]]
MODEL = {"corpus": "sst", "model": "bilstm tanh softmax", "encoder": "bilstm", "role": "plain"}
MODEL |= {"attention": "tanh", "projection": "softmax", "predicted": "overall"}
SPARSE = {"projection": "sparsemax", "model": "bilstm tanh sparsemax"}
AFFINE = {"encoder": "affine", "model": "affine tanh softmax"}


def near(mean: float, prefix: str = "", of_mean: str = "mean") -> Dict[str, float]:
    """A number with a short interval."""
    name = f"{prefix} {of_mean}".strip()
    return {name: mean, f"{prefix} low".strip(): mean - 0.01, f"{prefix} high".strip(): mean + 0.01}


def pairs(attention: float, each_other: float, **more: Any) -> Rows:
    rows = [
        {**MODEL, **more, "scores": "attention", "importance": name, **near(attention)}
        for name in ("gradient", "leave-one-out")
    ]
    other = {"scores": "gradient", "importance": "leave-one-out", **near(each_other)}
    return [*rows, {**MODEL, **more, **other}]


def top_k(measure: str, mean: float, chance: float, k: str = "non-zero", **more: Any) -> Rows:
    row = {**MODEL, **SPARSE, **more, "measure": measure, "k": k, **near(mean)}
    row |= {"permuted mean": chance, **near(mean - chance, "above permuted", "")}
    return [{**row, "importance": name} for name in ("gradient", "leave-one-out")]


def guides(base: float, adversary: float) -> Rows:
    f1 = {"uniform": 0.8, "trained MLP": 0.82, "base LSTM": base, "adversary": adversary}
    return [
        {
            "corpus": "sst",
            "model": "affine",
            "guide": name,
            "f1": mean,
            "low": mean - 0.001,
            "high": mean + 0.001,
        }
        for name, mean in f1.items()
    ]


def adversary(jsd: float, tvd: float = 0.05, accuracy: float = 0.8, frozen: bool = False) -> Rows:
    row = {
        **MODEL,
        "frozen": frozen,
        "lambda": 0.002,
        **near(jsd, "jsd", ""),
        **near(tvd, "tvd", ""),
    }
    return [{**row, **near(accuracy, "accuracy", "")}]


def tau_6(inputs: float, hidden: float, **more: Any) -> Rows:
    return [
        {**MODEL, **more, "importance of": of, "importance": name, **near(tau)}
        for of, tau in (("input", inputs), ("hidden", hidden))
        for name in ("gradient", "leave-one-out")
    ]


def usage(slope: float) -> Rows:
    return [
        {**MODEL, "model": f"model {number}", "change": number, "instance": slope * number}
        for number in range(6)
    ]


def deception(mass: float, accuracy: float) -> Rows:
    common = {**MODEL, "seeds": 3, "sd accuracy": 0.001, "sd impermissible mass": 0.001}
    honest = {**common, "strength": 0.0, "accuracy": 0.99, "impermissible mass": 0.6}
    deceptive = {**common, "strength": 1.0, "accuracy": accuracy, "impermissible mass": mass}
    return [honest, deceptive]


def agreement(attention: float, methods: float) -> Rows:
    row = {"corpus": "sst", "model": "bilstm", "group": "overall", "measure": "kendall"}
    return [
        {**row, "first": "attention", "second": "lrp", **near(attention)},
        {**row, "first": "attention", "second": "occlusion", **near(attention)},
        {**row, "first": "lrp", "second": "occlusion", **near(methods)},
        {**row, "first": "attention", "second": "random", **near(0.9)},
    ]


def order(attention: float, gradient: float) -> Rows:
    shares = {"attention": attention, "gradient": gradient, "gradient x attention": gradient}
    return [{**MODEL, "order": name, **near(share)} for name, share in shares.items()]


def seeds(of_seeds: float, of_adversary: float) -> Rows:
    row = {**MODEL, "max attention": "all"}
    return [
        {**row, "other": "other seeds", **near(of_seeds)},
        {**row, "other": "adversary, lambda 0.002", **near(of_adversary)},
    ]


def one(**values: Any) -> Rows:
    return [{**MODEL, **values}]


BASE = one(**near(0.82))
# By the name of the claim: tables that keep it, and tables that break it.
CASES: Dict[str, Any] = {
    "weak-agreement": (pairs(0.3, 0.6), pairs(0.7, 0.6)),
    "less-than-each-other": (pairs(0.3, 0.6), pairs(0.7, 0.6)),
    "context-lowers": (
        pairs(0.3, 0.6) + pairs(0.6, 0.6, **AFFINE),
        pairs(0.6, 0.6) + pairs(0.3, 0.6, **AFFINE),
    ),
    "shuffled": (
        one(**{"max attention": "all"}, **near(0.05)),
        one(**{"max attention": "all"}, **near(0.4)),
    ),
    "other-attention": (one(**near(0.5, "all")), one(**near(0.2, "all"))),
    "top-matters-more": (
        one(effect="JSD of outputs", top=0.2, random=0.1, **near(0.1, "", "difference")),
        one(effect="JSD of outputs", top=0.1, random=0.2, **near(-0.1, "", "difference")),
    ),
    "not-the-best-order": (order(0.6, 0.3), order(0.3, 0.6)),
    "hardly-needed": (one(**near(0.005, "drop", "")), one(**near(0.1, "drop", ""))),
    "beyond-seeds": (seeds(0.1, 0.6), seeds(0.3, 0.2)),
    "of-use-to-others": (guides(0.83, 0.6), guides(0.7, 0.6)),
    "adversary-of-no-use": (guides(0.83, 0.6), guides(0.83, 0.9)),
    "trained-adversary": (adversary(0.6, 0.05), adversary(0.1, 0.3)),
    "strong-by-published": (top_k("as-published", 0.9, 0.7), top_k("as-published", 0.7, 0.9)),
    "above-chance": (top_k("fagin", 0.4, -0.5), top_k("fagin", -0.6, -0.5)),
    "strong-by-corrected": (top_k("fagin", 0.7, -0.5), top_k("fagin", 0.3, -0.5)),
    "sparser-agrees-better": (
        top_k("fagin", 0.7, 0, "average-length")
        + top_k("fagin", 0.5, 0, "average-length", projection="softmax"),
        top_k("fagin", 0.5, 0, "average-length")
        + top_k("fagin", 0.7, 0, "average-length", projection="softmax"),
    ),
    "use-decides": (usage(-1.0), usage(1.0)),
    "attention-stands-apart": (agreement(0.3, 0.6), agreement(0.6, 0.3)),
    "hides-what-it-uses": (deception(0.01, 0.98), deception(0.3, 0.6)),
    "states-are-mixed": (one(**near(0.9)), one(**near(0.3))),
    "follows-states": (tau_6(0.3, 0.7), tau_6(0.7, 0.3)),
    "no-closer-to-inputs": (
        tau_6(0.3, 0.7) + tau_6(0.31, 0.9, **SPARSE),
        tau_6(0.3, 0.7) + tau_6(0.6, 0.9, **SPARSE),
    ),
    "importance-no-sparser": (
        one(**near(0.8), importance="gradient"),
        one(**near(-0.8), importance="gradient"),
    ),
    "frozen-adversary": (adversary(0.6, accuracy=0.7, frozen=True), adversary(0.1, 0.1, 0.9, True)),
    "free-adversary": (adversary(0.6, accuracy=0.83), adversary(0.1, accuracy=0.7)),
}
# And what else they need.
BESIDE = {
    "frozen-adversary": {"meister-table-3": BASE},
    "free-adversary": {"meister-table-3": BASE},
    "less-than-instances": {"jain-wallace-adversary": one(**near(0.5, "all"))},
}
CASES["less-than-instances"] = (adversary(0.2, 0.04), adversary(0.6, 0.04))


def verdict(name: str, rows: Rows) -> str:
    tables = {find_claim(name).table.name: rows, **BESIDE.get(name, {})}
    found = Tables({table: pandas.DataFrame(part) for table, part in tables.items()})
    (judgement,) = find_claim(name).judge(found)
    return judgement.verdict.value


@pytest.mark.parametrize("name", [claim.name for claim in CLAIMS])
def test_numbers_keep_or_break_a_claim(name):
    kept, broken = CASES[name]
    assert verdict(name, kept) == "holds"
    assert verdict(name, broken) == "does not hold"


def wide(rows: Rows) -> Rows:
    """The same numbers, with intervals that say nothing."""
    ends = {"low": -5.0, "high": 5.0}
    return [
        {name: ends.get(name.split()[-1], value) for name, value in row.items()} for row in rows
    ]


@pytest.mark.parametrize(
    "name,column",
    [
        ("not-the-best-order", "attention less"),
        ("beyond-seeds", "beyond seeds"),
        ("less-than-instances", "by text less"),
    ],
)
def test_a_difference_on_the_same_texts_is_taken_where_the_table_has_one(name, column):
    rows = wide(CASES[name][0])
    assert verdict(name, rows) == "cannot be told"
    more = near(0.3, "by text jsd", "") if name == "less-than-instances" else {}
    assert verdict(name, [{**row, **more, **near(0.1, column, "")} for row in rows]) == "holds"
    broken = [{**row, **more, **near(-0.1, column, "")} for row in rows]
    assert verdict(name, broken) == "does not hold"


def test_attention_stands_apart_on_the_same_texts():
    rows = wide(agreement(0.3, 0.6))
    assert verdict("attention-stands-apart", rows) == "cannot be told"
    apart = {"corpus": "sst", "model": "bilstm", "measure": "kendall"}
    tables = {
        "agreement": pandas.DataFrame(rows),
        "agreement-apart": pandas.DataFrame([{**apart, **near(0.3, "others less attention", "")}]),
    }
    (judgement,) = find_claim("attention-stands-apart").judge(Tables(tables))
    assert judgement.verdict.value == "holds"
    # What is said of the model is said in the table of agreements.
    tables["agreement"]["nothing to judge"] = "attention is uniform"
    (judgement,) = find_claim("attention-stands-apart").judge(Tables(tables))
    assert judgement.verdict.value == "nothing to judge"


def test_accuracy_is_lost_on_the_same_texts():
    (row,) = adversary(0.6, accuracy=0.7, frozen=True)
    row |= {"accuracy low": 0.0, "accuracy high": 1.0}
    assert verdict("frozen-adversary", [row]) == "holds partly"
    assert verdict("frozen-adversary", [{**row, **near(0.12, "accuracy lost", "")}]) == "holds"


def test_names_are_unlike_each_other():
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS) == len(CASES)


def with_places(rows: Rows, *places: float) -> Rows:
    """Of means that ties hold down."""
    return [
        {**row, "ceiling": 0.4, **near(place, "place", "")}
        for row, place in zip(rows, places, strict=True)
    ]


@pytest.mark.parametrize(
    "name,rows",
    [
        ("weak-agreement", with_places(pairs(0.3, 0.6), 0.9, 0.9, 0.9)),
        ("less-than-each-other", with_places(pairs(0.3, 0.6), 0.9, 0.9, 0.7)),
        ("attention-stands-apart", with_places(agreement(0.3, 0.6), 0.9, 0.9, 0.7, 0.0)),
        (
            "no-closer-to-inputs",
            with_places(tau_6(0.3, 0.7), 0.3, 0.3, 0.7, 0.7)
            + with_places(tau_6(0.31, 0.9, **SPARSE), 0.8, 0.8, 0.9, 0.9),
        ),
    ],
)
def test_what_the_means_keep_the_places_break(name, rows):
    assert verdict(name, rows) == "does not hold"
    means = [{column: row[column] for column in row if "place" not in column} for row in rows]
    assert verdict(name, means) == "holds"


def test_a_place_is_told_with_what_it_comes_from():
    rows = with_places(pairs(0.3, 0.6), 0.75, 0.75, 0.75)
    found = judged(Tables({"jain-wallace-correlations": pandas.DataFrame(rows)}), CLAIMS)
    expected = "tau with gradient .300 of at most .400, place .750 [.740, .760]; "
    assert found["evidence"][0].startswith(expected)


def test_pairs_compared_by_signs_are_not_held_against_attention_which_has_none():
    rows = agreement(0.3, 0.2)
    signed = {**rows[2], "second": "deeplift", **near(0.9), "compared": "signed scores"}
    assert verdict("attention-stands-apart", [*rows, signed]) == "does not hold"
    # Unless there are no others.
    assert verdict("attention-stands-apart", [*rows[:2], signed]) == "holds"


@pytest.mark.parametrize("name", [claim.name for claim in CLAIMS])
def test_a_model_that_gives_nothing_to_judge_is_not_judged(name):
    rows = [{**row, "nothing to judge": "accuracy .5 is no better"} for row in CASES[name][0]]
    if name != "hides-what-it-uses":
        assert verdict(name, rows) == "nothing to judge"
    # A csv has NaN where there is no reason.
    rows = [{**row, "nothing to judge": float("nan")} for row in CASES[name][0]]
    assert verdict(name, rows) == "holds"


@pytest.mark.parametrize("way", [1, -1])
def test_a_paired_difference_keeps_what_is_said_of_its_models(way):
    names = {"corpus": "sst", "measure": "kendall", "first": "attention"}
    row, other = (
        {**names, "model": model, "second": "lrp", **near(mean)}
        for model, mean in (("soft", 0.3), ("sparse", 0.2))
    )
    found = {"corpus": "sst", "measure": "kendall", **near(0.1 * way, "difference", "")}
    for side, model in zip(("first", "second"), ("soft", "sparse")[::way]):
        found |= {f"{side} model": model, f"{side} pair": "attention : lrp"}
    agreements = TypedTable("agreement", AgreementRow)
    row, other = agreements.rows(pandas.DataFrame([row, other]))
    compared = TypedTable("differences", DifferenceRow).rows(pandas.DataFrame([found]))
    less = less_than(compared, row, other)
    assert (less.mean, less.difference, less.nothing) == (pytest.approx(0.1), True, "")
    assert (less.low, less.high) == (pytest.approx(0.09), pytest.approx(0.11))
    uniform = replace(other, mean=replace(other.mean, nothing="attention is uniform"))
    assert less_than(compared, row, uniform).nothing == "attention is uniform"


def test_models_that_give_nothing_to_judge_are_no_points_of_a_correlation():
    nothing = {"nothing to judge": "accuracy .5 is no better"}
    rows = [{**row, **(nothing if number < 2 else {})} for number, row in enumerate(usage(-1.0))]
    assert verdict("use-decides", rows) == "cannot be told"


def test_a_correlation_over_few_models_says_nothing():
    assert verdict("use-decides", usage(-1.0)[:4]) == "cannot be told"


def test_what_is_not_there_is_not_judged(tmp_path):
    assert judged(read_tables(tmp_path, TABLES), CLAIMS).empty
    pandas.DataFrame(pairs(0.3, 0.6)).to_csv(tmp_path / "jain-wallace-correlations.csv")
    found = judged(read_tables(tmp_path, TABLES), CLAIMS)
    assert list(found["name"]) == ["weak-agreement", "less-than-each-other"]
    assert found["evidence"][0].startswith("tau with gradient .300 [.290, .310]; ")


def test_an_empty_file_is_named(tmp_path):
    (tmp_path / "jain-wallace-correlations.csv").touch()
    with pytest.raises(AnalysisError, match="jain-wallace-correlations.csv: cannot be read"):
        read_tables(tmp_path, TABLES)
