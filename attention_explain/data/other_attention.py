"""The attention of another model, from the files that `attribute` or `perturb` wrote of it."""

from functools import cached_property
from itertools import islice
from typing import Dict, List, Optional, Sequence, Tuple, Union

import numpy
import pyarrow
import pyarrow.parquet

from attention_explain.data.errors import DataError
from attention_explain.data.example import text_key
from attention_explain.data.sources import local_path
from durable.sealed import Damaged, read_sealed

# Of the sum of a text's weights, which are in single precision.
TOLERANCE = 1e-3


class OtherAttention:
    """
    The weights of texts, joined by id and tokens. Files and columns are checked at once, the
    weights of a text when they are asked for.

    # Parameters

    paths : `str` or `List[str]`
        Parquet files, such as one for each split.
    column : `str`, optional (default = `"attention"`)
        Of the weights.
    """

    def __init__(self, paths: Union[str, List[str]], column: str = "attention") -> None:
        self.paths = [paths] if isinstance(paths, str) else list(paths)
        self.column = column
        for path in self.paths:
            self._check_columns(path)

    def weights(self, id: str, tokens: Sequence[str]) -> numpy.ndarray:
        """Those of a text's tokens: not negative, and of sum 1. Shape: (tokens,)"""
        weights_of, tokens_of = self._texts
        key = text_key(id, tokens)
        if key not in weights_of:
            there = tokens_of.get(id)
            problem = f"has no text with id {id!r}"
            if there is not None:
                problem = (
                    f"text {id!r} has other tokens there ({_beginning(there.as_py())}) than here "
                    f"({_beginning(tokens)}); both must be of the same data"
                )
            raise DataError(problem, ", ".join(self.paths))
        weights = weights_of[key]
        if not _is_distribution(weights, len(tokens)):
            raise DataError(
                f"{self.column} of text {id!r} is "
                + ("missing" if weights is None else f"no attention over its {len(tokens)} tokens")
                + "; it must have a weight for each token, none negative, and of sum 1",
                ", ".join(self.paths),
            )
        return weights

    def _check_columns(self, path: str) -> None:
        try:
            columns = pyarrow.parquet.read_schema(local_path(path))
        except (pyarrow.ArrowException, OSError) as error:
            raise DataError(f"not a readable parquet file ({error})", path) from error
        for name in ("id", "tokens", self.column):
            if name not in columns.names:
                raise DataError(
                    f"has no column '{name}'; its columns are {', '.join(columns.names)}", path
                )
        kind = columns.field(self.column).type
        if not (pyarrow.types.is_list(kind) and pyarrow.types.is_floating(kind.value_type)):
            raise DataError(f"column '{self.column}' has no lists of numbers", path)

    @cached_property
    def _texts(self) -> Tuple[Dict[bytes, Optional[numpy.ndarray]], Dict[str, pyarrow.Scalar]]:
        """The weights of each text by its key, and by its id the tokens, for messages."""
        weights_of, tokens_of = {}, {}
        for path in self.paths:
            try:
                table = read_sealed(local_path(path), columns=["id", "tokens", self.column])
            except Damaged as error:
                raise DataError(str(error)) from error
            here = set()
            for id, tokens, weights in zip(
                table["id"].to_pylist(), table["tokens"], table[self.column].to_numpy()
            ):
                key = text_key(id, tokens.as_py())
                if key in here:
                    raise DataError(f"has two texts with id {id!r}", path)
                here.add(key)
                weights_of[key], tokens_of[id] = weights, tokens
        return weights_of, tokens_of


def _is_distribution(weights: Optional[numpy.ndarray], tokens: int) -> bool:
    return (
        weights is not None
        and len(weights) == tokens
        and bool((weights >= 0).all())
        and abs(weights.sum() - 1) <= TOLERANCE
    )


def _beginning(tokens: Sequence[str], most: int = 6) -> str:
    """For people: the first tokens, and how many there are."""
    more = " ..." if len(tokens) > most else ""
    return f"{len(tokens)}: {' '.join(islice(tokens, most))}{more}"
