"""Readers of files with one pair of texts per line: questions about passages, and SNLI."""

from collections.abc import Iterator, Mapping
from typing import Any

from allennlp.data import DatasetReader

from attention_explain.data.attention_text import FORMATS, numbered_records
from attention_explain.data.example import PAIR_FIELDS, Example, example_of
from attention_explain.data.pair_reader import QUESTION_FIELDS, PairReader
from attention_explain.errors import InputError
from attention_explain.named_components import check_choice


@DatasetReader.register("question_passage")
class QuestionPassageReader(PairReader):
    """
    Reads a jsonl, csv or tsv file (plain or gzip, from a path or URL) with a `passage` or its
    `passage_tokens`, a `question` or its `question_tokens`, an `answer`, which is the label, and
    optionally an `id`, the `candidates` for the answer (texts, including the answer), and the masks
    `rationale` and `impermissible` (0 or 1 per token of the passage). All else is as in
    `attention_text`.

    Registered as a `DatasetReader` with name "question_passage".

    # Parameters

    format : `str`, optional (default = by the file's ending, else `jsonl`)
        `jsonl`, `csv` or `tsv`.
    fields : `Dict[str, str]`, optional
        The file's names of fields that have other names: `{"passage": "story"}`.

    All others as in `PairReader`.
    """

    # The names of the fields in the file, by the names that this project uses.
    own_fields: Mapping[str, str] = QUESTION_FIELDS
    lines_have_candidates = True

    def __init__(
        self,
        format: str | None = None,
        fields: dict[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if format is not None:
            check_choice("format", format, FORMATS)
        renamed = fields or {}
        unknown = set(renamed) - set(self.own_fields.values())
        if unknown:
            raise InputError(
                f"fields renames {sorted(unknown)}, but only these fields are read: "
                f"{', '.join(self.own_fields.values())}"
            )
        self._format = format
        self.fields = {
            name: renamed.get(own_name, own_name) for name, own_name in self.own_fields.items()
        }

    def _examples(self, path: str) -> Iterator[Example]:
        for number, record in numbered_records(path, self._format, self.fields.values()):
            yield example_of(record, f"line-{number}", path, number, self.fields)


@DatasetReader.register("snli")
class SnliReader(QuestionPassageReader):
    """
    Reads the Stanford Natural Language Inference corpus (Bowman et al. 2015), its official jsonl or
    its tab-separated file (`.txt`): the premise (`sentence1`) is the passage, the hypothesis
    (`sentence2`) the query, `gold_label` the label, and `pairID` the id. Pairs on which the annotators
    did not agree (`-`) are dropped and counted. MultiNLI's files are of the same form.

    Registered as a `DatasetReader` with name "snli". All parameters as in `question_passage`.
    """

    noun = "premise"
    own_fields = PAIR_FIELDS | {
        "text": "sentence1",
        "tokens": "sentence1_tokens",
        "query": "sentence2",
        "query_tokens": "sentence2_tokens",
        "label": "gold_label",
        "id": "pairID",
    }

    def __init__(self, labels: dict[str, Any] | None = None, **kwargs: Any) -> None:
        agreed = {name: name for name in ("entailment", "neutral", "contradiction")}
        super().__init__(labels=agreed | {"-": None} if labels is None else labels, **kwargs)
