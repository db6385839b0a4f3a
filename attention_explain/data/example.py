"""
One labelled text as read from a file or an input line, with checks of its fields and of the names of labels;
and the fields of an instance that know their origin: a label knows its file and line, for messages, and the
metadata knows whether the words were given as tokens or split from a string by the reader. A model's
vocabulary remembers that of the training texts, because a string that is split differently is another text
to the model.
"""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from allennlp.data import Instance, Vocabulary
from allennlp.data.fields import LabelField, MetadataField
from allennlp.data.vocabulary import DEFAULT_OOV_TOKEN, DEFAULT_PADDING_TOKEN

from attention_explain.data.errors import DataError
from attention_explain.files.attributions import Rationale
from attention_explain.files.records import read_json
from attention_explain.files.tables import replace_surrogates

RESERVED = (DEFAULT_PADDING_TOKEN, DEFAULT_OOV_TOKEN)
# "1", "1." and "1.0", but neither "01" nor "1.10", which may be codes.
WHOLE_NUMBER = re.compile(r"([+-]?(?:0|[1-9]\d*))(?:\.0*)?", re.ASCII)
TRUTH_VALUES = {"true": 1, "false": 0}
# Some scripts need these two between letters; everywhere else they are invisible mistakes.
JOINERS = "\u200c\u200d"
REMEDY = "use one spelling, or map the labels with the reader's option `labels`"


def is_a_value(label: Any) -> bool:
    """False for NaN and infinities, which JSON files written by Python may contain."""
    return not isinstance(label, float) or math.isfinite(label)


def label_problem(label: str) -> str | None:
    """What is wrong with the name of a class; None if it is valid."""
    if label in RESERVED:
        return "is reserved by the vocabulary; rename it with the reader's option `labels`"
    for index, character in enumerate(label):
        if unicodedata.category(character) == "Cf" and not _joins(label, index):
            name = unicodedata.name(character, "a format character")
            return (
                f"contains an invisible character ({name}, U+{ord(character):04X}); remove it, or "
                "rename the label with the reader's option `labels`"
            )
    return None


def _joins(label: str, index: int) -> bool:
    """Whether a joiner is between two characters of a script that may need it."""
    around = label[max(index - 1, 0) : index] + label[index + 1 : index + 2]
    return label[index] in JOINERS and len(around) == 2 and not any(map(str.isascii, around))


def class_key(label: str) -> Hashable:
    """Equal for spellings of one class: 1, 1.0 and true; composed and decomposed characters."""
    visible = "".join(each for each in label if unicodedata.category(each) != "Cf")
    text = unicodedata.normalize("NFC", visible)
    number = WHOLE_NUMBER.fullmatch(text)
    return int(number[1]) if number else TRUTH_VALUES.get(text.lower(), text)


def same_class(labels: Iterable[str]) -> tuple[str, str] | None:
    """The first two labels that are the same class; None if all are different."""
    seen: dict[Hashable, str] = {}
    for label in labels:
        first = seen.setdefault(class_key(label), label)
        if first != label:
            return first, label
    return None


def shown(label: str, other: str) -> str:
    """The label for a message, in ASCII if it looks like the other one."""
    alike = unicodedata.normalize("NFC", label) == unicodedata.normalize("NFC", other)
    return ascii(label) if alike else repr(label)


# The fields of a line that are read, by their default names.
FIELDS = {name: name for name in ("text", "tokens", "label", "id", "rationale", "impermissible")}
# Separators of some files that are called csv.
SEPARATORS = (";", "\t", "|")
# Usual names of the texts in files of pairs: a model of single texts would ignore one of the two.
TEXTS_OF_PAIRS = (
    *("premise", "hypothesis", "sentence1", "sentence2", "sentence_a", "sentence_b"),
    *("text1", "text2", "text_a", "text_b", "text_pair", "question1", "question2"),
    *("query", "query_tokens", "question", "question_tokens", "passage", "passage_tokens"),
)
# The names of a pair's texts that are read in this order; and of a text and its question, which models
# read first.
FIRST_AND_SECOND = (
    *(("text", "text_pair"), ("premise", "hypothesis"), ("sentence1", "sentence2")),
    *(("sentence_a", "sentence_b"), ("text1", "text2"), ("text_a", "text_b")),
    ("question1", "question2"),
)
PASSAGE_AND_QUERY = tuple(
    (passage, query)
    for query in ("query", "question")
    for passage in ("passage", "context", "text")
)
# The fields of a pair.
PAIR_FIELDS = FIELDS | {name: name for name in ("query", "query_tokens", "candidates")}
# The names of the fields in files of questions, by the names that this project uses.
QUESTION_FIELDS = PAIR_FIELDS | {
    "text": "passage",
    "tokens": "passage_tokens",
    "query": "question",
    "query_tokens": "question_tokens",
    "label": "answer",
}


