"""Configs say which model is whose base, sibling or adversary; names of files say nothing."""

import numpy
import pytest
from scipy.spatial.distance import jensenshannon

from analysis.attributions import load_attributions
from analysis.errors import AnalysisError
from analysis.papers.shared.divergence import divergence, output_tvd
from analysis.papers.shared.families import families
from analysis.papers.shared.study_files import load_study
from tests.analysis.attribution_files import config, write_attributions
from tests.analysis.papers.families import (
    adversary_config,
    text_rows,
    write_family,
    write_model,
)


def test_a_family_is_found_whatever_its_files_are_called(tmp_path):
    write_family(tmp_path, seeds=(2, 3))
    for place, path in enumerate(sorted(tmp_path.glob("*.parquet"))):
        path.rename(tmp_path / f"{place}.parquet")
    (family,), problem = families(load_study([tmp_path]))
    assert problem is None and family.base.model.seed == 1
    assert {file.model.seed for file in family.seeds} == {2, 3}
    assert [one.config.adversary.lambda_ for one in family.adversaries] == [0, 0.001, 0.01]
    assert family.uniform.config.projection == "uniform"
    assert "instance-adversary" in family.perturbed.declared


@pytest.mark.parametrize("seed", [1, 2])
def test_an_adversary_of_another_base_has_its_own_family(tmp_path, seed):
    """Also where both are seeds of one adversary."""
    write_family(tmp_path, lambdas=(0.001,))
    base = tmp_path / "seed_2" / "model.tar.gz"
    given = adversary_config(base, 0.001, corpus="sst", seed=seed)
    write_model(tmp_path / "second.parquet", text_rows(0.5), given)
    found, _ = families(load_study([tmp_path]))
    assert [(one.base.model.seed, len(one.adversaries)) for one in found] == [(1, 1), (2, 1)]


def test_an_adversary_without_its_base_is_named(tmp_path):
    write_family(tmp_path, lambdas=())
    given = adversary_config("runs/gone", 0.001, corpus="sst")
    path = write_model(tmp_path / "lost.parquet", text_rows(0.5), given)
    (family,), problem = families(load_study([tmp_path]))
    assert family.adversaries == []
    assert problem == (f"{path}: its base, runs/gone, has no attribution file among those given")


def test_adversaries_about_other_texts_are_refused(tmp_path):
    write_family(tmp_path, lambdas=())
    given = adversary_config(tmp_path / "base", 0.001, corpus="sst")
    write_model(tmp_path / "short.parquet", text_rows(0.5, texts=10), given)
    with pytest.raises(AnalysisError, match="40 and 10 texts"):
        families(load_study([tmp_path]))


def test_divergence_is_that_of_the_definitions(tmp_path):
    one, other = (
        load_attributions(
            write_model(tmp_path / f"{moved}.parquet", text_rows(moved, 0.5), config())
        )
        for moved in (0.0, 0.7)
    )
    found = divergence(one, [other])
    rows = list(zip(text_rows(0.0, 0.5), text_rows(0.7, 0.5), strict=True))
    jsd = [jensenshannon(a["attention"], b["attention"]) ** 2 for a, b in rows]
    assert found.jsd.value[0] == pytest.approx(jsd)
    assert found.tvd.value[0] == pytest.approx(
        [abs(a["probs"][1] - b["probs"][1]) for a, b in rows]
    )
    member = numpy.arange(40) < 10
    assert found.where(member).rows()["jsd"] == pytest.approx(numpy.mean(jsd[:10]))


def test_outputs_are_compared_label_by_label(tmp_path):
    rows = text_rows()
    turned = [{**row, "probs": row["probs"][::-1]} for row in rows]
    one = load_attributions(write_model(tmp_path / "one.parquet", rows, config()))
    other = load_attributions(
        write_attributions(tmp_path / "b.parquet", turned, ["attention"], labels=["1", "0"])
    )
    assert output_tvd(one, other) == pytest.approx(numpy.zeros(40))
    third = load_attributions(
        write_attributions(tmp_path / "c.parquet", rows, ["attention"], labels=["0", "2"])
    )
    with pytest.raises(AnalysisError, match="are about different labels"):
        output_tvd(one, third)
