"""The bAbI tasks (Weston et al. 2015) as published: stories, questions, and supporting facts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from allennlp.data import DatasetReader

from attention_explain.data.errors import DataError
from attention_explain.data.example import Example
from attention_explain.data.pair_reader import PairReader
from attention_explain.data.sources import numbered_lines


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
        for place, content in numbered_lines(path):
            if not content.strip():
                continue
            line = _line(content, path, place)
            if line.number == 1:
                story = {}
            elif line.number != before + 1:
                raise DataError(
                    f"begins with {line.number}, but a story's lines are numbered from 1, and the "
                    f"line before is {before or 'none'}",
                    path,
                    place,
                )
            before = line.number
            if line.is_question:
                yield self._example(line, story, path, place)
            else:
                story[line.number] = self._tokenized(line.text)

    def _example(
        self, line: StoryLine, story: dict[int, list[str]], path: str, place: int
    ) -> Example:
        supporting = set()
        for named in line.supporting:
            if not named.isdecimal() or int(named) not in story:
                known = ", ".join(map(str, story)) or "none"
                raise DataError(
                    f"supporting fact {named} is not a sentence of the story so far, whose sentences "
                    f"are {known}",
                    path,
                    place,
                )
            supporting.add(int(named))
        return Example(
            id=f"line-{place}",
            tokens=[word for words in story.values() for word in words],
            split_here=True,
            label=line.answer,
            rationale=[int(number in supporting) for number, words in story.items() for _ in words]
            or None,
            query=line.text,
            path=path,
            line=place,
        )


def _line(content: str, path: str, place: int) -> StoryLine:
    number, _, rest = content.strip().partition(" ")
    if not number.isdecimal():
        raise DataError("does not begin with a number, as a line of a bAbI story must", path, place)
    text, *columns = rest.split("\t")
    if len(columns) > 2:
        raise DataError(
            f"has {len(columns) + 1} columns, but a question has at most 3: its text, its answer and "
            "its supporting facts",
            path,
            place,
        )
    columns += [""] * (2 - len(columns)) if columns else []
    return StoryLine(
        number=int(number),
        text=text.strip(),
        answer=(columns[0].strip() or None) if columns else None,
        supporting=columns[1].split() if columns else (),
        is_question=bool(columns),
    )
