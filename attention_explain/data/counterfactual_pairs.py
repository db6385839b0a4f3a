"""
Pairs of a text and an edited version of it with another label: the changed words are those that a person
found decisive, and both versions are natural texts (Kaushik et al. 2020, Gardner et al. 2020).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from allennlp.data import DatasetReader, Instance

from attention_explain.data.attention_text import AttentionTextReader, numbered_records
from attention_explain.data.example import Example, example_of
from attention_explain.data.sources import ReadCounts
from attention_explain.errors import InputError

# A small set of pairs that comes with the package; given instead of a path.
EMBEDDED = "embedded"
EMBEDDED_FILE = Path(__file__).parent / "edited" / "pairs.jsonl"
EDITED_TEXT, EDITED_LABEL = "edited_text", "edited_label"
# The columns of the paired tsv files of counterfactually augmented data: one row per version.
ROWS = {"text": "Text", "label": "Sentiment", "pair": "batch_id"}
# Appended to the id of the edited version.
EDITED = " (edited)"


@dataclass(frozen=True)
class Edit:
    """
    A changed span of a text.

    start, end : the words of the text that are replaced; equal for an insertion.
    words : the words of the other version.
    """

    start: int
    end: int
    words: tuple[str, ...]

    def marked(self, length: int) -> range:
        """The positions that count as edited: an insertion belongs to the words next to it."""
        if self.start < self.end:
            return range(self.start, self.end)
        return range(max(0, self.start - 1), min(length, self.start + 1))

    def apply(self, words: Sequence[str]) -> list[str]:
        """The text with this edit alone."""
        return [*words[: self.start], *self.words, *words[self.end :]]


def edits_between(words: Sequence[str], others: Sequence[str]) -> list[Edit]:
    """The changed spans, in order; unchanged words lie between any two of them."""
    matcher = SequenceMatcher(None, list(words), list(others), autojunk=False)
    return [
        Edit(start, end, tuple(others[other_start:other_end]))
        for kind, start, end, other_start, other_end in matcher.get_opcodes()
        if kind != "equal"
    ]


@DatasetReader.register("counterfactual_pairs")
class CounterfactualPairsReader(AttentionTextReader):
    """
    Reads pairs of a text and its edited version: as jsonl, csv or tsv with the fields `text`, `label`,
    `edited_text` and `edited_label` (and `id`), or as a tsv with the columns `Text`, `Sentiment` and
    `batch_id` and two rows per pair. Both versions become texts, the edited one with ` (edited)` after
    its id. The changed words are the rationale; the edits are in the metadata.

    The path `embedded` stands for a set of 60 pairs that comes with the package; its labels are `positive`
    and `negative`.

    Registered as a `DatasetReader` with name "counterfactual_pairs".

    # Parameters

    All as in `AttentionTextReader`.
    """

    def _all_examples(self, path: str) -> Iterator[Example]:
        file = str(EMBEDDED_FILE) if path == EMBEDDED else path
        names = [*self._fields.values(), EDITED_TEXT, EDITED_LABEL, *ROWS.values()]
        waiting: Example | None = None
        pair: Any = None
        for number, record in numbered_records(file, self._format, names):
            if ROWS["pair"] not in record:
                yield from self._pair_of_line(record, file, number)
                continue
            fields = {"text": ROWS["text"], "label": ROWS["label"]}
            example = example_of(record, f"line-{number}", file, number, fields)
            if waiting is None:
                waiting, pair = example, record[ROWS["pair"]]
            elif record[ROWS["pair"]] != pair:
                raise waiting.error(f"the pair {pair!r} has only one row; every pair needs two")
            else:
                example.id = f"{waiting.id}{EDITED}"
                yield from _checked(waiting, example)
                waiting = None
        if waiting is not None:
            raise waiting.error(f"the pair {pair!r} has only one row; every pair needs two")

    def _pair_of_line(self, record: dict[str, Any], path: str, number: int) -> Iterator[Example]:
        first = example_of(record, f"line-{number}", path, number, self._fields)
        missing = [name for name in (EDITED_TEXT, EDITED_LABEL) if record.get(name) in (None, "")]
        if missing:
            raise first.error(
                f"field '{missing[0]}' is missing; a pair needs the fields '{EDITED_TEXT}' and "
                f"'{EDITED_LABEL}'"
            )
        fields = {"text": EDITED_TEXT, "label": EDITED_LABEL}
        other = example_of(record, f"{first.id}{EDITED}", path, number, fields)
        yield from _checked(first, other)

    def _wanted(self, file_path: str, counts: ReadCounts) -> Iterator[tuple[Example, list[str]]]:
        for example, words in super()._wanted(file_path, counts):
            if example.edited_to is None:
                raise example.error("is not one of a pair")
            others = self._words(Example(example.id, text=example.edited_to))
            example.edits = edits_between(words, others)
            if not example.edits:
                raise example.error(
                    "its two versions are equal as the reader splits them into words"
                )
            marked = {row for edit in example.edits for row in edit.marked(len(words))}
            example.rationale = [float(row in marked) for row in range(len(words))]
            yield example, words

    def _to_instance(self, example: Example, words: list[str]) -> Instance:
        instance = super()._to_instance(example, words)
        metadata = instance["metadata"].metadata
        read = len(metadata["tokens"])
        # Of a text that is cut, the edits in the part that is read.
        metadata["edits"] = [edit for edit in example.edits or () if edit.end <= read]
        return instance


def _checked(first: Example, other: Example) -> Iterator[Example]:
    """Both versions, each with the text of the other."""
    for each in (first, other):
        if each.label is None:
            raise each.error("a label is missing; both versions need one")
        if each.tokens is not None:
            raise InputError("counterfactual_pairs reads texts, and not lists of tokens")
    if first.text == other.text:
        raise first.error("the edited text is equal to the text")
    if first.label == other.label:
        raise first.error(
            f"the edited text has the same label, {first.label!r}; an edit has to change the label"
        )
    first.edited_to, other.edited_to = other.text, first.text
    yield first
    yield other
