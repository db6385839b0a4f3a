"""The parquet files of the plugin's commands as pandas tables; `attention_explain.files` has their formats."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas

from analysis.errors import AnalysisError
from analysis.model_config import ModelConfig
from attention_explain.errors import InputError
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
