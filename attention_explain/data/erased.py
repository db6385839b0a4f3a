"""Texts of which a share of the tokens is masked: those that a method calls the most important."""

from functools import cached_property
from typing import List, Optional, Sequence, Union

import numpy
from allennlp.common import FromParams

from attention_explain.archive_reach import ConfigFiles
from attention_explain.data.other_scores import OtherScores
from attention_explain.errors import InputError
from attention_explain.named_components import check_choice
from attention_explain.orders import RANKINGS, random_ranks, ranks, share_size
from attention_explain.symbols import MASK_TOKEN

RANDOM = "random"


class Erased(FromParams):
    """
    Puts a mask in the place of tokens, the most important first. What the scores' own model has read
    as a mask stays one, and counts: so files of a model that was trained on texts with a quarter
    masked, and a share of .5, mask another quarter (Madsen et al. 2021).

    # Parameters

    share : `float`
        Of a text's tokens, masked in the end: the nearest number, and at least one.
    by : `str`, optional (default = `"random"`)
        The method whose scores decide, a column of `files`. Without files it can only be `random`: an order by chance, of which a larger share
        masks the same tokens and more.
    files : `str` or `List[str]`, optional (default = `None`)
        Attribution files: together they must hold every text that is read, by id and tokens.
    seed : `int`, optional (default = `0`)
        With a text's id it decides which of equal scores goes first, and orders by chance.
    ranking : `str`, optional (default = `"size"`)
        `size`: large scores go first, whatever their sign. `signed`: high ones, toward the explained
        class. It depends on the class which harmless words are masked beside the important ones, so
        that a new model can read the class from the masks: by size less so than signed, but not never.
    """

    def __init__(
        self,
        share: float,
        by: str = RANDOM,
        files: Optional[Union[str, List[str]]] = None,
        seed: int = 0,
        ranking: str = "size",
    ) -> None:
        if not 0 < share <= 1:
            raise InputError(f"erased: share is {share}, but must be above 0 and at most 1")
        if files is None and by != RANDOM:
            raise InputError(f"erased: by '{by}' needs files with the scores of that method")
        self.share = share
        self.by = by
        self.files = None if files is None else ConfigFiles(files, "erased.files")
        self.seed = seed
        self.ranking = check_choice("ranking", ranking, RANKINGS)

    def words(self, id: str, tokens: Sequence[str]) -> List[str]:
        """The tokens of a text, with masks in the place of some."""
        size = share_size(self.share, len(tokens))
        if self.files is None:
            (places,) = random_ranks(len(tokens), 1, self.seed, id)
        else:
            masked, scores = self._scores.masked_scores(id, tokens)
            size = max(size, int(masked.sum()))
            places = ranks(numpy.where(masked, numpy.inf, scores), self.ranking, self.seed, id)
        return [
            MASK_TOKEN if place < size else token
            for place, token in zip(places, tokens, strict=True)
        ]

    @cached_property
    def _scores(self) -> OtherScores:
        return OtherScores(self.files, self.by)
