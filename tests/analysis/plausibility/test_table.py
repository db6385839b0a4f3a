"""The table of plausibility: annotators kept apart, which texts count, chance, people, intervals."""

import numpy
import pytest

from analysis.errors import AnalysisError
from analysis.models import models_of
from analysis.plausibility.annotators import Annotators
from analysis.plausibility.measures import measures
from analysis.plausibility.table import plausibility_table
from analysis.statistics.intervals import intervals
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import config, write_attributions
from tests.analysis.plausibility import slow

ROWS = [
    # Two who differ.
    {"rationale": [[1, 0, 0, 0], [0, 0, 1, 1]], "good": [4, 1, 3, 2], "tied": [1, 1, 1, 1]},
    # One.
    {"rationale": [[0, 1]], "good": [0, 1], "tied": [2, 2]},
    # One of three marks nothing: he has not said anything.
    {"rationale": [[0, 0, 0], [1, 1, 0], [1, 0, 0]], "good": [2, 3, 1], "tied": [0, 0, 1]},
    # Nobody.
    {"rationale": None, "good": [1, 2], "tied": [1, 2]},
]
OF_ORDER = {
    "average-precision": slow.average_precision,
    "auprc": slow.auprc,
    "first-marked": slow.first_marked,
}


def write(path, rows=ROWS, seed=1, **metadata):
    of_text = {"label": "1", "predicted": "1"}
    rows = [{**of_text, "tokens": ["w"] * len(row["good"]), **row} for row in rows]
    given = {"config": config(seed), "target": None, **metadata}
    return write_attributions(path, rows, ["good", "tied"], **given)


def table_of(*paths, shares=(0.5,), **options):
    models = models_of([load_attributions(path) for path in paths])
    return plausibility_table(models, measures(shares), **options)


def row(table, method, measure):
    (found,) = table[(table["method"] == method) & (table["measure"] == measure)].to_dict("records")
    return found


def texts_of(rows, method, definition, length=None):
    """One number per text: the mean over its annotators of the definition, over every tied order."""
    values = []
    for one in rows:
        marked = [mark for mark in one["rationale"] or [] if any(mark)]
        if marked:
            sizes = [() if length is None else (length(mark),) for mark in marked]
            scores = [0] * len(one["good"]) if method is None else one[method]
            found = [
                slow.expected(scores, definition, mark, *size)
                for mark, size in zip(marked, sizes, strict=True)
            ]
            values.append(numpy.mean(found))
    return values


@pytest.mark.parametrize("method", ["good", "tied"])
@pytest.mark.parametrize("measure", OF_ORDER)
def test_the_mean_over_texts_of_the_mean_over_annotators(tmp_path, method, measure):
    found = row(table_of(write(tmp_path / "a.parquet")), method, measure)
    values = texts_of(ROWS, method, OF_ORDER[measure])
    chance = texts_of(ROWS, None, OF_ORDER[measure])
    assert found["texts"] == len(values) == 3
    assert found["mean"] == pytest.approx(numpy.mean(values))
    assert found["chance"] == pytest.approx(numpy.mean(chance))
    sign = -1 if measure == "first-marked" else 1
    gained = sign * (numpy.array(values) - chance)
    expected = intervals(gained[None, None])
    assert found["above chance"] == pytest.approx(gained.mean())
    assert found["above chance low"] == pytest.approx(expected.low[0])
    whole = intervals(numpy.array(values)[None, None])
    assert (found["low"], found["high"]) == pytest.approx((whole.low[0], whole.high[0]))