def text_key(id: str, tokens: Sequence[str]) -> bytes:
    """
    The key of a text for joining files. It includes the tokens, because another split may have the
    same id (`line-7`). Lone surrogates, which no file can hold, are equal to their replacements.
    """
    content = "\0".join((id, *tokens)).encode("utf-8", "replace")
    return hashlib.blake2b(content, digest_size=16).digest()


@dataclass
class Example:
    """One labelled text, before any processing."""

    id: str
    text: str | None = None
    tokens: Sequence[str] | None = None
    label: str | None = None
    # 0 or 1 per token; the rationale may have one such list per annotator.
    rationale: Rationale | None = None
    impermissible: Sequence[float] | None = None
    # For pairs: the second text, and the labels that the pair may have, if not all.
    query: str | None = None
    query_tokens: Sequence[str] | None = None
    candidates: Sequence[str] | None = None
    # For pairs of versions: the text of the other one, and the changed spans.
    edited_to: str | None = None
    edits: Sequence[Any] = ()
    # For hybrid documents: the class of the fragment of each token.
    fragments: Sequence[str] | None = None
    # Whether the model reads the second text before the first.
    query_first: bool = False
    # Whether the tokens were made by the reader's tokenizer.
    split_here: bool = False
    # Whether a planted shortcut determines its label.
    synthetic: bool = False
    # The ids of each word's pieces, for a transformer that reads the text as written.
    pieces: Sequence[tuple[int, ...]] | None = None
    # Those of the second text, and its words.
    query_pieces: Sequence[tuple[int, ...]] | None = None
    query_words: Sequence[str] = ()
    # The origin, for messages.
    path: str | None = None
    line: int | None = None

    @classmethod
    def said(cls, id: Any, label: Any, **fields: Any) -> "Example":
        """An example from Python values: id and label may be numbers or None."""
        label = None if label is None else str(label)
        return cls(id="" if id is None else str(id), label=label, **fields)

    def fix_halves(self) -> bool:
        """Replace lone surrogates in all fields; returns whether there were any."""
        changed = False
        for name in ("id", "text", "label", "query"):
            value = getattr(self, name)
            if isinstance(value, str) and (fixed := replace_surrogates(value)) != value:
                setattr(self, name, fixed)
                changed = True
        for name in ("tokens", "query_tokens", "candidates"):
            values = getattr(self, name)
            words = [replace_surrogates(str(token)) for token in values or ()]
            if values is not None and words != list(map(str, values)):
                setattr(self, name, words)
                changed = True
        return changed

    def error(self, problem: str) -> DataError:
        """An error that names the file and line of this example."""
        return DataError(problem, self.path, self.line)

    def given(self) -> dict[str, Any]:
        """The fields that are set."""
        values = {name: getattr(self, name) for name in PAIR_FIELDS} | {"id": self.id or None}
        values["query_first"] = self.query_first or None
        return {name: value for name, value in values.items() if value is not None}


def read_record(line: str, path: str | None = None, number: int | None = None) -> dict[str, Any]:
    """The JSON object of a line. Raises if a field occurs twice."""
    repeated: list[str] = []

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            names = [name for name, _ in pairs]
            repeated.append(next(name for name in names if names.count(name) > 1))
        return fields

    try:
        record = read_json(line, object_pairs_hook=read_object)
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON ({error})", path, number) from error
    if not isinstance(record, dict):
        raise DataError("is not a JSON object", path, number)
    if repeated:
        raise DataError(f"has the field '{repeated[0]}' twice; keep one of them", path, number)
    return record


