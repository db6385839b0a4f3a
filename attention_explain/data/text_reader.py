"""
What every dataset reader of this project shares: how one labelled text becomes an Instance, which
texts are kept, and what is said about the others. A reader of one file format only implements
`_examples`.
"""

import logging
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from inspect import signature
from os import PathLike
from typing import Any

import numpy
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import DatasetReader, Field, Instance, Token, TokenIndexer, Tokenizer
from allennlp.data.fields import TensorField, TextField
from allennlp.data.token_indexers import (
    PretrainedTransformerIndexer,
    PretrainedTransformerMismatchedIndexer,
    SingleIdTokenIndexer,
)
from allennlp.data.tokenizers import PretrainedTransformerTokenizer

from attention_explain.archive_reach import ConfigFiles
from attention_explain.data.attribution_scores import Erased, OtherAttention
from attention_explain.data.errors import DataError
from attention_explain.data.example import (
    REMEDY,
    TEXT,
    TOKENS,
    Example,
    KnownLabelField,
    TextMetadataField,
    class_key,
    label_problem,
    shown,
)
from attention_explain.data.hybrid import Hybrid
from attention_explain.data.shortcut import Shortcut
from attention_explain.data.sources import LabelMap, LengthLimits, ReadCounts, counted
from attention_explain.data.tokenizers import EnglishTokenizer
from attention_explain.errors import InputError
from attention_explain.files.attributions import Rationale, markings, several
from attention_explain.messages import no_option
from attention_explain.pretrained.pieces import PieceIndexer, Pieces, Span, WrittenToken

logger = logging.getLogger(__name__)
# In the metadata of a single text: how it was cut.
CUT = "cut"


