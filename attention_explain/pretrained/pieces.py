"""
From words to the pieces that a pretrained transformer reads, by its own tokenizer.

The tensors are laid out as those of AllenNLP's `pretrained_transformer_mismatched`, from which this
differs in four ways: it takes a folder as it is; each word is read as one behind a space, so that
tokenizers that tell `film` from ` film` give a word the same pieces wherever it stands, or the whole text is
read as it is written (`as_written`); a word that a reader has removed is the tokenizer's own mask; and it
knows how many words fit.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import torch
from allennlp.common.util import pad_sequence_to_length
from allennlp.data import Token, TokenIndexer, Vocabulary
from allennlp.data.token_indexers.token_indexer import IndexedTokenList

from attention_explain.errors import InputError
from attention_explain.pretrained.folders import TransformerFolder
from attention_explain.symbols import MASK_TOKEN

# The numbers of a word's pieces; and where a word begins and ends in its text.
Pieces = tuple[int, ...]
Span = tuple[int, int]

# The number of words that are cached.
REMEMBERED = 2**17
# In a training run and its archive: config and tokenizer, so that either is enough by itself. AllenNLP
# passes over what begins with a dot.
KEPT = Path("vocabulary") / ".transformer"


def kept_folder(model_name: str, serialization_dir: str | None) -> str:
    """Where config and tokenizer of a model are: with the training run, once it has them."""
    kept = None if serialization_dir is None else Path(serialization_dir) / KEPT
    return str(kept) if kept is not None and kept.is_dir() else model_name


class WrittenToken(Token):
    """A word that knows the numbers of its pieces in its text, and the text of a pair (0 or 1) it is in."""

    __slots__ = ["pieces"]

    def __init__(self, text: str, pieces: Pieces, part: int | None = None) -> None:
        super().__init__(text, type_id=part)
        self.pieces = pieces


class PairSymbols(NamedTuple):
    """
    What a tokenizer puts around the two texts of a pair.

    symbols : before the first text, between the two, and behind the second.
    types : the token types of these.
    text_types : the token type of each text.
    """

    symbols: list[list[int]]
    types: list[list[int]]
    text_types: list[int]


@TokenIndexer.register("transformer_pieces")
class PieceIndexer(TokenIndexer):
    """
    Registered as a `TokenIndexer` with name "transformer_pieces".

    # Parameters

    model_name : `str`
        A folder in Hugging Face's layout, or a name of its hub.
    max_pieces : `int`, optional (default = as many as the model reads)
        Of the longest text, special symbols included; longer ones are cut to whole words.
    as_written : `bool`, optional (default = `False`)
        Whether the pieces are those that the tokenizer gives for the whole text, white space and
        punctuation as they are written, so that the model reads exactly what it reads in a pipeline of
        transformers. If not, each word is read as one behind a space.
    """

    def __init__(
        self,
        model_name: str,
        max_pieces: int | None = None,
        as_written: bool = False,
        serialization_dir: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        folder = TransformerFolder.opened(kept_folder(model_name, serialization_dir))
        self._tokenizer = folder.tokenizer()
        self.as_written = as_written
        # Others read each of split words as one behind a space.
        self._adds_space = as_written or _reads_bytes(self._tokenizer)
        self._before, self._behind = _special_symbols(self._tokenizer)
        most, least = folder.most_positions(self._tokenizer), len(self._before + self._behind) + 1
        self.max_pieces = most if max_pieces is None else max_pieces
        if not least <= self.max_pieces <= most:
            raise InputError(
                f"max_pieces is {max_pieces}, but must be from {least} to {most}, the most that "
                f"{model_name} reads"
            )
        self._pieces: dict[str, Pieces] = {}
        self._model_name = model_name

    @cached_property
    def pair_symbols(self) -> PairSymbols:
        """What the tokenizer puts around the texts of a pair."""
        return _pair_symbols(self._tokenizer)

    def fitting(
        self,
        words: Sequence[str],
        pieces: Sequence[Pieces] | None = None,
        other: Sequence[Pieces] | None = None,
    ) -> int:
        """
        How many of the words fit into what the model reads, next to the `other` text of a pair: all, or
        the given number of first ones. `pieces` are
        those of the words in their text, where they are known.
        """
        left = self.max_pieces - len(self._before) - len(self._behind)
        if other is not None:
            symbols = sum(map(len, self.pair_symbols.symbols))
            left = self.max_pieces - symbols - sum(map(len, other))
        for position, of_word in enumerate(pieces or self.pieces(words)):
            left -= len(of_word)
            if left < 0:
                return position
        return len(words)

    def read_text(
        self, text: str, spans: Sequence[Span], merge: bool = True
    ) -> tuple[list[Span], list[Pieces]]:
        """
        The pieces of each word of a text, in which white space belongs to the word behind it, and that
        at the end to the last word. Words that share a piece become one word, if they may `merge`;
        if not, the piece belongs to the first of them.

        # Parameters

        spans : `Sequence[Span]`
            Where each word begins and ends in the text, in order.

        # Returns

        spans, pieces : of each word.
        """
        read = self._tokenizer(
            text,
            add_special_tokens=False,
            return_attention_mask=False,
            return_offsets_mapping=True,
            verbose=False,
        )
        words = [spans[0]]
        pieces: list[list[int]] = [[]]
        left = list(spans[:0:-1])
        for number, (start, end) in zip(read["input_ids"], read["offset_mapping"], strict=True):
            while left and words[-1][1] <= start:
                words.append(left.pop())
                pieces.append([])
            while merge and left and left[-1][0] < end:
                words[-1] = (words[-1][0], left.pop()[1])
            pieces[-1].append(number)
        # Words without pieces.
        words += left[::-1]
        pieces += [[] for _ in left]
        return words, [tuple(of_word) for of_word in pieces]

    def pieces(self, words: Sequence[str]) -> list[Pieces]:
        """The numbers of each word's pieces; a word of nothing but strange characters may have none."""
        unknown = list(dict.fromkeys(word for word in words if word not in self._pieces))
        if unknown:
            if len(self._pieces) + len(unknown) > REMEMBERED:
                self._pieces.clear()
                unknown = list(dict.fromkeys(words))
            pieces = self._tokenizer(
                [f" {word}" if self._adds_space else [word] for word in unknown],
                is_split_into_words=not self._adds_space,
                add_special_tokens=False,
                return_attention_mask=False,
                verbose=False,
            )["input_ids"]
            self._pieces.update(zip(unknown, map(tuple, pieces), strict=True))
            # A symbol that replaces a removed word is not split into pieces.
            if MASK_TOKEN in unknown:
                self._pieces[MASK_TOKEN] = (self._mask(),)
        return [self._pieces[word] for word in words]

    def _mask(self) -> int:
        number = self._tokenizer.mask_token_id
        if number is None:
            raise InputError(
                f"a text has words removed ('{MASK_TOKEN}'), but the tokenizer of {self._model_name} "
                "has no mask to read there"
            )
        return number

    def count_vocab_items(self, token: Token, counter: dict[str, dict[str, int]]) -> None:
        """The vocabulary is the tokenizer's own."""

    def tokens_to_indices(self, tokens: list[Token], vocabulary: Vocabulary) -> IndexedTokenList:
        alone = [token.text for token in tokens if not isinstance(token, WrittenToken)]
        known = dict(zip(alone, self.pieces(alone), strict=True))
        around, text_types = [self._before, self._behind], [0]
        types = [[0] * len(self._before), [0] * len(self._behind)]
        if any(token.type_id is not None for token in tokens):
            around, types, text_types = self.pair_symbols
        ids, type_ids = list(around[0]), list(types[0])
        offsets = [(-1, -1)] * len(tokens)
        for part, text_type in enumerate(text_types):
            for number, token in enumerate(tokens):
                if (token.type_id or 0) != part:
                    continue
                pieces = token.pieces if isinstance(token, WrittenToken) else known[token.text]
                if pieces:
                    # First and last, as AllenNLP has it.
                    offsets[number] = (len(ids), len(ids) + len(pieces) - 1)
                ids += pieces
            type_ids += [text_type] * (len(ids) - len(type_ids)) + types[part + 1]
            ids += around[part + 1]
        if len(ids) > self.max_pieces:
            raise InputError(
                f"a text has {len(ids)} pieces, but the model reads {self.max_pieces} at most; the "
                "reader 'attention_text' cuts such texts"
            )
        return {
            "token_ids": ids,
            "mask": [True] * len(tokens),
            "offsets": offsets,
            "wordpiece_mask": [True] * len(ids),
            "type_ids": type_ids,
        }

    def get_empty_token_list(self) -> IndexedTokenList:
        return {"token_ids": [], "mask": [], "offsets": [], "wordpiece_mask": [], "type_ids": []}

    def as_padded_tensor_dict(
        self, tokens: IndexedTokenList, padding_lengths: dict[str, int]
    ) -> dict[str, torch.Tensor]:
        padding = {
            "token_ids": self._tokenizer.pad_token_id or 0,
            "mask": False,
            "offsets": (-1, -1),
            "wordpiece_mask": False,
            "type_ids": 0,
        }
        return {
            name: torch.tensor(
                pad_sequence_to_length(
                    values, padding_lengths[name], lambda name=name: padding[name]
                )
            )
            for name, values in tokens.items()
        }


