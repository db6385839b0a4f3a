"""
Readers of files of pairs of texts: questions about passages and SNLI, one pair per line, and the
stories of bAbI.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from allennlp.data import DatasetReader

from attention_explain.data.attention_text import FORMATS, numbered_records
from attention_explain.data.errors import DataError
from attention_explain.data.example import PAIR_FIELDS, QUESTION_FIELDS, Example, example_of
from attention_explain.data.pair_reader import PairReader
from attention_explain.data.sources import numbered_lines
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


@dataclass
class StoryLine:
    """A line of a story: a sentence, or a question with its answer and supporting lines."""

    number: int
    text: str
    answer: str | None = None
    supporting: Sequence[str] = ()
    is_question: bool = False


# Replaces AllenNLP's reader of that name, which gives sentences and no passage.
@DatasetReader.register("babi", exist_ok=True)
class BabiReader(PairReader):
    """
    Reads a file of any of the twenty tasks (plain or gzip, from a path or URL). One instance per
    question: the passage is the story so far, without its earlier questions; the label is the
    answer, the `rationale` the words of the supporting sentences. The id is the question's line in
    the file (`line-7`). An answer of several words (`milk,apple`) is one label.

    Registered as a `DatasetReader` with name "babi". All parameters as in `PairReader`; for the tasks
    whose answer is a word of the story, `candidates` should be `passage`.
    """

    def _examples(self, path: str) -> Iterator[Example]:
        # The words of each sentence of the story, by its number.
        story: dict[int, list[str]] = {}
        before = 0
        for line_number, content in numbered_lines(path):
            if not content.strip():
                continue
            line = _line(content, path, line_number)
            if line.number == 1:
                story = {}
            elif line.number != before + 1:
                raise DataError(
                    f"begins with {line.number}, but a story's lines are numbered from 1, and the "
                    f"line before is {before or 'none'}",
                    path,
                    line_number,
                )
            before = line.number
            if line.is_question:
                yield self._example(line, story, path, line_number)
            else:
                story[line.number] = self._tokenized(line.text)

    def _example(
        self, line: StoryLine, story: dict[int, list[str]], path: str, line_number: int
    ) -> Example:
        supporting = set()
        for named in line.supporting:
            if not named.isdecimal() or int(named) not in story:
                known = ", ".join(map(str, story)) or "none"
                raise DataError(
                    f"supporting fact {named} is not a sentence of the story so far, whose sentences "
                    f"are {known}",
                    path,
                    line_number,
                )
            supporting.add(int(named))
        return Example(
            id=f"line-{line_number}",
            tokens=[word for words in story.values() for word in words],
            split_here=True,
            label=line.answer,
            rationale=[int(number in supporting) for number, words in story.items() for _ in words]
            or None,
            query=line.text,
            path=path,
            line=line_number,
        )


def _line(content: str, path: str, line_number: int) -> StoryLine:
    number, _, rest = content.strip().partition(" ")
    if not number.isdecimal():
        raise DataError(
            "does not begin with a number, as a line of a bAbI story must", path, line_number
        )
    text, *columns = rest.split("\t")
    if len(columns) > 2:
        raise DataError(
            f"has {len(columns) + 1} columns, but a question has at most 3: its text, its answer and "
            "its supporting facts",
            path,
            line_number,
        )
    columns += [""] * (2 - len(columns)) if columns else []
    return StoryLine(
        number=int(number),
        text=text.strip(),
        answer=(columns[0].strip() or None) if columns else None,
        supporting=columns[1].split() if columns else (),
        is_question=bool(columns),
    )