class TextReader(DatasetReader):
    """
    Base class of the readers: one text, one label.

    # Parameters

    tokenizer : `Tokenizer`, optional (default = `english`)
        Splits `text`. Not used where the file has `tokens`, but for `split_tokens`.
    split_tokens : `bool`, optional (default = `False`)
        Whether `tokenizer` splits the file's `tokens`, too: for those that are words with their
        punctuation (`crime.`). A token's marks are those of all its pieces.
    token_indexers : `Dict[str, TokenIndexer]`, optional (default = `{"tokens": single_id}`)
    lowercase : `bool`, optional (default = `False`)
    digit_word : `str`, optional (default = `None`)
        If given, every token that contains a digit becomes this word (`"qqq"` as published).
    labels : `Dict[str, str]`, optional (default = `None`)
        The labels the file may hold and the names they get; a label mapped to `null` drops its
        texts. Any other label is an error. Without a map, labels are taken as they are, less the
        spaces around them.
    require_label : `bool`, optional (default = `True`)
        Whether a text without label is an error. The commands that explain need no label.
    min_tokens, max_tokens : `int`, optional (default = `None`)
        Shortest and longest text that is kept, inclusive, in tokens without boundary symbols. What
        is dropped is counted and logged. Without `min_tokens` an empty text is an error; with it,
        an empty text is too short.
    too_long : `str`, optional (default = `"drop"`)
        What becomes of a text with more than `max_tokens`: `drop` it, or `cut` it to that many.
    drop_shortest, drop_longest : `bool`, optional (default = `False`)
        Drop the texts as short as the shortest, or as long as the longest, of their file (of those
        with a wanted label): what a strict bound at that length does, as in the published splits
        of AG News (both) and SST (the longest).
    boundary_symbols : `bool`, optional (default = `False`)
        Feed each text between a start and an end symbol, which the encoder reads and attention
        cannot see. They are part of no output. The special symbols of a tokenizer of type
        `pretrained_transformer` are always of that kind.
    guide : `str` or `List[str]`, optional (default = `None`)
        Attribution files whose attention the model is to take (projection `guide`): together they
        must hold every text that is read.
    erased : `Erased`, optional (default = `None`)
        Mask a share of each text's tokens, the most important ones by a method or by chance; never
        boundary symbols.
    shortcut : `Shortcut`, optional (default = `None`)
        Plant tokens that determine the label of some texts, or of all; they become the rationale.
    hybrid : `Hybrid`, optional (default = `None`)
        Join texts of different classes to documents, to test explanations.
    corpus : `str`, optional (default = `None`)
        What tables are to call the data. It changes nothing else.
    max_instances : `int`, optional (default = `None`)
        Read at most this many texts (of those kept).
    """

    # What messages call that which gets a label, or the part of it that explanations are of.
    noun = "text"
    # Fields that no line may have, because the model would ignore them.
    disallowed_fields: Sequence[str] = ()

    def __init__(
        self,
        tokenizer: Tokenizer | None = None,
        split_tokens: bool = False,
        token_indexers: dict[str, TokenIndexer] | None = None,
        lowercase: bool = False,
        digit_word: str | None = None,
        labels: dict[str, Any] | None = None,
        require_label: bool = True,
        min_tokens: int | None = None,
        max_tokens: int | None = None,
        too_long: str = "drop",
        drop_shortest: bool = False,
        drop_longest: bool = False,
        boundary_symbols: bool = False,
        guide: str | list[str] | None = None,
        erased: Erased | None = None,
        shortcut: Shortcut | None = None,
        hybrid: Hybrid | None = None,
        corpus: str | None = None,
        max_instances: int | None = None,
        **kwargs,
    ) -> None:
        # AllenNLP hands a mistyped option on to any class that takes **kwargs.
        unknown = sorted(set(kwargs) - set(signature(DatasetReader.__init__).parameters))
        if unknown:
            inits = [
                vars(each)["__init__"] for each in type(self).__mro__ if "__init__" in vars(each)
            ]
            known = {name for init in inits for name in signature(init).parameters}
            raise InputError(no_option("the dataset reader", unknown[0], known))
        super().__init__(max_instances=max_instances, **kwargs)
        self._tokenizer = tokenizer or EnglishTokenizer()
        self._split_tokens = split_tokens
        self._token_indexers = token_indexers or {"tokens": SingleIdTokenIndexer()}
        self._lowercase = lowercase
        self._digit_word = digit_word
        self._label_map = LabelMap(labels)
        self.require_label = require_label
        self._limits = LengthLimits(min_tokens, max_tokens, too_long, drop_shortest, drop_longest)
        self._cut_to = self._limits.cut_to
        # What stands before a text, and behind it.
        self._bounds = ([START_SYMBOL], [END_SYMBOL]) if boundary_symbols else ([], [])
        # Those that the tokenizer has put there itself.
        self._added = _special_symbols(self._tokenizer)
        if any(self._added):
            self._bounds = self._added
        self._guide_paths = None if guide is None else ConfigFiles(guide, "guide")
        self._erased = erased
        if erased is not None:
            _check_masks_are_read(self._token_indexers)
        self._shortcut = shortcut
        self._hybrid = hybrid
        self.corpus = corpus
        # Of the file that was read last, as far as it was read.
        self.counts = ReadCounts()

    def _examples(self, path: str) -> Iterable[Example]:
        """The texts of a file, a folder or an archive, in order, unprocessed."""
        raise NotImplementedError

    def _read(self, file_path: str) -> Iterator[Instance]:
        if not isinstance(file_path, (str, PathLike)):
            raise InputError(f"{file_path!r}: this reader takes the path of one file or folder")
        counts = self.counts = ReadCounts()
        ids: dict[str, int | None] = {}
        for example, words in self._limits.kept(self._wanted(file_path, counts), counts, self.noun):
            if example.id in ids:
                raise example.error(
                    f"field '{self._field_name('id')}' is {example.id!r}, as in line "
                    f"{ids[example.id]} already; ids must be unique, because results are joined "
                    "by them"
                )
            ids[example.id] = example.line
            counts.kept += 1
            if (cut := self._cut(words, example)) is not None:
                counts.cut[cut] += 1
            yield self._guided(self._masked(self._to_instance(example, words)))
        if counts.kept + sum(counts.dropped.values()) == 0:
            raise DataError("holds no text at all", file_path)
        if counts.kept == 0:
            raise DataError(f"no text is left; dropped: {counted(counts.dropped)}", file_path)
        if counts.dropped or counts.cut:
            logger.info("%s: %s", file_path, counts)
        if counts.spaced_labels:
            logger.warning(
                "%s: spaces around labels are cut (in %d of the texts)",
                file_path,
                counts.spaced_labels,
            )
        if counts.halves:
            logger.warning(
                "%s: halves of characters are read as '?' (in %d of the texts)",
                file_path,
                counts.halves,
            )
        if counts.tagged:
            logger.warning(
                "%s: %d of the texts contain HTML tags (the first is %s), which become words; remove "
                "them if the model is not to read them",
                file_path,
                counts.tagged,
                counts.first_tag,
            )

    def _field_name(self, field: str) -> str:
        """What the file calls `field`, for messages."""
        return field

    def _wanted(self, file_path: str, counts: ReadCounts) -> Iterator[tuple[Example, list[str]]]:
        """The examples whose label is wanted, by the name it is to have, and their words."""
        texts = self._split_texts(file_path, counts)
        if self._hybrid is None:
            yield from texts
            return
        for document in self._hybrid.join(texts, file_path, counts.dropped):
            yield document, self._words(document)

    def _split_texts(
        self, file_path: str, counts: ReadCounts
    ) -> Iterator[tuple[Example, list[str]]]:
        examples = self._labelled(file_path, counts)
        if self._shortcut is not None:
            examples = self._shortcut.plant(examples)
        for example in examples:
            self._split(example)
            words = self._words(example)
            if self._shortcut is not None and example.synthetic:
                example.rationale = self._shortcut.mask(words, example)
            yield example, words

    def labels_in(self, file_path: str) -> Iterator[str]:
        """The labels of the texts that have one, without splitting the texts."""
        for example in self._labelled(file_path, ReadCounts()):
            if example.label is not None:
                yield example.label

    def _labelled(self, file_path: str, counts: ReadCounts) -> Iterator[Example]:
        """The examples whose label is wanted, by the name it is to have."""
        labels: dict[Hashable, Example] = {}
        for example in self._examples(file_path):
            counts.halves += example.fix_halves()
            counts.count_tags(example)
            if example.label is not None:
                label = self._label_map.without_spaces(example.label)
                counts.spaced_labels += label != example.label
                example.label = label or None
            if example.label is not None:
                example.label = self._mapped_label(example)
                if example.label is None:
                    counts.dropped["with an unwanted label"] += 1
                    continue
                self._check_label(example, labels)
            elif self.require_label:
                raise example.error(f"field '{self._field_name('label')}' is missing")
            yield example

    def _check_label(self, example: Example, labels: dict[Hashable, Example]) -> None:
        """`labels` has the first example of each class of the file."""
        label, field = str(example.label), self._field_name("label")
        problem = label_problem(label)
        if problem is not None:
            raise example.error(f"field '{field}' is {label!a}, which {problem}")
        first = labels.setdefault(class_key(label), example)
        other = str(first.label)
        if other != label:
            where = "before" if first.line is None else f"in line {first.line}"
            raise example.error(
                f"field '{field}' is {shown(label, other)}, but {where} the same label is "
                f"{shown(other, label)}, and they would become two classes; {REMEDY}"
            )

    def _mapped_label(self, example: Example) -> str | None:
        return self._label_map.mapped(example, self._field_name("label"))

    def _split(self, example: Example) -> None:
        """Replaces given tokens by their pieces, if they are to be split."""
        if not self._split_tokens or example.tokens is None:
            return
        given = example.tokens
        pieces = [self._tokenized(token) for token in given]

        def spread(field: str, mask: Sequence[float]) -> list[float]:
            self._check_length(example, field, mask, len(given))
            return [mark for mark, parts in zip(mask, pieces, strict=True) for _ in parts]

        example.tokens = [piece for parts in pieces for piece in parts]
        if example.rationale:
            spread_out = [spread("rationale", marking) for marking in markings(example.rationale)]
            example.rationale = spread_out if several(example.rationale) else spread_out[0]
        if example.impermissible is not None:
            example.impermissible = spread("impermissible", example.impermissible)

    def _words(self, example: Example) -> list[str]:
        """The tokens the model is to see, without boundary symbols."""
        words = self._read_as(example.text, example.tokens)
        indexer = self._written_indexer
        if indexer is None or not words:
            return words
        text, spans = example.text or "", None
        if example.tokens is None and not self._lowercase and self._digit_word is None:
            spans = _spans(words, text)
        # Words that are not in the text, and tokens, are read with spaces in between.
        found = spans is not None
        if spans is None:
            text = " ".join(words)
            spans = _spans(words, text) or []
        spans, example.pieces = indexer.read_text(text, spans, merge=found)
        return [text[start:end] for start, end in spans]

    def _tokenized(self, text: str) -> list[str]:
        """Without what the tokenizer puts around it."""
        try:
            tokens = self._tokenizer.tokenize(text)
        except ValueError as error:
            # What spaCy says of a text that is longer than it takes.
            if "[E088]" not in str(error):
                raise
            raise DataError(
                f"the {self.noun} has {len(text)} characters, more than the tokenizer takes; shorten "
                "it, or use another tokenizer, such as 'english'"
            ) from error
        before, behind = map(len, self._added)
        return [token.text for token in tokens[before : len(tokens) - behind]]

    def _read_as(self, text: str | None, tokens: Sequence[str] | None) -> list[str]:
        """The words of a text, or given ones, as the options have them read."""
        if tokens is not None:
            words = [str(token) for token in tokens]
        else:
            words = self._tokenized(text or "")
        if self._lowercase:
            words = [word.lower() for word in words]
        if self._digit_word is not None:
            words = [self._digit_word if has_digit(word) else word for word in words]
        return words

    def text_to_instance(
        self,
        text: str | None = None,
        tokens: Sequence[str] | None = None,
        label: str | None = None,
        id: str | None = None,
        rationale: Rationale | None = None,
        impermissible: Sequence[float] | None = None,
    ) -> Instance:
        """
        One Instance from a `text` or its `tokens`. No text is too short or too long here, but long
        ones are cut if those of files are. The label may be one of the file's or one of the names
        that the label map gives.
        """
        marks: dict[str, Any] = {"rationale": rationale, "impermissible": impermissible}
        return self.instance_of(Example.said(id, label, text=text, tokens=tokens, **marks))

    def instance_of(self, example: Example) -> Instance:
        """`text_to_instance`, of an example."""
        if (example.text is None) == (example.tokens is None):
            raise DataError("an input needs a 'text' or its 'tokens', and not both")
        example.fix_halves()
        if example.label is not None:
            example.label = self._label_map.without_spaces(example.label)
            if not self._label_map.is_new_name(example.label):
                example.label = self._mapped_label(example)
        self._split(example)
        words = self._words(example)
        if not words:
            raise DataError(f"the {self.noun} is empty")
        instance = self._to_instance(example, words)
        if (cut := self._cut(words, example)) is not None:
            logger.warning("a text of %d tokens is cut %s", len(words), cut)
            instance["metadata"].metadata[CUT] = cut
        return instance

    def _most(self, words: Sequence[str], example: Example) -> int:
        """How many of a text's words are read."""
        most = len(words[: self._cut_to])
        pieces = None if example.pieces is None else example.pieces[:most]
        other = example.query_pieces
        return min([most, *(each.fitting(words[:most], pieces, other) for each in self._bounded)])

    def _cut(self, words: Sequence[str], example: Example) -> str | None:
        """How a text is cut; None for one that is read whole."""
        most = self._most(words, example)
        if most == len(words):
            return None
        if most == self._cut_to:
            return f"to {most} tokens"
        pieces = min(each.max_pieces for each in self._bounded)
        return f"to whole words of at most {pieces} pieces, as the model demands"

    @cached_property
    def _written_indexer(self) -> PieceIndexer | None:
        """The indexer of a model that reads texts as they are written, white space included."""
        written = [each for each in self._bounded if each.as_written]
        if written and len(self._token_indexers) > 1:
            raise InputError("a token indexer with 'as_written' must be the only one")
        return written[0] if written else None

    @property
    def _bounded(self) -> list[PieceIndexer]:
        """The indexers of models that read only so much of a text."""
        return [each for each in self._token_indexers.values() if isinstance(each, PieceIndexer)]

    def _to_instance(self, example: Example, words: list[str]) -> Instance:
        most = self._most(words, example)
        if not most:
            raise example.error("the first word alone is longer than what the model reads")
        read = words[:most]
        metadata: dict[str, Any] = {
            "id": example.id,
            # Also the strings are kept once.
            "tokens": [_token(word).text for word in read],
        }
        if example.pieces is not None and example.tokens is None:
            # Words do not say how much white space is between them.
            metadata["text"] = example.text
        before, behind = ([0] * len(symbols) for symbols in self._bounds)
        fields: dict[str, Field] = {"tokens": self._text_field(read, example.pieces)}
        if before or behind:
            fields["attendable"] = _mask_field(before + [1] * len(read) + behind)
        if example.label is not None:
            fields["label"] = KnownLabelField(
                example.label, example.path, example.line, self._field_name("label")
            )
        # An empty list is nobody's rationale.
        if example.rationale:
            marked = [
                self._checked_mask(example, "rationale", marking, words)[:most]
                for marking in markings(example.rationale)
            ]
            # What a file has as one marking stays one.
            metadata["rationale"] = marked if several(example.rationale) else marked[0]
        if example.impermissible is not None:
            mask = self._checked_mask(example, "impermissible", example.impermissible, words)[:most]
            fields["impermissible"] = _mask_field(before + mask + behind)
        if example.fragments is not None:
            metadata["fragments"] = list(example.fragments[:most])
        fields["metadata"] = TextMetadataField(metadata, self._origin(example))
        return Instance(fields)

    def _origin(self, example: Example) -> str:
        """Whether its words were given, or split here."""
        return TEXT if example.tokens is None or example.split_here else TOKENS

    def _text_field(
        self, words: Sequence[str], pieces: Sequence[Pieces] | None = None
    ) -> TextField:
        before, behind = (list(map(_token, symbols)) for symbols in self._bounds)
        if pieces is None:
            return TextField([*before, *map(_token, words), *behind])
        return TextField([*before, *map(_token, words, pieces), *behind])

    def _masked(self, instance: Instance) -> Instance:
        """Some tokens replaced by masks, if they are to be erased."""
        if self._erased is not None:
            metadata = instance["metadata"].metadata
            metadata["tokens"] = self._erased.words(metadata["id"], metadata["tokens"])
            before, behind = map(len, self._bounds)
            tokens = instance["tokens"].tokens
            words = tokens[before : len(tokens) - behind]
            tokens[before : len(tokens) - behind] = [
                token if token.text == word else _token(word)
                for token, word in zip(words, metadata["tokens"], strict=True)
            ]
        return instance

    @cached_property
    def _guide(self) -> OtherAttention | None:
        return None if self._guide_paths is None else OtherAttention(self._guide_paths)

    def _guided(self, instance: Instance) -> Instance:
        """With the attention it is to get, where there is a guide."""
        if self._guide is not None:
            metadata = instance["metadata"].metadata
            weights = self._guide.weights(metadata["id"], metadata["tokens"])
            before, behind = map(len, self._bounds)
            instance.add_field("guide", TensorField(numpy.pad(weights, (before, behind))))
        return instance

    def _checked_mask(
        self, example: Example, field: str, mask: Sequence[float], words: list[str]
    ) -> list[int]:
        self._check_length(example, field, mask, len(words))
        if any(value not in (0, 1) for value in mask):
            raise example.error(f"field '{self._field_name(field)}' may hold only 0 and 1")
        return [int(value) for value in mask]

    def _check_length(
        self, example: Example, field: str, mask: Sequence[float], tokens: int
    ) -> None:
        if len(mask) != tokens:
            raise example.error(
                f"field '{self._field_name(field)}' has {len(mask)} entries, but the text has "
                f"{tokens} tokens"
            )

    def apply_token_indexers(self, instance: Instance) -> None:
        instance["tokens"].token_indexers = self._token_indexers