def _reads_bytes(tokenizer: Any) -> bool:
    """Whether its pieces are of bytes, and a space is one of them."""
    splitter = tokenizer.backend_tokenizer.pre_tokenizer
    return splitter is not None and b'"ByteLevel"' in splitter.__getstate__()


def _special_symbols(tokenizer: Any) -> tuple[list[int], list[int]]:
    """What stands before a text, and behind it."""
    for word in ("a", "0", "."):
        read = tokenizer(word)
        of_words = [position for position, unit in enumerate(read.word_ids()) if unit is not None]
        if of_words:
            ids = read["input_ids"]
            return ids[: of_words[0]], ids[of_words[-1] + 1 :]
    raise InputError(f"the tokenizer of {tokenizer.name_or_path} knows no letter")


def _pair_symbols(tokenizer: Any) -> PairSymbols:
    for word in ("a", "0", "."):
        read = tokenizer(word, word)
        texts, ids = read.sequence_ids(), read["input_ids"]
        if {0, 1} <= set(texts):
            types = read.get("token_type_ids") or [0] * len(ids)
            starts = [texts.index(part) for part in (0, 1)]
            ends = [len(texts) - texts[::-1].index(part) for part in (0, 1)]
            around = [
                slice(end, start)
                for end, start in zip([0, *ends], [*starts, len(ids)], strict=True)
            ]
            return PairSymbols(
                [ids[each] for each in around],
                [types[each] for each in around],
                [types[start] for start in starts],
            )
    raise InputError(f"the tokenizer of {tokenizer.name_or_path} does not read pairs of texts")
