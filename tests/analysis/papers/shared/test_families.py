"""Configs say which model is whose base, sibling or adversary; names of files say nothing."""

import numpy
import pytest
from scipy.spatial.distance import jensenshannon

from analysis.errors import AnalysisError
from analysis.papers.shared.divergence import divergence, output_tvd
from analysis.papers.shared.families import families
from analysis.papers.shared.study_files import load_study
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import config, write_attributions
from tests.analysis.papers.families import (
    adversary_config,
    text_rows,
    write_family,
    write_model,
)


def test_a_family_is_found_whatever_its_files_are_called(tmp_path):
    write_family(tmp_path, seeds=(2, 3))
    for position, path in enumerate(sorted(tmp_path.glob("*.parquet"))):
        path.rename(tmp_path / f"{position}.parquet")
    (family,), problem = families(load_study([tmp_path]))
    assert problem is None and family.base.model.seed == 1
    assert {file.model.seed for file in family.files} == {1, 2, 3}
    assert [(base.model.seed, other.model.seed) for base, other in family.other_seeds] == [
        (1, 2),
        (1, 3),
    ]
    assert [one.config.adversary.lambda_ for one in family.adversaries] == [0, 0.001, 0.01]
    assert family.uniform.config.projection == "uniform"
    ((seed, perturbed),) = family.perturbed
    assert seed is family.base and "instance-adversary" in perturbed.declared


@pytest.mark.parametrize("seed", [1, 2])
def test_adversaries_of_several_bases_are_seeds_of_one_each_compared_with_its_own_base(
    tmp_path, seed
):
    """Also where a seed comes twice, with two bases."""
    write_family(tmp_path, lambdas=(0.001,))
    base = tmp_path / "seed_2" / "model.tar.gz"
    given = adversary_config(base, 0.001, corpus="sst", seed=seed)
    write_model(tmp_path / "second.parquet", text_rows(0.5), given)
    (family,), _ = families(load_study([tmp_path]))
    assert [one.model.seed for one in family.bases] == [1, 2]
    (adversary,) = family.adversaries
    pairs = family.pairs(adversary)
    assert [(one.model.seed, other.path.stem) for one, other in pairs] == [
        (1, "adversary_0"),
        (2, "second"),
    ]
    moved = divergence(pairs)
    for position, pair in enumerate(pairs):
        assert moved.tvd.value[position] == pytest.approx(output_tvd(*pair))
        assert (moved.predicted[position] == pair[0].table["predicted"]).all()


def numbered(pairs):
    return [(base.model.seed, other.model.seed) for base, other in pairs]


def test_other_seeds_are_dealt_out_to_bases_and_bases_are_their_own_others(tmp_path):
    """Five seeds, of which adversaries name one, two, or all."""
    write_family(tmp_path, lambdas=(), seeds=(2, 3, 4, 5))
    expected = {
        1: [(1, 2), (1, 3), (1, 4), (1, 5)],
        2: [(1, 3), (2, 4), (1, 5)],
        5: [(1, 2), (2, 3), (3, 4), (4, 5), (5, 1)],
    }
    for seed in range(1, 6):
        base = tmp_path / ("base" if seed == 1 else f"seed_{seed}")
        given = adversary_config(base, 0.001, corpus="sst", seed=seed)
        write_model(tmp_path / f"against_{seed}.parquet", text_rows(0.5, seed=seed), given)
        (family,), _ = families(load_study([tmp_path]))
        if seed in expected:
            assert numbered(family.other_seeds) == expected[seed]


def test_two_bases_are_compared_with_each_other_once(tmp_path):
    write_family(tmp_path, lambdas=(0.001,))
    given = adversary_config(tmp_path / "seed_2", 0.001, corpus="sst", seed=2)
    write_model(tmp_path / "second.parquet", text_rows(0.5), given)
    (family,), _ = families(load_study([tmp_path]))
    assert numbered(family.other_seeds) == [(1, 2)]


def test_a_model_without_a_base_is_compared_with_the_base_of_its_seed(tmp_path):
    write_family(tmp_path, lambdas=(0.001,))
    given = adversary_config(tmp_path / "seed_2", 0.001, corpus="sst", seed=2)
    write_model(tmp_path / "second.parquet", text_rows(0.5), given)
    uniform = config(2, projection="uniform", corpus="sst")
    write_model(tmp_path / "uniform_2.parquet", text_rows(0.1, seed=6), uniform)
    (family,), _ = families(load_study([tmp_path]))
    assert numbered(family.pairs(family.uniform)) == [(1, 1), (2, 2)]
    third = config(3, projection="uniform", corpus="sst")
    write_model(tmp_path / "uniform_3.parquet", text_rows(0.1, seed=7), third)
    (family,), _ = families(load_study([tmp_path]))
    assert numbered(family.pairs(family.uniform)) == [(1, 1), (1, 2), (1, 3)]


def test_an_adversary_without_its_base_is_named(tmp_path):
    write_family(tmp_path, lambdas=())
    given = adversary_config("runs/gone", 0.001, corpus="sst")
    path = write_model(tmp_path / "lost.parquet", text_rows(0.5), given)
    (family,), problem = families(load_study([tmp_path]))
    assert family.adversaries == []
    assert problem == (f"{path}: its base, runs/gone, has no attribution file among those given")


def test_adversaries_about_other_texts_raise(tmp_path):
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
    found = divergence([(one, other)])
    rows = list(zip(text_rows(0.0, 0.5), text_rows(0.7, 0.5), strict=True))
    jsd = [jensenshannon(a["attention"], b["attention"]) ** 2 for a, b in rows]
    assert found.jsd.value[0] == pytest.approx(jsd)
    assert found.tvd.value[0] == pytest.approx(
        [abs(a["probs"][1] - b["probs"][1]) for a, b in rows]
    )
    member = (one.table["predicted"] == "1").to_numpy()
    assert 0 < member.sum() < 40 and found.classes == ["0", "1"]
    assert found.of_class("1").rows()["jsd"] == pytest.approx(numpy.mean(numpy.array(jsd)[member]))
    assert found.of_class("overall").rows()["jsd"] == pytest.approx(numpy.mean(jsd))


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
