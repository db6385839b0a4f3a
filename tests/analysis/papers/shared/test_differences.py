"""Agreements are compared on the same texts, and claims find what was compared."""

import numpy
import pandas
import pytest
from scipy.stats import ttest_1samp

from analysis.claims.table_rows import TypedTable
from analysis.output import Output
from analysis.papers.shared.agreement import (
    AgreementRow,
    DifferenceRow,
    add_differences,
    agreement_rows,
    compute_agreements,
    subtract,
)
from analysis.papers.shared.paper import JAIN_WALLACE_PAIRS as PAIRS
from analysis.papers.shared.study_files import load_models
from tests.analysis.papers.studies import write_run

NAMES = ("soft", "sparse", "affine", "other")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    options = [{}, {"projection": "sparsemax"}, {"encoder": "affine"}, {"corpus": "mine"}]
    paths = [
        write_run(folder / f"{name}.parquet", texts=30, **given)
        for name, given in zip(NAMES, options, strict=True)
    ]
    models = load_models(paths)
    return [compute_agreements(model, PAIRS) for model in models]


@pytest.fixture(scope="module")
def table(found, tmp_path_factory):
    output = Output(tmp_path_factory.mktemp("out"), "Jain & Wallace 2019")
    add_differences(output, "differences", [one for several in found for one in several])
    output.finish(["test"])
    return pandas.read_csv(output.folder / "differences.csv")


def test_in_each_model_every_two_pairs_and_over_models_those_that_differ_in_one_thing(table):
    within = table[table["first model"] == table["second model"]]
    assert len(within) == 4 * 3
    across = table[table["first model"] != table["second model"]]
    # Sparsemax and affine are each one thing away from the first; the other corpus is nowhere.
    assert len(across) == 2 * 3 and set(across["corpus"]) == {"sst"}
    assert (across["first pair"] == across["second pair"]).all()


def test_the_numbers_are_of_the_same_texts(found, table):
    soft, _, affine, _ = found
    rows = table.set_index(["corpus", "first model", "second model", "first pair", "second pair"])
    name, other = soft[0].model.name, affine[0].model.name
    for first, second, of in ((soft[0], soft[1], name), (soft[0], affine[0], other)):
        row = rows.loc[("sst", name, of, str(first.pair), str(second.pair))]
        less = first.observed.value[0] - second.observed.value[0]
        less = less[~numpy.isnan(less)]
        expected = ttest_1samp(less, 0).confidence_interval(0.95)
        assert row["difference"] == pytest.approx(less.mean())
        assert row["difference low"] == pytest.approx(expected.low)
        positions = numpy.nanmean(first.scaled()) - numpy.nanmean(second.scaled())
        assert row["scaled difference"] == pytest.approx(positions)


def test_claims_take_what_was_compared_in_either_direction_and_else_independent_numbers(
    found, table
):
    rows = pandas.concat([agreement_rows(one, PAIRS) for one in found]).query("group == 'overall'")
    first, second, *_ = TypedTable("correlations", AgreementRow).rows(rows)
    compared = TypedTable("differences", DifferenceRow).rows(table)
    assert first.model == second.model == found[0][0].model.name
    (expected,) = (
        row
        for row in table.to_dict("records")
        if (row["corpus"], row["first model"], row["second model"])
        == ("sst", first.model, first.model)
        and row["first pair"] == str(found[0][0].pair)
        and row["second pair"] == str(found[0][1].pair)
    )
    less = subtract(compared, first, second)
    assert less.mean == expected["scaled difference"]
    assert (less.low, less.high) == (
        expected["scaled difference low"],
        expected["scaled difference high"],
    )
    back = subtract(compared, second, first)
    assert (back.low, back.high) == (-less.high, -less.low)
    alone = subtract([], first, second)
    assert alone.mean == pytest.approx(less.mean) and alone.low != less.low
