"""The parquet files of the plugin's commands as pandas tables: attributions, perturbations and faithfulness.
`attention_explain.files` has their formats.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy
import pandas

from analysis.errors import AnalysisError
from analysis.measures.scores import Scores
from analysis.model_config import ModelConfig
from attention_explain.errors import InputError
from attention_explain.files import attributions, faithfulness, perturbations
from attention_explain.files.attributions import (
    ATTENTION,
    KNOWN,
    RATIONALE,
    Rationale,
    markings,
    rationales_of,
)
from attention_explain.files.faithfulness import TIED
from attention_explain.files.tables import TableFormat


@dataclass(frozen=True)
class TextFile:
    """
    table : one row per text, with `id`, `tokens`, `label`, `predicted`, `probs` at least, unless the
        kind of file says otherwise.
    metadata : of the whole file.
    """

    path: Path
    table: pandas.DataFrame
    metadata: dict[str, Any]

    @property
    def declared(self) -> dict[str, Any]:
        """The components that were applied to the texts, by name, each with its `parameters`."""
        raise NotImplementedError

    @property
    def texts(self) -> pandas.DataFrame:
        """One row per text, with `id`, `label` and `predicted` at least."""
        return self.table

    @property
    def model(self) -> ModelConfig:
        """The training config of the model."""
        return ModelConfig(self.metadata["config"])

    @property
    def learned(self) -> str | None:
        """A hash of the model's weights; of the archive, in files without one."""
        return self.metadata.get("weights_sha256", self.metadata.get("archive_sha256"))

    @property
    def recovered(self) -> bool:
        """Whether its model's training was interrupted and not recovered exactly."""
        return bool(self.metadata.get("recovered"))

    @property
    def dropped_or_cut(self) -> str:
        """The texts that the reader dropped or cut, as a sentence; empty if there are none."""
        texts = self.metadata.get("texts", {})
        kept, dropped, cut = (texts.get(name) for name in ("kept", "dropped", "cut"))
        said = []
        if dropped:
            whole = kept + sum(dropped.values())
            said.append(f"{sum(dropped.values())} of {whole} texts dropped ({_counted(dropped)})")
        if cut:
            said.append(f"{sum(cut.values())} of {kept} texts cut ({_counted(cut)})")
        return ", ".join(said)


def _counted(reasons: dict[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))


def read_table(path: str | Path, format: TableFormat) -> tuple[pandas.DataFrame, dict[str, Any]]:
    """The table and the metadata of a file; raises `AnalysisError` if it does not follow the format."""
    try:
        table, metadata = format.read(Path(path))
    except InputError as error:
        raise AnalysisError(error.message) from error
    return table.to_pandas(), metadata


def run_folder(archive: str | Path) -> Path:
    """The folder of a training run, whether it was named itself or by its archive."""
    path = Path(archive).expanduser()
    return (path.parent if path.name == "model.tar.gz" else path).resolve()


def share_marked(rationale: Rationale | None) -> numpy.ndarray | None:
    """The fraction of annotators who marked each token; None if nobody marked the text."""
    marked = markings(rationale)
    return numpy.mean([*marked], axis=0) if marked else None


def usual_lengths(lengths: numpy.ndarray) -> tuple[int, int]:
    """The middle half of them: the shortest texts have the extreme agreements, at random."""
    low, high = numpy.quantile(lengths, [0.25, 0.75], method="nearest")
    return int(low), int(high)


