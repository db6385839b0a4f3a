"""Agreements of a model's seeds, against scipy one text at a time."""

import numpy
import pytest
from scipy.stats import kendalltau

from analysis.agreement.agreements import CONTROLS, Pair, agreements
from analysis.errors import AnalysisError
from analysis.measures import Measure
from analysis.models import models_of
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import config, random_rows, write_attributions

KENDALL = Measure.named("kendall")
PAIR = Pair("attention", "gradient")


def model_of(folder, *seeds, **rows):
    paths = [
        write_attributions(
            folder / f"{seed}.parquet", random_rows(seed=seed, **rows), config=config(seed)
        )
        for seed in seeds
    ]
    (model,) = models_of([load_attributions(path) for path in paths])
    return model


def test_every_text_of_every_seed_has_the_value_of_its_own_scores(tmp_path):
    model = model_of(tmp_path, 1, 2)
    pairs = [PAIR, Pair("gradient", "leave-one-out")]
    found = agreements(model, pairs, [KENDALL])
    assert [agreement.pair for agreement in found] == pairs
    for agreement in found:
        for seed, file in enumerate(model.files):
            first, second = (file.table[name] for name in agreement.pair)
            expected = [kendalltau(*texts) for texts in zip(first, second)]
            assert agreement.observed.value[seed] == pytest.approx(
                [one.statistic for one in expected], nan_ok=True
            )
            assert agreement.observed.p_value[seed] == pytest.approx(
                [one.pvalue for one in expected], nan_ok=True
            )


def test_controls_are_at_chance_where_the_methods_agree(tmp_path):
    (found,) = agreements(model_of(tmp_path, 1, 2, texts=100), [PAIR], [KENDALL], draws=4)
    assert numpy.nanmean(found.observed.value) > 0.3
    for name in CONTROLS:
        assert found.controls[name].value.shape == (4, 2, 100)
        low, high = (found.controls[name].summary()[end] for end in ("low", "high"))
        assert low - 0.05 < 0 < high + 0.05 and high - low < 0.15
        assert abs(numpy.nanmean(found.controls[name].value)) < 0.04


def test_the_permuted_control_keeps_zeros_and_ties(tmp_path):
    rows = random_rows(texts=40)
    for row in rows:
        row["gradient"] = [1.0] + [0.0] * (len(row["tokens"]) - 1)
    path = write_attributions(tmp_path / "a.parquet", rows)
    (model,) = models_of([load_attributions(path)])
    (found,) = agreements(model, [PAIR], [Measure.named("as-published:k=non-zero")], draws=3)
    # A list of one token has every score 1 under this measure, whatever the token.
    assert (found.controls["permuted"].value == 1).all()


def test_seeds_and_draws_have_their_own_chance_and_the_same_every_time(tmp_path):
    model = model_of(tmp_path, 1, 2)
    (one,), (again,), (other) = (
        agreements(model, [PAIR], [KENDALL], draws=2, seed=seed) for seed in (0, 0, 1)
    )
    for name in CONTROLS:
        values = one.controls[name].value
        numpy.testing.assert_array_equal(values, again.controls[name].value)
        assert (values != other[0].controls[name].value).any()
        assert (values[0] != values[1]).any() and (values[:, 0] != values[:, 1]).any()


def test_a_text_without_a_value_has_none_in_the_controls_either(tmp_path):
    rows = random_rows(texts=5)
    rows[3]["gradient"] = None
    # Noise would agree or not with attention here, but the gradient cannot.
    rows[4]["gradient"] = [1.0] * len(rows[4]["tokens"])
    (model,) = models_of([load_attributions(write_attributions(tmp_path / "a.parquet", rows))])
    (found,) = agreements(model, [PAIR], [KENDALL])
    assert found.observed.undefined[0, 3:].tolist() == ["no scores", "constant scores"]
    for name in CONTROLS:
        assert numpy.isnan(found.controls[name].value[:, 0, 3:]).all()
        assert not numpy.isnan(found.controls[name].value[:, 0, :3]).any()


def test_scores_that_are_not_one_a_token_are_rejected_by_the_files_name(tmp_path):
    rows = random_rows(texts=3)
    rows[1]["gradient"] = [1.0]
    (model,) = models_of([load_attributions(write_attributions(tmp_path / "a.parquet", rows))])
    with pytest.raises(AnalysisError, match="a.parquet: attention : gradient: .*lengths"):
        agreements(model, [PAIR], [KENDALL])


def test_progress_is_reported_as_often_as_said(tmp_path):
    steps = []
    measures = [KENDALL, Measure.named("fagin:k=3")]
    agreements(model_of(tmp_path, 1, 2), [PAIR], measures, draws=3, step=lambda: steps.append(1))
    assert len(steps) == 2 * 2 * (1 + 3)
