"""
Instances of any dataset reader, ready for the model. Those of other readers, such as AllenNLP's
`text_classification_json`, are completed to the form of ours, so that the rest of the code handles one
kind of instance.
"""

import json
import logging
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from inspect import Parameter, signature
from os import PathLike
from typing import Any

import regex
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance, Vocabulary
from allennlp.data.fields import LabelField, MetadataField, TextField

from attention_explain.data.attention_text import TransformerTextReader
from attention_explain.data.errors import DataError
from attention_explain.data.example import FIELDS, KnownLabelField, check_split, example_of
from attention_explain.data.pair_reader import line_fields
from attention_explain.data.text_reader import CUT, TextReader
from attention_explain.data.tokenizers import PRE_TOKENIZER, WrittenWords
from attention_explain.errors import InputError
from attention_explain.files.tables import replace_surrogates

logger = logging.getLogger(__name__)
# The fractional parts of its multiples are spread more evenly than those of any other number.
GOLDEN_RATIO = (1 + 5**0.5) / 2


class GivenTexts(PathLike):
    """
    Texts in memory, which jobs read like the lines of a file.

    # Parameters

    records : `Sequence[Mapping[str, Any]]`
        The fields of each text. A text without an `id` gets one: `text-1`.
    cut : `bool`, optional (default = `False`)
        Whether a text that is longer than what the model reads is cut. Otherwise it is an error.
    """

    def __init__(self, records: Sequence[Mapping[str, Any]], cut: bool = False) -> None:
        self._records = records
        self._cut = cut

    def __fspath__(self) -> str:
        return "texts in memory"

    def __str__(self) -> str:
        return "texts in memory"

    def read(self, reader: DatasetReader) -> Iterator[Instance]:
        """The instances, in order."""
        for number, record in enumerate(self._records, 1):
            try:
                fields = record_fields(record, reader, f"text-{number}")
                instance = instance_of(reader, fields)
            except (ConfigurationError, InputError) as error:
                raise InputError(f"text {number}: {error.message}") from error
            cut = instance["metadata"].metadata.get(CUT)
            if cut is not None and not self._cut:
                raise InputError(
                    f"text {number}: is longer than what the model reads. Shorten it, or allow that it "
                    f"is cut {cut} (cut=True)"
                )
            yield instance


def record_fields(
    record: Mapping[str, Any], reader: DatasetReader | None, id: str = ""
) -> dict[str, Any]:
    """
    The fields of a record that have a meaning, by the names that readers use. A record without an id gets
    the one given here. Fields that the reader disallows raise.
    """
    if isinstance(reader, TransformerTextReader):
        return reader.example_of(record, id).given()
    names = FIELDS if reader is None else line_fields(reader)
    disallowed = getattr(reader, "disallowed_fields", ())
    return example_of(record, id, names=names, disallowed=disallowed).given()


def read_instances(
    reader: DatasetReader,
    vocab: Vocabulary,
    data: str | GivenTexts,
    limit: int | None = None,
    split_text: bool = False,
    only: Collection[str] | None = None,
) -> list[Instance]:
    """
    All instances, or `limit` of them, ready for the model and checked. Labels are optional, but an
    unknown label is an error even if its text is not selected. `split_text` allows strings for a model
    that was trained on tokens; `only` selects texts by id, all of which must exist.
    """
    if isinstance(data, GivenTexts):
        texts: Iterable[Instance] = data.read(reader)
        data = str(data)
    else:
        if isinstance(reader, TextReader):
            reader.require_label = False
        texts = reader.read(data)
    instances = [
        complete(instance, f"text-{number}", data) for number, instance in enumerate(texts, 1)
    ]
    if not instances:
        raise InputError(f"{data}: the dataset reader finds no text in it")
    _check_ids(instances, data)
    # Also for texts that are not selected: one wrong label may mean more of them.
    for instance in instances:
        if isinstance(instance.fields.get("label"), KnownLabelField):
            instance["label"].check(vocab)
    if only is not None:
        instances = select_texts(instances, only, data)
    if limit is not None and limit < len(instances):
        instances = [instances[index] for index in spread_evenly(len(instances), limit)]
    try:
        warning = check_split(instances, vocab, split_text)
    except (ConfigurationError, InputError) as error:
        raise InputError(f"{data}: {error.message}") from error
    for message in (warning, unsplit_warning(instances, reader)):
        if message is not None:
            warn_once(f"{data}: {message}")
    for instance in instances:
        reader.apply_token_indexers(instance)
        instance.index_fields(vocab)
    return instances


def unsplit_warning(instances: Sequence[Instance], reader: DatasetReader) -> str | None:
    """A warning about texts that have too few words to rank; None if there are none."""
    count = sum(is_unsplit(instance["metadata"].metadata["tokens"]) for instance in instances)
    if not count:
        return None
    tokenizer = getattr(reader, "_tokenizer", None)
    remedy = "give the words of such texts as 'tokens'"
    if isinstance(tokenizer, WrittenWords) and tokenizer.split != PRE_TOKENIZER:
        option = json.dumps({"dataset_reader.tokenizer.split": PRE_TOKENIZER})
        remedy = (
            f"to split them with the model's own pre-tokenizer, use --overrides '{option}' (in Python "
            f"overrides={option}), or {remedy}"
        )
    return (
        f"{count} of {len(instances)} texts have no words to rank: they are a single word, or in a "
        f"script without spaces; {remedy}"
    )


