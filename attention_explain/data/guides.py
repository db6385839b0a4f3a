"""Attention that a model is to take as it is, from attribution files of another model."""

from typing import Dict, List, Sequence, Union

import numpy

from attention_explain.data.errors import DataError
from attention_explain.data.sources import local_path
from attention_explain.data.text_key import text_key
from durable.sealed import Damaged, read_sealed

COLUMNS = ("id", "tokens", "attention")


class Guide:
    """
    The weights of each text, joined by id and tokens.

    # Parameters

    paths : `str` or `List[str]`
        Attribution files with the method `attention`, as `allennlp attribute` writes them: one for
        each split that is read.
    """

    def __init__(self, paths: Union[str, List[str]]) -> None:
        self.paths = [paths] if isinstance(paths, str) else list(paths)
        self._weights: Dict[bytes, numpy.ndarray] = {}
        for path in self.paths:
            self._add(path)

    def _add(self, path: str) -> None:
        try:
            table = read_sealed(local_path(path))
        except (OSError, Damaged) as error:
            raise DataError(f"is no attribution file ({error})", path) from error
        for name in COLUMNS:
            if name not in table.column_names:
                raise DataError(
                    f"has no column '{name}'; its columns are {', '.join(table.column_names)}", path
                )
        for id, tokens, weights in zip(*(table[name].to_pylist() for name in COLUMNS)):
            given = numpy.array(weights or [], dtype=numpy.float32)
            if len(given) != len(tokens) or not (given >= 0).all() or abs(given.sum() - 1) > 1e-3:
                raise DataError(
                    f"attention of text {id!r} is no distribution over its {len(tokens)} tokens",
                    path,
                )
            self._weights[text_key(id, tokens)] = given

    def weights(self, id: str, tokens: Sequence[str]) -> numpy.ndarray:
        """Those of a text's tokens. Shape: (tokens,)"""
        found = self._weights.get(text_key(id, tokens))
        if found is None:
            raise DataError(
                f"no guide for text {id!r} with these {len(tokens)} tokens in "
                f"{', '.join(self.paths)}; `allennlp attribute` must have read the same data"
            )
        return found
