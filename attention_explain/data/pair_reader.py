"""
The base class of the readers of pairs. The model attends to the first text, the passage, given the
second, the query: a story and a question, or a premise and a hypothesis. Length limits and masks apply
to the passage. A reader of one file format only implements `_examples`.

Also instances of pairs for explanations of the query, or of both texts, instead of the passage.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy
import torch
from allennlp.data import DatasetReader, Field, Instance, Token, Vocabulary
from allennlp.data.fields import MetadataField, TensorField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer

from attention_explain.data.errors import DataError
from attention_explain.data.example import FIELDS, QUESTION_FIELDS, Example
from attention_explain.data.sources import ReadCounts
from attention_explain.data.text_reader import TextReader
from attention_explain.errors import InputError
from attention_explain.files.attributions import Rationale
from attention_explain.named_components import check_choice


class CandidatesField(Field[torch.Tensor]):
    """
    The labels that a text may have, such as the locations that a story names: True for each label of
    the training data that is a candidate. Candidates that are not labels are ignored. Shape: (labels,)

    # Parameters

    candidates : `Optional[Iterable[str]]`
        None for all labels, in a file where only some texts name candidates.
    lowercase : `bool`, optional (default = `False`)
        Whether the candidates are lower-cased; labels are then compared in lower case.
    path, line : optional
        The origin of the text, for messages.
    """

    __slots__ = ["_line", "_lowercase", "_mask", "_path", "candidates"]

    def __init__(
        self,
        candidates: Iterable[str] | None,
        lowercase: bool = False,
        path: str | None = None,
        line: int | None = None,
    ) -> None:
        self.candidates = None if candidates is None else frozenset(candidates)
        self._lowercase = lowercase
        self._path = path
        self._line = line
        self._mask: torch.Tensor | None = None

    def __contains__(self, label: str) -> bool:
        if self.candidates is None:
            return True
        return (label.lower() if self._lowercase else label) in self.candidates

    def index(self, vocab: Vocabulary) -> None:
        labels = vocab.get_index_to_token_vocabulary("labels")
        if self.candidates is None:
            self._mask = _all_of(len(labels))
            return
        among = [labels[number] in self for number in range(len(labels))]
        if not any(among):
            raise DataError(
                "none of the candidates of this text is a label of the training data",
                self._path,
                self._line,
            )
        self._mask = torch.tensor(among)

    def get_padding_lengths(self) -> dict[str, int]:
        return {}

    def as_tensor(self, padding_lengths: dict[str, int]) -> torch.Tensor:
        return self._mask

    def empty_field(self) -> "CandidatesField":
        empty = CandidatesField(())
        empty._mask = torch.zeros_like(self._mask)
        return empty


@lru_cache
def _all_of(labels: int) -> torch.Tensor:
    """Shared by all texts of a corpus; it is never modified."""
    return torch.ones(labels, dtype=torch.bool)


CANDIDATES = ("all", "passage")
# The field that gives the words of a text instead.
TOKENS_OF = {"text": "tokens", "query": "query_tokens"}


def line_fields(reader: DatasetReader) -> Mapping[str, str]:
    """The names of the fields in lines to predict: those of the reader's files."""
    return reader.fields if isinstance(reader, PairReader) and reader.pairs else FIELDS


class PairReader(TextReader):
    """
    Base class of the readers of pairs. An instance has the passage as `tokens`, the `query`, and the
    `candidates` if not every label may be the answer.

    # Parameters

    candidates : `str`, optional (default = `"all"`)
        The labels that a pair may have, unless its line names them: `all` of the training data, or
        those that are words of the `passage`.

    All others as in `TextReader`; boundary symbols are put around both texts.
    """

    noun = "passage"
    # The names of the fields in files and in lines to predict.
    fields: Mapping[str, str] = QUESTION_FIELDS
    # Whether the reader gives pairs; a subclass may also give single texts.
    pairs = True
    # Whether a line may name its candidates. Every pair then gets the field, so that all of them fit
    # into one batch.
    lines_have_candidates = False

    def __init__(self, candidates: str = "all", **kwargs) -> None:
        super().__init__(**kwargs)
        self._candidates = check_choice("candidates", candidates, CANDIDATES)

    def _field_name(self, field: str) -> str:
        return self.fields[field]

    # In a pair the query follows the passage, before what a single text has next.
    def text_to_instance(  # type: ignore[override]
        self,
        text: str | None = None,
        tokens: Sequence[str] | None = None,
        query: str | None = None,
        query_tokens: Sequence[str] | None = None,
        label: str | None = None,
        id: str | None = None,
        rationale: Rationale | None = None,
        impermissible: Sequence[float] | None = None,
        candidates: Sequence[str] | None = None,
    ) -> Instance:
        """One Instance from a passage, `text` or `tokens`, and a `query` or its `query_tokens`."""
        if self.pairs and (query is None) == (query_tokens is None):
            raise DataError("a pair needs a 'query' or its 'query_tokens', and not both")
        of_query = {"query": query, "query_tokens": query_tokens, "candidates": candidates}
        marks: dict[str, Any] = {"rationale": rationale, "impermissible": impermissible}
        return self.instance_of(
            Example.said(id, label, text=text, tokens=tokens, **of_query, **marks)
        )

    def _wanted(self, file_path: str, counts: ReadCounts) -> Iterator[tuple[Example, list[str]]]:
        for example, words in super()._wanted(file_path, counts):
            if self.pairs:
                # Checks the query, also for passages that the limits drop.
                self._query_words(example)
            yield example, words

    def _query_words(self, example: Example) -> list[str]:
        words = self._read_as(example.query, example.query_tokens)
        if not words:
            raise example.error(f"field '{self._field_name('query')}' is empty")
        return words

    def _to_instance(self, example: Example, words: list[str]) -> Instance:
        instance = super()._to_instance(example, words)
        if not self.pairs:
            return instance
        query = self._query_words(example)
        instance.add_field("query", self._text_field(query))
        instance["metadata"].metadata["query"] = query
        if example.candidates is not None:
            instance["metadata"].metadata["candidates"] = list(example.candidates)
        candidates = self._candidates_of(example, words[: self._most(words, example)])
        if candidates is not None:
            instance.add_field("candidates", candidates)
        return instance

    def _candidates_of(self, example: Example, words: list[str]) -> CandidatesField | None:
        """The labels that the pair may have, including its own."""
        if example.candidates is not None:
            named = [candidate.strip() for candidate in example.candidates]
            field = CandidatesField(named, False, example.path, example.line)
            problem = f"not one of its candidates ({', '.join(map(repr, named))})"
        elif self._candidates == "passage":
            field = CandidatesField(words, self._lowercase, example.path, example.line)
            problem = (
                "not a word of the passage, as required by 'candidates': 'passage' ('all' allows every "
                "label of the training data)"
            )
        else:
            return CandidatesField(None) if self.lines_have_candidates else None
        if example.label is not None and example.label not in field:
            name = self._field_name("label")
            raise example.error(f"field '{name}' is {example.label!r}, which is {problem}")
        return field

    def apply_token_indexers(self, instance: Instance) -> None:
        super().apply_token_indexers(instance)
        if self.pairs:
            instance["query"].token_indexers = self._token_indexers