@lru_cache
def warn_once(message: str) -> None:
    """Log a warning once, although a command may read the same data several times."""
    logger.warning(message)


def spread_evenly(number: int, limit: int) -> list[int]:
    """
    The indices of `limit` of `number` texts, spread over the file. Files may be sorted, by label or
    otherwise, so the first texts would not be representative. Nor would every tenth text, if a story
    has five questions: equal steps take a different offset in each step.
    """
    step, rest = divmod(number, limit)
    if rest or step == 1:
        return [index * number // limit for index in range(limit)]
    return [index * step + int(step * (index * GOLDEN_RATIO % 1)) for index in range(limit)]


def _check_ids(instances: Sequence[Instance], data: str) -> None:
    counts = Counter(instance["metadata"].metadata["id"] for instance in instances)
    id, count = counts.most_common(1)[0]
    if count > 1:
        raise DataError(
            f"{count} texts have the id {id!r}; ids must be unique, because results are joined by "
            "them",
            data,
        )


def select_texts(
    instances: Sequence[Instance], only: Collection[str], data: str | GivenTexts
) -> list[Instance]:
    """The texts with these ids, in the order of the data; raises if one does not exist."""
    ids = set(only)
    by_id = {
        replace_surrogates(instance["metadata"].metadata["id"]): instance for instance in instances
    }
    missing = sorted(ids - by_id.keys())
    if missing:
        raise DataError(
            f"{len(missing)} of {len(ids)} requested texts are missing, such as {missing[0]!r}; the file "
            f"has texts such as {next(iter(by_id))!r}",
            str(data),
        )
    return [instance for id, instance in by_id.items() if id in ids]


def read_counts(reader: DatasetReader) -> dict[str, Any]:
    """For metadata: the number of texts kept, dropped and cut, if the reader counts them."""
    return {"texts": reader.counts.to_dict()} if isinstance(reader, TextReader) else {}


def complete(instance: Instance, id: str, path: str | None = None) -> Instance:
    """
    The instance with an `id` (the one given here) and `tokens` in its metadata, if the reader gave
    none. Unknown labels then raise an error that names the text, and the file (`path`) if known.
    """
    field = instance.fields.get("metadata")
    metadata = field.metadata if field is not None and isinstance(field.metadata, dict) else {}
    if {"id", "tokens"} <= metadata.keys():
        return instance
    origin = ", ".join(filter(None, (path, id))) or None
    text = instance.fields.get("tokens")
    if not isinstance(text, TextField):
        raise DataError(
            f"the dataset reader gives no text 'tokens', but {_fields_of(instance)}", origin
        )
    if not text.tokens:
        raise DataError("the text is empty", origin)
    tokens = [token.text for token in text.tokens]
    instance.add_field("metadata", MetadataField({"id": id, "tokens": tokens, **metadata}))
    label = instance.fields.get("label")
    if type(label) is LabelField and isinstance(label.label, str):
        instance.add_field("label", KnownLabelField(label.label, origin))
    return instance


def instance_of(reader: DatasetReader, fields: dict[str, Any]) -> Instance:
    """The reader's instance of one text, from the fields that it accepts."""
    if isinstance(reader, TextReader):
        return reader.text_to_instance(**fields)
    parameters = signature(reader.text_to_instance).parameters
    given = {name: value for name, value in fields.items() if name in parameters}
    missing = [
        name
        for name, parameter in parameters.items()
        if parameter.default is Parameter.empty
        and parameter.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        and name not in given
    ]
    if missing or not {"text", "tokens"} & given.keys():
        wanted = "', '".join(missing or ["text"])
        raise DataError(
            f"the dataset reader, a {type(reader).__name__}, needs '{wanted}' to read a single "
            f"text, but the input has {', '.join(map(repr, fields))}"
        )
    return complete(reader.text_to_instance(**given), fields.get("id", ""))


def _fields_of(instance: Instance) -> str:
    fields = (f"'{name}', a {type(field).__name__}" for name, field in instance.fields.items())
    return ", ".join(fields) or "nothing"


# Scripts that put no spaces between words; more characters than a word usually has are a clause.
CLAUSE = regex.compile(
    r"\p{Han}{5}|[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]{8}"
)


def is_unsplit(words: Sequence[str]) -> bool:
    """
    Whether there is little to rank: at most one word besides punctuation, or words of which at least
    half are clauses of a script without spaces.
    """
    spoken = [word for word in words if any(map(str.isalnum, word))]
    clauses = sum(CLAUSE.search(word) is not None for word in spoken)
    return len(spoken) < 2 or 2 * clauses >= len(spoken)
