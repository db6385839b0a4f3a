"""
What the readers of pairs share: a text that is attended, the passage, and one in whose light it is
read, the query; a question of a story, or the hypothesis of a premise. Limits, masks and messages are
those of all readers, and hold for the passage. A reader of one file format only implements
`_examples`.
"""

from typing import Iterator, List, Mapping, Optional, Sequence, Tuple

from allennlp.data import DatasetReader, Instance

from attention_explain.data.candidates import CandidatesField
from attention_explain.data.errors import DataError
from attention_explain.data.example import FIELDS, PAIR_FIELDS, Example
from attention_explain.data.sources import ReadCounts
from attention_explain.data.text_reader import TextReader
from attention_explain.files.attributions import Rationale
from attention_explain.named_components import check_choice

CANDIDATES = ("all", "passage")
# The names of the fields, by those that the project has for them.
QUESTION_FIELDS = PAIR_FIELDS | {
    "text": "passage",
    "tokens": "passage_tokens",
    "query": "question",
    "query_tokens": "question_tokens",
    "label": "answer",
}
# Where the words of a text may be given instead.
TOKENS_OF = {"text": "tokens", "query": "query_tokens"}


def line_fields(reader: DatasetReader) -> Mapping[str, str]:
    """What lines that are to be predicted call each field, as the files of a reader do."""
    return reader.fields if isinstance(reader, PairReader) and reader.pairs else FIELDS


class PairReader(TextReader):
    """
    Base class of the readers of pairs. An instance has the passage as `tokens`, the `query`, and where
    not every label may be the answer, the `candidates`.

    # Parameters

    candidates : `str`, optional (default = `"all"`)
        Which labels a pair may have, unless its file says it: `all` of the training data, or those
        that are words of the `passage`.

    All others as in `TextReader`; boundary symbols stand around both texts.
    """

    noun = "passage"
    # What a file, and a line that is to be predicted, call each field.
    fields: Mapping[str, str] = QUESTION_FIELDS
    # Of a reader that may give single texts, too, whether it gives pairs.
    pairs = True
    # Whether a line may name its candidates. Those of others may then be anything, and every pair says
    # which it may have, so that all of them fit into one batch.
    lines_have_candidates = False

    def __init__(self, candidates: str = "all", **kwargs) -> None:
        super().__init__(**kwargs)
        self._candidates = check_choice("candidates", candidates, CANDIDATES)

    def _field_name(self, field: str) -> str:
        return self.fields[field]

    def text_to_instance(
        self,
        text: Optional[str] = None,
        tokens: Optional[Sequence[str]] = None,
        query: Optional[str] = None,
        query_tokens: Optional[Sequence[str]] = None,
        label: Optional[str] = None,
        id: Optional[str] = None,
        rationale: Optional[Rationale] = None,
        impermissible: Optional[Sequence[int]] = None,
        candidates: Optional[Sequence[str]] = None,
    ) -> Instance:
        """One Instance from a passage, `text` or `tokens`, and a `query` or its `query_tokens`."""
        if self.pairs and (query is None) == (query_tokens is None):
            raise DataError("a pair needs a 'query' or its 'query_tokens', and not both")
        return self.instance_of(
            Example.said(
                id,
                label,
                text=text,
                tokens=tokens,
                rationale=rationale,
                impermissible=impermissible,
                query=query,
                query_tokens=query_tokens,
                candidates=candidates,
            )
        )

    def _wanted(self, file_path: str, counts: ReadCounts) -> Iterator[Tuple[Example, List[str]]]:
        for example, words in super()._wanted(file_path, counts):
            if self.pairs:
                # Also of passages that the limits drop.
                self._query_words(example)
            yield example, words

    def _query_words(self, example: Example) -> List[str]:
        words = self._read_as(example.query, example.query_tokens)
        if not words:
            raise example.error(f"field '{self._field_name('query')}' is empty")
        return words

    def _to_instance(self, example: Example, words: List[str]) -> Instance:
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

    def _candidates_of(self, example: Example, words: List[str]) -> Optional[CandidatesField]:
        """The labels that the pair may have, its own among them."""
        if example.candidates is not None:
            named = [candidate.strip() for candidate in example.candidates]
            field = CandidatesField(named, False, example.path, example.line)
            problem = f"none of its candidates ({', '.join(map(repr, named))})"
        elif self._candidates == "passage":
            field = CandidatesField(words, self._lowercase, example.path, example.line)
            problem = (
                "no word of the passage, as 'candidates': 'passage' wants it ('all' allows every "
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