def example_of(
    record: Mapping[str, Any],
    id: str = "",
    path: str | None = None,
    line: int | None = None,
    names: Mapping[str, str] = FIELDS,
    disallowed: Collection[str] = (),
) -> Example:
    """
    The example of a record: a line of a file, or an input to predict.

    # Parameters

    record : `Mapping[str, Any]`
        Unknown fields are ignored. Tokens and masks may be one string, separated by spaces, as in a
        table's cell.
    id : `str`
        For a record that has none.
    path, line : optional
        The origin, for messages.
    names : `Mapping[str, str]`, optional
        The names of the fields in the record.
    disallowed : `Collection[str]`, optional
        Fields that a record may not have, because the model would ignore them.
    """
    # An empty cell of a table is an absent value, but an empty text is an empty text.
    values = {
        name: record[field]
        for name, field in names.items()
        if record.get(field) is not None and (record[field] != "" or name in ("text", "query"))
    }
    example = Example(id=id, path=path, line=line)
    _check_all_texts_are_read(example, record, names, disallowed)
    _take_text(example, "text", "tokens", values, names, record)
    if "query" in names:
        _take_text(example, "query", "query_tokens", values, names, record)
    if "candidates" in values:
        example.candidates = _texts(example, names["candidates"], values["candidates"])
    for name in {"label", "id"} & values.keys():
        if isinstance(values[name], (list, dict)):
            raise example.error(f"field '{names[name]}' is not a single value")
        if name == "label" and not is_a_value(values[name]):
            raise example.error(
                f"field '{names[name]}' is {json.dumps(values[name])}, which is not a label; give the "
                "text a label, or remove the line"
            )
        setattr(example, name, str(values[name]))
    if "rationale" in values:
        marked = _as_list(example, names["rationale"], values["rationale"])
        if marked and all(isinstance(each, (list, tuple)) for each in marked):
            example.rationale = [_numbers(example, names["rationale"], each) for each in marked]
        else:
            example.rationale = _numbers(example, names["rationale"], marked)
    if "impermissible" in values:
        mask = _as_list(example, names["impermissible"], values["impermissible"])
        example.impermissible = _numbers(example, names["impermissible"], mask)
    return example


def names_of_pair(record: Mapping[str, Any]) -> tuple[dict[str, str], bool] | None:
    """
    The names that a record has for the two texts of a pair, and whether models read the second first;
    None for a single text.
    """
    there = {name for name, value in record.items() if value not in (None, "")}
    for pairs, query_first in ((FIRST_AND_SECOND, False), (PASSAGE_AND_QUERY, True)):
        for names in pairs:
            tokens = ["tokens" if name == "text" else f"{name}_tokens" for name in names]
            if all({name, own} & there for name, own in zip(names, tokens, strict=True)):
                keys = ("text", "query", "tokens", "query_tokens")
                return dict(zip(keys, (*names, *tokens), strict=True)), query_first
    return None


def _check_all_texts_are_read(
    example: Example,
    record: Mapping[str, Any],
    names: Mapping[str, str],
    disallowed: Collection[str],
) -> None:
    for field in disallowed:
        if record.get(field) not in (None, "") and field not in names.values():
            raise example.error(
                f"field '{field}' would be ignored: the model reads one text per line, the field "
                f"'{names['text']}'. If the model was trained on pairs, its predictions need both texts, "
                "and it cannot be explained here; otherwise remove the field, or allow it with the "
                "reader's option `disallowed_fields`"
            )


def _take_text(
    example: Example,
    text: str,
    tokens: str,
    values: Mapping[str, Any],
    names: Mapping[str, str],
    record: Mapping[str, Any],
) -> None:
    """Read one text of a record, or its tokens, which take precedence if the record has both."""
    if tokens in values:
        setattr(example, tokens, _texts(example, names[tokens], values[tokens]))
    elif text in values:
        if not isinstance(values[text], str):
            raise example.error(f"field '{names[text]}' is not a text")
        setattr(example, text, values[text])
    else:
        raise example.error(
            f"field '{names[text]}' (or '{names[tokens]}') is missing; "
            f"the line has {', '.join(map(repr, record)) or 'no field'}{_cure(record)}"
        )


def _cure(record: Mapping[str, Any]) -> str:
    """A hint for lines that have other fields."""
    if len(record) == 1 and any(mark in name for name in record for mark in SEPARATORS):
        return ": fields of a csv are separated by commas, those of a tsv by tabs"
    return "; the reader's option `fields` says which of them it is" if record else ""


