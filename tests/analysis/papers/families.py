"""A base and its relatives, as files without a model: adversaries, seeds, uniform, perturbed."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy

from tests.analysis.attribution_files import Row, config, write_attributions
from tests.analysis.perturbation_files import perturbed_rows, write_perturbations

TEXTS = 40


def text_rows(moved: float = 0.0, output: float = 0.0, seed: int = 1, texts: int = TEXTS) -> list:
    """
    The same texts whatever is given; attention is mixed with noise (`moved` of it), outputs are
    mixed with other ones.
    """
    rows: list[Row] = []
    for index in range(texts):
        text, model = numpy.random.default_rng(index), numpy.random.default_rng([index, seed])
        length = int(text.integers(3, 12))
        attention = (1 - moved) * text.dirichlet(numpy.full(length, 0.4))
        attention += moved * model.dirichlet(numpy.full(length, 0.4))
        chance = (1 - output) * text.random() + output * model.random()
        rows.append(
            {
                "id": f"text-{index}",
                "tokens": [f"w{position}" for position in range(length)],
                "label": str(text.integers(2)),
                "predicted": str(int(chance > 0.5)),
                "probs": [1 - chance, chance],
                "attention": attention.tolist(),
            }
        )
    return rows


def adversary_config(base: Path, lambda_: float, frozen: bool = False, **options: Any) -> Row:
    callback = {"type": "adversarial_attention", "base": str(base), "lambda_": lambda_}
    return config(trainer={"callbacks": [{**callback, "frozen": frozen}]}, **options)


def write_model(path: Path, rows: Sequence[Row], config: Row) -> Path:
    """An attribution file of the run folder next to it, which need not exist."""
    archive = str(path.with_suffix(""))
    return write_attributions(path, rows, ["attention"], config, archive=archive)


def write_family(
    folder: Path,
    lambdas: Sequence[float] = (0, 0.001, 0.01),
    seeds: Sequence[int] = (2,),
    corpus: str = "sst",
    perturbed: bool = True,
) -> Path:
    """Attention and output move with lambda; all files are in the folder."""
    base = folder / "base.parquet"
    write_model(base, text_rows(), config(corpus=corpus))
    for seed in seeds:
        rows = text_rows(0.3, 0.1, seed)
        write_model(folder / f"seed_{seed}.parquet", rows, config(seed, corpus=corpus))
    for position, lambda_ in enumerate(lambdas):
        share = position / max(1, len(lambdas) - 1)
        rows = text_rows(0.2 + 0.8 * share, 0.05 + 0.5 * share**3, seed=10)
        given = adversary_config(folder / "base", lambda_, corpus=corpus)
        write_model(folder / f"adversary_{position}.parquet", rows, given)
    uniform = [{**row, "attention": _uniform(row)} for row in text_rows(output=0.2, seed=5)]
    write_model(folder / "uniform.parquet", uniform, config(projection="uniform", corpus=corpus))
    if perturbed:
        write_perturbed(folder, corpus)
    return folder


def write_perturbed(folder: Path, corpus: str = "sst", name: str = "base", seed: int = 1) -> Path:
    """Of the base, or another seed; `perturbed_rows` has other texts, so only its numbers are taken."""
    rows = []
    for text, fields in zip(text_rows(), perturbed_rows(TEXTS, seed - 1), strict=True):
        numbers = {name: value for name, value in fields.items() if "." in name}
        numbers["instance-adversary.attention"] = _uniform(text)
        rows.append({**text, **numbers})
    return write_perturbations(
        folder / f"{name}.perturbed.parquet",
        rows,
        config(seed, corpus=corpus),
        {"instance-adversary": {"epsilon": 0.05}},
        archive=str(folder / name / "model.tar.gz"),
    )


def write_training(folder: Path, config: Row, metrics: dict[str, float] | None = None) -> Path:
    """A finished run."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "metrics.json").write_text(json.dumps(metrics or {}))
    (folder / "model.tar.gz").touch()
    return folder


def _uniform(row: Row) -> list[float]:
    return [1 / len(row["tokens"])] * len(row["tokens"])