@pytest.mark.parametrize(
    "measure, length", [("", sum), (":share=0.5", lambda m: (len(m) + 1) // 2)]
)
def test_f1_at_the_length_of_the_rationale_and_at_a_share(tmp_path, measure, length):
    table = table_of(write(tmp_path / "a.parquet"))
    for method in ("good", "tied"):
        found = row(table, method, f"token-f1{measure}")
        expected = texts_of(ROWS, method, slow.token_f1, length)
        assert found["mean"] == pytest.approx(numpy.mean(expected))
        assert found["chance"] == pytest.approx(
            numpy.mean(texts_of(ROWS, None, slow.token_f1, length))
        )
    spans = row(table, "good", f"iou-f1{measure}")
    assert spans["mean"] == pytest.approx(numpy.mean(texts_of(ROWS, "good", slow.iou_f1, length)))
    chance = texts_of(ROWS, None, slow.iou_f1, length)
    assert spans["chance"] == pytest.approx(numpy.mean(chance), abs=5 * 0.5 / 300**0.5)


def test_people_against_each_other_are_the_ceiling(tmp_path):
    table = table_of(write(tmp_path / "a.parquet"))
    pairs = [([1, 0, 0, 0], [0, 0, 1, 1]), ([1, 1, 0], [1, 0, 0])]
    both_ways = [[(one, other), (other, one)] for one, other in pairs]
    expected = {
        "token-f1": [0, 2 / 3],
        "average-precision": [
            numpy.mean([slow.expected(*way[:1], slow.average_precision, way[1]) for way in ways])
            for ways in both_ways
        ],
        "token-f1:share=0.5": [
            numpy.mean(
                [slow.expected(one, slow.token_f1, two, (len(one) + 1) // 2) for one, two in ways]
            )
            for ways in both_ways
        ],
        # A span of two and one of its two words have half in common.
        "iou-f1": [0, 1],
    }
    for measure, values in expected.items():
        assert row(table, "good", measure)["one annotator"] == pytest.approx(numpy.mean(values))
    alone = table_of(write(tmp_path / "b.parquet", ROWS[1:2] * 2))
    assert alone[["one annotator", "all others"]].isna().all(axis=None)


def test_all_others_are_a_method_by_the_share_of_them_who_marked(tmp_path):
    three = [[1, 1, 0, 0], [1, 0, 0, 1], [0, 1, 0, 1]]
    rows = [{"rationale": three, "good": [1, 2, 3, 4], "tied": [0, 0, 0, 0]}]
    table = table_of(write(tmp_path / "a.parquet", rows))
    shares = [[0.5, 0.5, 0, 1], [0.5, 1, 0, 0.5], [1, 0.5, 0, 0.5]]
    for measure, definition in OF_ORDER.items():
        expected = [slow.expected(*each) for each in zip(shares, [definition] * 3, three)]
        assert row(table, "good", measure)["all others"] == pytest.approx(numpy.mean(expected))
    expected = [slow.expected(share, slow.token_f1, mark, 2) for share, mark in zip(shares, three)]
    assert row(table, "good", "token-f1")["all others"] == pytest.approx(numpy.mean(expected))


def test_texts_explained_for_another_class_are_left_out_unless_asked_for(tmp_path):
    wrong = [{**ROWS[0], "predicted": "0"}, *ROWS[1:]]
    path = write(tmp_path / "a.parquet", wrong)
    assert row(table_of(path), "good", "auprc")["texts"] == 2
    assert row(table_of(path, all_texts=True), "good", "auprc")["texts"] == 3
    only = table_of(path)
    expected = table_of(write(tmp_path / "b.parquet", ROWS[1:]))
    # What is drawn for spans belongs to the ids, which are others there.
    drawn = only["measure"].str.startswith("iou")
    assert only["mean"][~drawn].tolist() == pytest.approx(expected["mean"][~drawn].tolist())
    # The gold class was asked for, whatever was predicted.
    aimed = write(tmp_path / "c.parquet", wrong, target="1")
    assert row(table_of(aimed), "good", "auprc")["texts"] == 3
    with pytest.raises(AnalysisError, match="no text with a rationale is explained for its gold"):
        table_of(write(tmp_path / "d.parquet", target="0"))


def test_seeds_are_put_together_and_scores_may_be_missing(tmp_path):
    other = [{**ROWS[0], "good": None}, {**ROWS[1], "good": [1, 0]}, *ROWS[2:]]
    other[0]["tokens"] = ["w"] * 4
    other = [{"tokens": ["w"] * len(each["tied"]), **each} for each in other]
    rows = [{"label": "1", "predicted": "1", **each} for each in other]
    second = write_attributions(
        tmp_path / "b.parquet", rows, ["good", "tied"], config=config(2), target=None
    )
    found = row(table_of(write(tmp_path / "a.parquet"), second), "good", "average-precision")
    first = texts_of(ROWS, "good", slow.average_precision)
    last = texts_of([rows[2]], "good", slow.average_precision)
    values = numpy.array([first, [numpy.nan, 0.5, *last]])
    assert found["seeds"] == 2 and found["mean"] == pytest.approx(numpy.nanmean(values))
    blind = numpy.array(texts_of(ROWS, None, slow.average_precision))
    weights = (~numpy.isnan(values)).sum(axis=0)
    assert found["chance"] == pytest.approx((blind * weights).sum() / weights.sum())


def test_signs_count_unless_sizes_are_asked_for(tmp_path):
    rows = [{"rationale": [0, 1, 0], "good": [1, -3, 2], "tied": [0, 0, 0]}]
    path = write(tmp_path / "a.parquet", rows)
    assert row(table_of(path), "good", "first-marked")["mean"] == 3
    assert row(table_of(path, absolute=True), "good", "first-marked")["mean"] == 1


def test_files_that_cannot_answer_are_rejected(tmp_path):
    for rationale, sentence in ((None, "have no rationale"), ([[0, 0]], "marks a token")):
        rows = [{**ROWS[1], "rationale": rationale}]
        with pytest.raises(AnalysisError, match=sentence):
            Annotators(load_attributions(write(tmp_path / "a.parquet", rows)))
    with pytest.raises(AnalysisError, match="text '0' is not as long as its scores"):
        table_of(write(tmp_path / "b.parquet", [{**ROWS[1], "rationale": [[0, 1, 0]]}]))