PASSAGE, QUERY, BOTH = SIDES = ("passage", "query", "both")
# The indexer for the text that a token belongs to: 0 the passage, 1 the query.
PART = "part"


def turned(instances: Sequence[Instance], side: str) -> list[Instance]:
    """The pairs with the text of that side as `tokens`; they must have their token indexers."""
    if side == PASSAGE:
        return list(instances)
    for instance in instances:
        if "query" not in instance["metadata"].metadata:
            raise InputError(f"side is '{side}', but the texts are not pairs")
    return [_turned(each, side) for each in instances]


def _turned(instance: Instance, side: str) -> Instance:
    if "query" not in instance.fields:
        return _joined(instance, side)
    return _query(instance) if side == QUERY else _both(instance)


def _joined(instance: Instance, side: str) -> Instance:
    """Of a pair that is one sequence of tokens, in which the words of the passage come first."""
    known = instance["metadata"].metadata
    scored = [0] * len(known["tokens"]) if side == QUERY else [1] * len(known["tokens"])
    fields: dict[str, Field] = {
        "tokens": instance["tokens"],
        "attendable": _attendable([*scored, *[1] * len(known["query"])]),
    }
    if side == QUERY:
        told = {"id": known["id"], "tokens": known["query"], "other": known["tokens"], "side": side}
    else:
        told = _told_of_both(known)
    return _with(instance, fields, told)


def _query(instance: Instance) -> Instance:
    known = instance["metadata"].metadata
    fields: dict[str, Field] = {
        "tokens": instance["query"],
        "attendable": _attendable(_shown(instance, "query")),
        "passage": instance["tokens"],
    }
    if "attendable" in instance.fields:
        fields["passage_attendable"] = instance["attendable"]
    told = {"id": known["id"], "tokens": known["query"], "other": known["tokens"], "side": QUERY}
    return _with(instance, fields, told)


def _both(instance: Instance) -> Instance:
    known = instance["metadata"].metadata
    tokens = [
        Token(token.text, type_id=part)
        for part, field in enumerate(("tokens", "query"))
        for token in instance[field].tokens
    ]
    part = SingleIdTokenIndexer(namespace=None, feature_name="type_id")
    indexers = {**instance["tokens"].token_indexers, PART: part}
    shown = _shown(instance, "tokens") + _shown(instance, "query")
    fields = {"tokens": TextField(tokens, indexers), "attendable": _attendable(shown)}
    return _with(instance, fields, _told_of_both(known))


def _told_of_both(known: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": known["id"],
        "tokens": [*known["tokens"], *known["query"]],
        "other": known["query"],
        "side": BOTH,
    }
    # Rationales mark words of the passage only.
    nothing = [0] * len(known["query"])
    marks = known.get("rationale")
    if marks is not None:
        several = len(marks) > 0 and not isinstance(marks[0], int)
        told["rationale"] = [[*each, *nothing] for each in marks] if several else [*marks, *nothing]
    if "contrary" in known:
        told["contrary"] = [*known["contrary"], *nothing]
    return told


def _with(instance: Instance, fields: dict[str, Field], told: dict[str, Any]) -> Instance:
    for name in ("candidates", "label"):
        if name in instance.fields:
            fields[name] = instance[name]
    return Instance({**fields, "metadata": MetadataField(told)})


def _shown(instance: Instance, name: str) -> list[int]:
    """0 at boundary symbols, which are around both texts or around none."""
    tokens = len(instance[name].tokens)
    bounds = 1 if "attendable" in instance.fields else 0
    return [0] * bounds + [1] * (tokens - 2 * bounds) + [0] * bounds


def _attendable(mask: list[int]) -> TensorField:
    return TensorField(numpy.array(mask, dtype=bool))