class Attributions(TextFile):
    """The table has a column of scores for each of `methods`."""

    @property
    def declared(self) -> dict[str, Any]:
        return self.metadata["interpreters"]

    @property
    def methods(self) -> list[str]:
        """The names of the columns with scores, in the order of the file."""
        return list(self.declared)

    def scores(self, method: str, absolute: bool = False) -> Scores:
        """The scores of a method, or the `rationale` as the fraction of annotators per token."""
        column = self.table[method]
        scores = Scores.of(column.map(share_marked) if method == RATIONALE else column)
        return scores.absolute() if absolute else scores

    @property
    def token_counts(self) -> numpy.ndarray:
        """The number of tokens of each text. Shape: (texts,)"""
        return self.table["tokens"].map(len).to_numpy()

    def signed(self, method: str) -> bool:
        """Whether the scores of a method distinguish evidence for the class from evidence against it."""
        return bool(self.declared.get(method, {}).get("signed"))

    @property
    def explains_gold(self) -> numpy.ndarray:
        """Whether the explained class is the gold label of each text. Shape: (texts,)"""
        target = self.metadata.get("target")
        explained = self.table["predicted"] if target is None else target
        if "target" in self.table:
            explained = self.table["target"]
        return (self.table["label"] == explained).to_numpy(dtype=bool)

    @property
    def rationales(self) -> str:
        """The origin of the rationales: `known causes`, or `marked by people`."""
        return rationales_of(self.metadata["config"])

    @property
    def has_known_causes(self) -> bool:
        """Whether its texts mark the known causes of their labels."""
        return RATIONALE in self.table and self.rationales == KNOWN


def load_attributions(path: str | Path) -> Attributions:
    """The file at the path; raises `AnalysisError` if it is damaged or not an attribution file."""
    return Attributions(Path(path), *read_table(path, attributions.FORMAT))


class Perturbations(TextFile):
    """The table has the model's `attention`, and the fields of each perturbation as `name.field`."""

    @property
    def declared(self) -> dict[str, Any]:
        return self.metadata["perturbations"]

    @property
    def attention(self) -> Scores:
        """The model's own attention."""
        return Scores.of(self.table[ATTENTION])


def load_perturbations(path: str | Path) -> Perturbations:
    """The file at the path; raises `AnalysisError` if it is damaged or not a perturbation file."""
    return Perturbations(Path(path), *read_table(path, perturbations.FORMAT))


@dataclass(frozen=True, order=True)
class FaithfulnessMeasure:
    """
    A measure with its removal method.

    removal : "" if nothing is removed.
    k : the fraction of tokens; None for a mean over several, for a curve, and if there is none.
    """

    name: str
    removal: str = ""
    k: float | None = None

    def __str__(self) -> str:
        share = "" if self.k is None else f" at {self.k:g}"
        return f"{self.name}{share}" + (f" ({self.removal})" if self.removal else "")


class FaithfulnessFile(TextFile):
    """The table is in long form: each text has many rows."""

    @property
    def declared(self) -> dict[str, Any]:
        return {
            **{f"method {name}": each for name, each in self.metadata["methods"].items()},
            **self.metadata["measures"],
        }

    @property
    def methods(self) -> list[str]:
        """The methods without the ends of the scale."""
        return list(self.metadata["methods"])

    def higher_is_better(self, measure: str) -> bool:
        """Whether a larger value is better."""
        return bool(self.metadata["measures"][measure].get("higher_is_better", True))

    @cached_property
    def texts(self) -> pandas.DataFrame:
        return self.table.drop_duplicates("id")

    @property
    def ids(self) -> list[str]:
        """The ids of the texts, in the order of the file."""
        return self.texts["id"].tolist()

    @cached_property
    def by_measure(self) -> dict[FaithfulnessMeasure, pandas.DataFrame]:
        """The rows of each measure, in the order of the file."""
        keys = self.table[["measure", "erasure", "k"]].copy()
        keys["erasure"] = keys["erasure"].fillna("")
        grouped = self.table.groupby(
            [keys["measure"], keys["erasure"], keys["k"]], dropna=False, sort=False
        )
        return {
            FaithfulnessMeasure(name, removal, None if pandas.isna(k) else round(float(k), 6)): rows
            for (name, removal, k), rows in grouped
        }


def load_faithfulness(path: str | Path) -> FaithfulnessFile:
    """The file at the path; raises `AnalysisError` if it is damaged or not a faithfulness file."""
    file = FaithfulnessFile(Path(path), *read_table(path, faithfulness.FORMAT))
    for name in file.table["measure"].unique():
        if name != TIED and name not in file.metadata["measures"]:
            raise AnalysisError(f"{path}: has rows of '{name}', which its metadata do not describe")
    return file