def _texts(example: Example, field: str, value: Any) -> list[str]:
    texts = _as_list(example, field, value)
    if not all(isinstance(text, str) for text in texts):
        raise example.error(f"field '{field}' may hold only texts")
    return texts


def _as_list(example: Example, field: str, value: Any) -> list:
    if isinstance(value, str):
        return value.split()
    if not isinstance(value, (list, tuple)):
        raise example.error(f"field '{field}' is not a list")
    return list(value)


def _numbers(example: Example, field: str, mask: Sequence[Any]) -> list[float]:
    try:
        # Not int(), which would make 0 of a weight of 0.9.
        return [float(value) for value in mask]
    except (TypeError, ValueError) as error:
        raise example.error(f"field '{field}' may hold only 0 and 1") from error


def _label_remedy(label: str, known: Sequence[str]) -> str:
    """A hint for numeric labels with a Hugging Face folder whose config has no names of classes."""
    unnamed = known == [f"LABEL_{number}" for number in range(len(known))]
    if not unnamed or label not in map(str, range(len(known))):
        return ""
    labels = json.dumps({str(number): name for number, name in enumerate(known)})
    return (
        ": the model's config.json has no names for its classes (id2label); add id2label there, or map "
        f"the numbers with --overrides '{{\"dataset_reader.labels\": {labels}}}'"
    )


class KnownLabelField(LabelField):
    """A `LabelField` whose label must be in the vocabulary, that is, in the training data."""

    __slots__ = ["_field_name", "_line", "_path"]

    def __init__(
        self,
        label: str,
        path: str | None = None,
        line: int | None = None,
        field_name: str = "label",
    ) -> None:
        super().__init__(label, label_namespace="labels")
        self._path = path
        self._line = line
        self._field_name = field_name

    def check(self, vocab: Vocabulary) -> None:
        """Raise if the label is not in the training data."""
        known = vocab.get_token_to_index_vocabulary(self._label_namespace)
        if self.label not in known:
            names = ", ".join(repr(name) for name in known)
            raise DataError(
                f"field '{self._field_name}' is {self.label!r}, which is not one of the labels of the "
                f"training data ({names}){_label_remedy(self.label, list(known))}",
                self._path,
                self._line,
            )

    def index(self, vocab: Vocabulary) -> None:
        self.check(vocab)
        super().index(vocab)


# A namespace of the vocabulary; because of its ending it has no padding and unknown symbols.
ORIGIN_NAMESPACE = "text_origin_tags"
# The fields of an input that give the words.
TOKENS, TEXT = "tokens", "text"

NEEDS_TOKENS = (
    "the model was trained on texts given as tokens, and a string would be split differently; give "
    "its 'tokens' instead (in Python a list of words), or allow the split (split_text, on the command "
    "line --split-text)"
)
UNKNOWN_SPLIT = (
    "this model does not record how its training texts were split into words: if they were given as "
    "tokens, a string may be split differently; look for unknown words"
)


class TextMetadataField(MetadataField):
    """Metadata of a text; its origin is counted in the vocabulary."""

    __slots__ = ["origin"]

    def __init__(self, metadata: dict[str, Any], origin: str) -> None:
        super().__init__(metadata)
        self.origin = origin

    def count_vocab_items(self, counter: dict[str, dict[str, int]]) -> None:
        counter[ORIGIN_NAMESPACE][self.origin] += 1


def check_split(
    instances: Iterable[Instance], vocab: Vocabulary, split_text: bool = False
) -> str | None:
    """
    Raise for strings if the model was trained on tokens, unless `split_text` allows them. Returns a
    warning if the model does not record it.
    """
    if all(_origin(instance) != TEXT for instance in instances):
        return None
    origins = training_origins(vocab)
    if origins == {TOKENS} and not split_text:
        raise DataError(NEEDS_TOKENS)
    return None if origins else UNKNOWN_SPLIT


def training_origins(vocab: Vocabulary) -> set[str]:
    """How the training texts gave their words; empty if the vocabulary does not record it."""
    # Asking a vocabulary for a namespace would create it.
    if ORIGIN_NAMESPACE not in vocab.get_namespaces():
        return set()
    return {TOKENS, TEXT} & set(vocab.get_token_to_index_vocabulary(ORIGIN_NAMESPACE))


def _origin(instance: Instance) -> str | None:
    """None for an instance of a reader that is not ours."""
    return getattr(instance.fields.get("metadata"), "origin", None)
