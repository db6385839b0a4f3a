"""Output folders with a bit of everything, as the commands would write them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas

from analysis.figures import style
from analysis.output import Output
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import config, random_rows, write_attributions

METHODS = ("attention", "gradient", "leave-one-out", "random")


def attribution_file(path: Path, rows: Sequence[dict[str, Any]] = (), **changes: Any) -> Path:
    """Of texts that say what they are explained for; `changes` as in `write_attributions`."""
    rows = rows or random_rows(methods=METHODS, rationale=True)
    methods = [name for name in METHODS if name in rows[0]]
    interpreters = {
        name: {"parameters": {"type": name}, "signed": False, "sums_to": None} for name in methods
    }
    return write_attributions(
        path, rows, methods, **{"interpreters": interpreters, "target": None, **changes}
    )


def long_table(rows: int = 20) -> pandas.DataFrame:
    return pandas.DataFrame(
        {
            "pair": [f"pair-{number}" for number in range(rows)],
            "measure": "kendall",
            **{f"column {number}": 0.125 for number in range(12)},
        }
    )


def output_folder(folder: Path, files: list[Path], word: str = "word") -> Path:
    """Two sections with tables, figures and sentences; `word` stands in every text."""
    analysed = [load_attributions(file) for file in files]
    first = Output(folder, "agreement")
    first.sentence("finding", f"Attention agrees with {word}.")
    first.table("pairs", long_table(), f"All pairs of {word}.", note=f"A note on {word}.")
    _figures(first, word)
    first.finish(["python", "-m", "analysis", word], analysed, {"measure": word})
    second = Output(folder, "some_paper")
    second.sentence("other", f"Something else about {word}.")
    second.table("published", pandas.DataFrame({word: [word, "b|c"]}), f"As published: {word}.")
    second.finish(["python", "-m", "analysis", "table"], analysed[:1])
    return folder


def two_models(folder: Path) -> list[Path]:
    """One with two seeds."""
    return [
        attribution_file(folder / "one.parquet", config=config(seed=1)),
        attribution_file(
            folder / "two.parquet",
            random_rows(methods=METHODS, seed=2, rationale=True),
            config=config(seed=2),
        ),
        attribution_file(folder / "sparse.parquet", config=config(projection="sparsemax")),
    ]


def _figures(output: Output, word: str) -> None:
    for name in ("matrix", "histogram"):
        with style.applied():
            figure, axes = style.figure(style.DOUBLE, 3)
            axes[0, 0].plot([0, 1], [0, 1], marker="o")
            # A clipped line, so that the figure refers to parts of itself.
            axes[0, 0].set_xlim(0.1, 0.8)
            axes[0, 0].set_title(word)
            output.figure(name, figure, f"The {name} of {word}.", note=f"Seen by {word}.")
