"""The attention of another model, from its attribution file."""

from functools import cached_property
from pathlib import Path
from typing import Dict, Iterable, Optional, Tuple

import numpy
import pyarrow
import pyarrow.parquet
import torch
from allennlp.common.checks import ConfigurationError

from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.counterfactual.perturbation import Perturbation
from attention_explain.counterfactual.replacement import Replacement
from durable.sealed import Damaged, read_sealed

# Of the sum of a text's weights, which are in single precision.
TOLERANCE = 1e-3


@Perturbation.register("other-model")
class OtherModelsAttention(Replacement):
    """
    The weights that a file has for the text of the same id. Each text must be there, with as many
    weights as it has tokens, none negative and of sum 1.

    Registered as a `Perturbation` with name "other-model".

    # Parameters

    file : `str`
        Written by `allennlp attribute`, with the method `attention`, or by `allennlp perturb`.
    column : `str`, optional (default = `"attention"`)
        Of the weights: also that of an adversary, `instance-adversary.attention`.
    """

    def __init__(self, file: str, column: str = "attention") -> None:
        self.file = file
        self.column = column
        self.reads = (file,)
        self.called = f"the weights of {file} ({column})"
        if not Path(file).is_file():
            raise ConfigurationError(f"{file}: no such file")
        try:
            columns = pyarrow.parquet.read_schema(file)
        except (pyarrow.ArrowInvalid, OSError) as error:
            raise ConfigurationError(f"{file}: not a readable parquet file ({error})") from error
        for name in ("id", column):
            if name not in columns.names:
                raise ConfigurationError(f"{file}: has no column '{name}'")
        kind = columns.field(column).type
        if not (pyarrow.types.is_list(kind) and pyarrow.types.is_floating(kind.value_type)):
            raise ConfigurationError(f"{file}: column '{column}' has no lists of numbers")

    @cached_property
    def _weights(self) -> Dict[str, Optional[numpy.ndarray]]:
        try:
            table = read_sealed(self.file, columns=["id", self.column])
        except Damaged as error:
            raise ConfigurationError(str(error)) from error
        weights: Dict[str, Optional[numpy.ndarray]] = {}
        for id_, row in zip(table["id"].to_pylist(), table[self.column].to_numpy()):
            if id_ in weights:
                raise ConfigurationError(f"{self.file}: has two texts with id '{id_}'")
            weights[id_] = row
        return weights

    def check(self, lengths: Iterable[Tuple[str, int]]) -> None:
        for id_, tokens in lengths:
            if id_ not in self._weights:
                raise ConfigurationError(f"{self.file}: has no text with id '{id_}'")
            weights = self._weights[id_]
            place = f"{self.file}: {self.column} of text '{id_}'"
            if weights is None:
                raise ConfigurationError(f"{place} is missing")
            if len(weights) != tokens:
                raise ConfigurationError(
                    f"{place} has {len(weights)} weights, but the text has {tokens} tokens here"
                )
            if not (weights.min() >= 0 and abs(weights.sum() - 1) <= TOLERANCE):
                raise ConfigurationError(
                    f"{place} is no attention: weights may not be negative, and must sum to 1"
                )

    def weights(self, texts: FixedStates) -> torch.Tensor:
        weights = torch.zeros(texts.attention.shape, dtype=texts.attention.dtype)
        for row, seen in enumerate(texts.attendable.cpu()):
            own = torch.tensor(self._weights[texts.ids[row]], dtype=weights.dtype)
            weights[row, seen] = own / own.sum()
        return weights.to(texts.attention.device)
