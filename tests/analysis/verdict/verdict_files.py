"""Synthetic folders like those of `allennlp verdict`, for every possible answer."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy

from attention_explain.files.faithfulness import RANDOM, RELEVANCE, SEARCH
from tests.analysis.attribution_files import config, random_rows, write_attributions
from tests.analysis.faithfulness.faithfulness_files import write_faithfulness
from tests.analysis.papers.families import adversary_config
from tests.analysis.perturbation_files import write_perturbations

Row = dict[str, Any]
DATA = "of the small corpus"
# 0 for random orders, 1 for the best order found; one number, or one per removal method.
SCORES = {"attention": 0.1, "gradient": 0.4, "lrp": 0.9}
# Agreement of signs: 0.5 for a coin, 1 for always. Other methods are unsigned.
DIRECTIONS = {"lrp": 0.95}


def write_folder(
    folder: Path,
    texts: int = 100,
    seeds: int = 1,
    scores: Mapping[str, float | Mapping[str, float]] = SCORES,
    spread: float = 0.1,
    flips: float = 0.2,
    heads: float | None = None,
    moved: float = 0.1,
    far: float = 0.9,
    allowed: float = 0.05,
    rho: float | Mapping[str, float] = 0.0,
    change: float = 0.1,
    noise: float = 0.1,
    learned: bool = True,
    directions: Mapping[str, float] = DIRECTIONS,
    parameters: Mapping[str, Row] = {},
    relevance: bool = True,
    other_scores: Mapping[str, Mapping[str, float]] = {},
    reliability: Mapping[str, float] = {},
    rationale: bool = False,
    planted: str = "",
    adversary: tuple[float, float] | None = None,
    corpus: str = "small",
    erasures: Sequence[str] = ("delete", "unk"),
    data: str = "test",
    **row: Any,
) -> Path:
    """
    scores : by relevance, and by comprehensiveness and sufficiency unless `other_scores` gives these.
    relevance : whether relevance and direction were measured, as versions before 0.2 did not.
    reliability : of relevance, by removal method.
    directions : agreement of signs of the signed methods.
    parameters : of methods.
    spread : of the scores of single texts.
    flips, moved : what uniform weights do: to that share of texts, and by how much.
    heads : for a transformer: the share of predictions that permuted weights in all heads change.
    far, allowed : the share of texts with other weights, and how far these move the output.
    rho, change : for randomised parameters and for noise on the input; `change` below 0 is not measured.
    noise : how far seeds disagree about scores.
    planted : the preset of the corpus, if what the rationale marks is known to be the cause.
    adversary : trained, one against each seed: the share of texts that it attends elsewhere in, and how
        far it moves the output.
    row : what replaces the fields of each text.
    """
    methods = list(scores)
    reader = {"dataset_reader": {"type": "planted", "preset": planted}} if planted else {}
    for seed in range(1, seeds + 1):
        trained_by = {**config(seed, corpus=corpus), **reader}
        rows = random_rows(texts, methods, seed, noise, longest=10, rationale=rationale)
        for each in rows:
            each.update(row)
            if not learned:
                each["predicted"] = "0"
        trained = {"archive": f"runs/{seed}", "weights_sha256": f"{corpus} {seed}"}
        about = {"data_sha256": DATA, "data": data, **trained}
        write_attributions(
            folder / f"files/attributions-{seed}.parquet",
            rows,
            methods,
            trained_by,
            target=None,
            instances=texts,
            interpreters={
                name: {"parameters": parameters.get(name, {}), "signed": name in directions}
                for name in methods
            },
            **about,
        )
        if adversary is not None:
            write_attributions(
                folder / f"files/adversary-{seed}.parquet",
                _attacked(rows, *adversary),
                ["attention"],
                adversary_config(Path(f"runs/{seed}"), 0.001, seed=seed, corpus=corpus),
                archive_sha256=f"adversary {seed}",
                data_sha256=DATA,
                archive=f"runs/adversary-{seed}",
            )
        write_perturbations(
            folder / f"files/perturbations-{seed}.parquet",
            _perturbed(rows, flips, moved, far, allowed, heads),
            trained_by,
            **about,
        )
        write_faithfulness(
            folder / f"files/faithfulness-{seed}.parquet",
            _judged(rows, scores, spread, rho, change, seed, erasures)
            if not relevance
            else _judged(
                rows,
                scores,
                spread,
                rho,
                change,
                seed,
                erasures,
                directions,
                other_scores,
                reliability,
            ),
            seed,
            trained_by,
            samplings={
                "relevance": {
                    name: {"output": "logits", "reliability": {"logits": each, "probability": 0.0}}
                    for name, each in reliability.items()
                }
            },
            **about,
        )
    return folder


def _among(index: int, share: float) -> bool:
    """Whether a text is one of that share, which are spread evenly."""
    return int((index + 1) * share) > int(index * share)


def _perturbed(
    rows: Sequence[Row],
    flips: float,
    moved: float,
    far: float,
    allowed: float,
    heads: float | None,
) -> list[Row]:
    text = ("id", "tokens", "label", "predicted", "probs", "attention")
    if heads is not None:
        return [
            {
                **{name: each[name] for name in text},
                "uniform-heads.flip": _among(index, flips),
                "uniform-heads.tvd": moved * (0.8 + 0.4 * (index % 2)),
                "permuted-heads.flip": _among(index, heads),
                "permuted-heads.tvd": moved * (0.8 + 0.4 * (index % 2)),
            }
            for index, each in enumerate(rows)
        ]
    return [
        {
            **{name: each[name] for name in text},
            "uniform.flip": _among(index, flips),
            "uniform.tvd": moved * (0.8 + 0.4 * (index % 2)),
            "permutation.median_tvd": moved * (0.8 + 0.4 * (index % 2)),
            "drop-top.top_tvd": moved / 2,
            "drop-top.random_tvd": moved / 4,
            "instance-adversary.max_jsd": 0.6 if _among(index, far) else 0.1,
            "instance-adversary.tvd": allowed,
        }
        for index, each in enumerate(rows)
    ]


def _attacked(rows: Sequence[Row], far: float, moved: float) -> list[Row]:
    """All weight on the token that has least of it, in the given number of texts."""
    made = []
    for index, each in enumerate(rows):
        weights = list(each["attention"])
        if _among(index, far):
            least = int(numpy.argmin(weights))
            weights = [float(index == least) for index in range(len(weights))]
        probs = [each["probs"][0] + moved, each["probs"][1] - moved]
        made.append({**each, "attention": weights, "probs": probs})
    return made


def _judged(
    rows: Sequence[Row],
    scores: Mapping[str, float | Mapping[str, float]],
    spread: float,
    rho: float | Mapping[str, float],
    change: float,
    seed: int,
    erasures: Sequence[str],
    directions: Mapping[str, float] | None = None,
    other_scores: Mapping[str, Mapping[str, float]] = {},
    reliability: Mapping[str, float] = {},
) -> list[Row]:
    made: list[Row] = []
    for index, each in enumerate(rows):
        about = {name: each[name] for name in ("id", "label", "predicted")}
        draw = numpy.random.default_rng([index, seed])
        length = 0.2 + 0.4 * numpy.random.default_rng(index).random()

        def add(method: str, measure: str, erasure: Any, value: float, about: Row = about) -> None:
            row = {"method": method, "measure": measure, "erasure": erasure, "value": value}
            made.append({**about, **row, "k": None, "curve": None, "undefined": None})

        measures = {"comprehensiveness": 1, "sufficiency": -1}
        if directions is not None:
            measures = {"relevance": 1, **measures}
        for erasure in erasures:
            for method in directions or ():
                if method in scores:
                    add(method, "direction", erasure, directions[method] + 0.02 * draw.normal())
            for measure, toward in measures.items():
                own = other_scores.get(measure, {})
                if RELEVANCE in own:
                    score = own[RELEVANCE]
                    add(RELEVANCE, measure, erasure, 0.05 + toward * length * score)
                for method, score in {**scores, **own}.items():
                    if method == RELEVANCE:
                        continue
                    mean = score if isinstance(score, float) else score[erasure]
                    gained = length * (mean + spread * draw.normal())
                    add(method, measure, erasure, 0.05 + toward * gained)
                add(RANDOM, measure, erasure, 0.05)
                add(SEARCH, measure, erasure, 0.05 + toward * length)
                if measure == RELEVANCE and erasure in reliability:
                    made[-1]["reliability"] = reliability[erasure]
        for method in scores:
            correlation = rho if isinstance(rho, float) else rho.get(method, 0.0)
            value = correlation + 0.1 * draw.normal()
            add(method, "parameter_randomization_embeddings", None, value)
            if change >= 0:
                add(method, "sensitivity", None, change * (0.8 + 0.4 * draw.random()))
    return made
