"""Scores of texts' tokens by another model, from the files that the commands wrote of it."""

from functools import cached_property
from itertools import islice
from typing import Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy
import pyarrow
import pyarrow.parquet

from attention_explain.data.errors import DataError
from attention_explain.data.example import text_key
from attention_explain.data.sources import local_path
from attention_explain.data.tables import read_parquet
from attention_explain.symbols import MASK_TOKEN


class OtherScores:
    """
    The scores of texts, joined by id and tokens. Files and columns are checked at once, the scores of
    a text when they are asked for.

    # Parameters

    paths : `str` or `List[str]`
        Parquet files, such as one for each split.
    column : `str`
        Of the scores.
    """

    # In the sentence about what is something else.
    called = "list of scores for"
    needed = "a finite number for each token"

    def __init__(self, paths: Union[str, Iterable[str]], column: str) -> None:
        self.paths = [paths] if isinstance(paths, str) else list(paths)
        self.column = column
        for path in self.paths:
            self._check_columns(path)

    def scores(self, id: str, tokens: Sequence[str]) -> numpy.ndarray:
        """Those of a text's tokens. Shape: (tokens,)"""
        scores_of, tokens_of = self._texts
        key = text_key(id, tokens)
        if key not in scores_of:
            raise self._stranger(id, tokens, tokens_of.get(id, []))
        return self._checked(id, tokens, scores_of[key])

    def masked_scores(self, id: str, tokens: Sequence[str]) -> Tuple[numpy.ndarray, numpy.ndarray]:
        """
        Which of a text's tokens are masked in the files, which may be of a model that was trained on
        masked texts; and the scores of all. Shape of each: (tokens,)
        """
        scores_of, tokens_of = self._texts
        with_id = tokens_of.get(id, [])
        fitting = [there for there in map(_words, with_id) if _same_but_masked(there, tokens)]
        if not fitting:
            raise self._stranger(id, tokens, with_id)
        if len(fitting) > 1:
            raise self._error(
                f"{len(fitting)} texts with id {id!r} are the same but for what is masked, so that "
                "nobody can tell which is meant; give each text an id of its own"
            )
        (there,) = fitting
        scores = self._checked(id, tokens, scores_of[text_key(id, there)])
        return numpy.array([token == MASK_TOKEN for token in there]), scores

    def _fits(self, scores: numpy.ndarray, tokens: int) -> bool:
        return len(scores) == tokens and bool(numpy.isfinite(scores).all())

    def _checked(
        self, id: str, tokens: Sequence[str], scores: Optional[numpy.ndarray]
    ) -> numpy.ndarray:
        if scores is None or not self._fits(scores, len(tokens)):
            raise self._error(
                f"{self.column} of text {id!r} is "
                + ("missing" if scores is None else f"no {self.called} its {len(tokens)} tokens")
                + f"; it must have {self.needed}"
            )
        return scores

    def _stranger(
        self, id: str, tokens: Sequence[str], with_id: Sequence[pyarrow.Scalar]
    ) -> DataError:
        if not with_id:
            return self._error(f"has no text with id {id!r}")
        return self._error(
            f"text {id!r} has other tokens there ({_beginning(_words(with_id[-1]))}) than here "
            f"({_beginning(tokens)}); both must be of the same data"
        )

    def _error(self, problem: str) -> DataError:
        return DataError(problem, ", ".join(self.paths))

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
    def _texts(self) -> Tuple[Dict[bytes, Optional[numpy.ndarray]], Dict[str, List]]:
        """The scores of each text by its key, and by its id the tokens of all that have it."""
        scores_of, tokens_of = {}, {}
        for path in self.paths:
            table = read_parquet(path, columns=["id", "tokens", self.column])
            here = set()
            for id, tokens, scores in zip(
                table["id"].to_pylist(), table["tokens"], table[self.column].to_numpy()
            ):
                key = text_key(id, _words(tokens))
                if key in here:
                    raise DataError(f"has two texts with id {id!r}", path)
                here.add(key)
                if key not in scores_of:
                    tokens_of.setdefault(id, []).append(tokens)
                scores_of[key] = scores
        return scores_of, tokens_of


def _same_but_masked(there: Sequence[str], here: Sequence[str]) -> bool:
    return len(there) == len(here) and all(
        masked in (MASK_TOKEN, token) for masked, token in zip(there, here, strict=True)
    )


def _words(tokens: pyarrow.Scalar) -> List[str]:
    return tokens.as_py()


def _beginning(tokens: Sequence[str], most: int = 6) -> str:
    """For people: the first tokens, and how many there are."""
    more = " ..." if len(tokens) > most else ""
    return f"{len(tokens)}: {' '.join(islice(tokens, most))}{more}"