def _check_masks_are_read(indexers: dict[str, TokenIndexer]) -> None:
    """To the tokenizer of a pretrained transformer our mask is a word, which it cuts into pieces."""
    for name, indexer in indexers.items():
        if isinstance(
            indexer, (PretrainedTransformerIndexer, PretrainedTransformerMismatchedIndexer)
        ):
            raise InputError(
                f"erased replaces words by masks, which the token indexer '{name}' "
                f"({type(indexer).__name__}) does not know; 'transformer_pieces' does"
            )


def _special_symbols(tokenizer: Tokenizer) -> tuple[list[str], list[str]]:
    """What a tokenizer puts before a text, and behind it."""
    if not isinstance(tokenizer, PretrainedTransformerTokenizer):
        return [], []
    if not tokenizer._add_special_tokens:
        return [], []
    ends = tokenizer.single_sequence_start_tokens, tokenizer.single_sequence_end_tokens
    before, behind = ([token.text for token in symbols] for symbols in ends)
    return before, behind


@lru_cache(maxsize=2**18)
def _token(word: str, pieces: Pieces | None = None, part: int | None = None) -> Token:
    """
    One Token a word instead of one an occurrence, which nothing changes: a corpus of long texts
    would otherwise take most of its memory, and of its reading time, for equal objects.
    """
    return Token(word) if pieces is None else WrittenToken(word, pieces, part)


def _spans(words: Sequence[str], text: str) -> list[Span] | None:
    """Where each word begins and ends in the text; None if they are not in it in this order."""
    spans: list[Span] = []
    end = 0
    for word in words:
        start = text.find(word, end)
        if start < 0:
            return None
        end = start + len(word)
        spans.append((start, end))
    return spans


def _mask_field(mask: list[int]) -> TensorField:
    return TensorField(numpy.array(mask, dtype=bool))


def has_digit(word: str) -> bool:
    """Whether a word contains a digit."""
    return any(character.isdigit() for character in word)
