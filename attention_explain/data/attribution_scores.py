"""
Scores of another model from attribution files, for readers that mask the most important words of a
text (`erased`) or give the model another model's attention (`guide`).
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice

import numpy
import pyarrow
import pyarrow.parquet
from allennlp.common import FromParams

from attention_explain.archive_reach import ConfigFiles
from attention_explain.data.errors import DataError
from attention_explain.data.example import text_key
from attention_explain.data.sources import local_path, read_parquet
from attention_explain.errors import InputError
from attention_explain.named_components import check_choice
from attention_explain.passes import RANKINGS, random_ranks, ranks, share_size
from attention_explain.symbols import MASK_TOKEN


class OtherScores:
    """
    The scores of texts, joined by id and tokens. Files and columns are checked immediately, the scores
    of a text when they are used.

    # Parameters

    paths : `str` or `List[str]`
        Parquet files, such as one per split.
    column : `str`
        The column of the scores.
    """

    # For messages.
    called = "list of scores for"
    needed = "a finite number for each token"

    def __init__(self, paths: str | Iterable[str], column: str) -> None:
        self.paths = [paths] if isinstance(paths, str) else list(paths)
        self.column = column
        for path in self.paths:
            self._check_columns(path)

    def scores(self, id: str, tokens: Sequence[str]) -> numpy.ndarray:
        """The scores of a text's tokens. Shape: (tokens,)"""
        scores_of, tokens_of = self._texts
        key = text_key(id, tokens)
        if key not in scores_of:
            raise self._not_found(id, tokens, tokens_of.get(id, []))
        return self._checked(id, tokens, scores_of[key])

    def masked_scores(self, id: str, tokens: Sequence[str]) -> tuple[numpy.ndarray, numpy.ndarray]:
        """
        Which tokens of a text are masked in the files, as those of a model trained on masked texts
        have it; and the scores of all tokens. Shape of each: (tokens,)
        """
        scores_of, tokens_of = self._texts
        with_id = tokens_of.get(id, [])
        fitting = [
            other for other in map(_token_strings, with_id) if _same_but_masked(other, tokens)
        ]
        if not fitting:
            raise self._not_found(id, tokens, with_id)
        if len(fitting) > 1:
            raise self._error(
                f"{len(fitting)} texts with id {id!r} differ only in the masked words, so the match is "
                "ambiguous; give each text an id of its own"
            )
        (found,) = fitting
        scores = self._checked(id, tokens, scores_of[text_key(id, found)])
        return numpy.array([token == MASK_TOKEN for token in found]), scores

    def _fits(self, scores: numpy.ndarray, tokens: int) -> bool:
        return len(scores) == tokens and bool(numpy.isfinite(scores).all())

    def _checked(
        self, id: str, tokens: Sequence[str], scores: numpy.ndarray | None
    ) -> numpy.ndarray:
        if scores is None or not self._fits(scores, len(tokens)):
            raise self._error(
                f"{self.column} of text {id!r} is "
                + ("missing" if scores is None else f"not a {self.called} its {len(tokens)} tokens")
                + f"; it must have {self.needed}"
            )
        return scores

    def _not_found(
        self, id: str, tokens: Sequence[str], with_id: Sequence[pyarrow.Scalar]
    ) -> DataError:
        if not with_id:
            return self._error(f"has no text with id {id!r}")
        return self._error(
            f"text {id!r} has other tokens ({_beginning(_token_strings(with_id[-1]))}) than in the data "
            f"({_beginning(tokens)}); both must come from the same data"
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
            raise DataError(f"column '{self.column}' does not hold lists of numbers", path)

    @cached_property
    def _texts(self) -> tuple[dict[bytes, numpy.ndarray | None], dict[str, list]]:
        """The scores of each text by its key, and the tokens of all texts with the same id."""
        scores_of: dict[bytes, numpy.ndarray | None] = {}
        tokens_of: dict[str, list] = {}
        for path in self.paths:
            table = read_parquet(path, columns=["id", "tokens", self.column])
            here = set()
            for id, tokens, scores in zip(
                table["id"].to_pylist(), table["tokens"], table[self.column].to_numpy()
            ):
                key = text_key(id, _token_strings(tokens))
                if key in here:
                    raise DataError(f"has two texts with id {id!r}", path)
                here.add(key)
                if key not in scores_of:
                    tokens_of.setdefault(id, []).append(tokens)
                scores_of[key] = scores
        return scores_of, tokens_of


def _same_but_masked(tokens: Sequence[str], unmasked: Sequence[str]) -> bool:
    return len(tokens) == len(unmasked) and all(
        token in (MASK_TOKEN, original) for token, original in zip(tokens, unmasked, strict=True)
    )


def _token_strings(tokens: pyarrow.Scalar) -> list[str]:
    return tokens.as_py()


def _beginning(tokens: Sequence[str], most: int = 6) -> str:
    """The number of tokens and the first ones, for messages."""
    more = " ..." if len(tokens) > most else ""
    return f"{len(tokens)}: {' '.join(islice(tokens, most))}{more}"


# For the sum of a text's weights, which are in single precision.
TOLERANCE = 1e-3


class OtherAttention(OtherScores):
    """Attention weights of another model; parameters as in `OtherScores`."""

    called = "valid attention over"
    needed = "a weight for each token, none negative, with sum 1"

    def __init__(self, paths: str | Iterable[str], column: str = "attention") -> None:
        super().__init__(paths, column)

    def weights(self, id: str, tokens: Sequence[str]) -> numpy.ndarray:
        """The weights of a text's tokens: not negative, with sum 1. Shape: (tokens,)"""
        return self.scores(id, tokens)

    def _fits(self, scores: numpy.ndarray, tokens: int) -> bool:
        return (
            len(scores) == tokens
            and bool((scores >= 0).all())
            and abs(scores.sum() - 1) <= TOLERANCE
        )


RANDOM = "random"


class Erased(FromParams):
    """
    Masks the most important tokens of a text. Tokens that were already masked for the model of the
    scores stay masked and count: with files of a model that was trained on texts with a quarter masked,
    a share of .5 masks another quarter (Madsen et al. 2021).

    # Parameters

    share : `float`
        The fraction of a text's tokens that is masked: the nearest number, and at least one.
    by : `str`, optional (default = `"random"`)
        The method whose scores rank the tokens, a column of `files`. Without files only `random`: a
        larger share masks the same tokens and more.
    files : `str` or `List[str]`, optional (default = `None`)
        Attribution files that together hold every text that is read, by id and tokens.
    seed : `int`, optional (default = `0`)
        Determines the order of tied scores, and random rankings, together with the text's id.
    ranking : `str`, optional (default = `"size"`)
        `size`: by magnitude, ignoring sign. `signed`: high scores first, toward the explained class.
        Which unimportant words are masked depends on the class, so that a new model can infer the
        class from the masks: with `size` less than with `signed`, but not never.
    """

    def __init__(
        self,
        share: float,
        by: str = RANDOM,
        files: str | list[str] | None = None,
        seed: int = 0,
        ranking: str = "size",
    ) -> None:
        if not 0 < share <= 1:
            raise InputError(f"erased: share is {share}, but must be above 0 and at most 1")
        if files is None and by != RANDOM:
            raise InputError(f"erased: by '{by}' needs files that have the scores of that method")
        self.share = share
        self.by = by
        self.files = None if files is None else ConfigFiles(files, "erased.files")
        self.seed = seed
        self.ranking = check_choice("ranking", ranking, RANKINGS)

    def words(self, id: str, tokens: Sequence[str]) -> list[str]:
        """The tokens of a text, some of them masked."""
        size = share_size(self.share, len(tokens))
        if self._scores is None:
            (token_ranks,) = random_ranks(len(tokens), 1, self.seed, id)
        else:
            masked, scores = self._scores.masked_scores(id, tokens)
            size = max(size, int(masked.sum()))
            token_ranks = ranks(numpy.where(masked, numpy.inf, scores), self.ranking, self.seed, id)
        return [
            MASK_TOKEN if rank < size else token
            for rank, token in zip(token_ranks, tokens, strict=True)
        ]

    @cached_property
    def _scores(self) -> OtherScores | None:
        return None if self.files is None else OtherScores(self.files, self.by)
