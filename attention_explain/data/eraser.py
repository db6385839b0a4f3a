"""Texts with marked evidence in the form of the ERASER benchmark (DeYoung et al. 2020)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from allennlp.data import DatasetReader

from attention_explain.archive_reach import ConfigFiles
from attention_explain.data.example import Example, read_record
from attention_explain.data.sources import local_path, numbered_lines
from attention_explain.data.text_reader import TextReader


@DatasetReader.register("eraser")
class EraserReader(TextReader):
    """
    Reads a split of a task of ERASER, such as `movies/train.jsonl`, whose lines have an
    `annotation_id`, a `classification` (the label) and `evidences`: spans of tokens of a document.
    The documents are next to it, in the folder `docs` (one file each) or in `docs.jsonl`: one sentence
    per line, tokens separated by spaces. The tokens of all spans are the rationale. For tasks with one
    document per text; the query is not read.

    Registered as a `DatasetReader` with name "eraser".

    # Parameters

    held_out : `str` or `List[str]`, optional (default = `None`)
        Other splits, whose texts are dropped by their ids: the training split of the movie reviews
        contains the validation split.

    All others as in `TextReader`.
    """

    def __init__(self, held_out: str | list[str] | None = None, **kwargs) -> None:
        super().__init__(**kwargs)
        self._held_out = ConfigFiles(held_out, "held_out")

    def _examples(self, path: str) -> Iterator[Example]:
        documents = _Documents(path)
        dropped = {_id(record) for other in self._held_out for _, record in _records(other)}
        for number, record in _records(path):
            if _id(record) in dropped:
                self.counts.dropped["held out"] += 1
                continue
            example = Example(id=_id(record), path=path, line=number)
            if record.get("classification") is not None:
                example.label = str(record["classification"])
            spans = _spans(example, record)
            example.tokens = documents.tokens(example, _document(example, record, spans))
            example.rationale = _marked(example, spans)
            yield example

    def _field_name(self, field: str) -> str:
        names = {"id": "annotation_id", "label": "classification", "rationale": "evidences"}
        return names.get(field, field)


class _Documents:
    """The documents of a split, by name."""

    def __init__(self, path: str) -> None:
        self._folder = local_path(path).parent
        self._together: dict[str, str] | None = None
        together = self._folder / "docs.jsonl"
        if together.exists():
            self._together = {
                str(record.get("docid")): str(record.get("document"))
                for _, record in _records(str(together))
            }

    def tokens(self, example: Example, name: str) -> list[str]:
        # Only the name is used, so that it cannot lead to another folder.
        path = self._folder / "docs" / Path(name).name
        if self._together is not None:
            if name not in self._together:
                raise example.error(f"has no document '{name}' in docs.jsonl")
            lines = self._together[name].split("\n")
        elif path.is_file():
            lines = [line for _, line in numbered_lines(path)]
        else:
            raise example.error(f"the document {path} is missing")
        return [token for line in lines for token in line.split(" ") if token.strip()]


def _records(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in numbered_lines(path):
        if line.strip():
            yield number, read_record(line, path, number)


def _id(record: dict[str, Any]) -> str:
    return str(record.get("annotation_id", ""))


def _spans(example: Example, record: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Document, first token, and the one after the last."""
    try:
        return [
            (str(one["docid"]), int(one["start_token"]), int(one["end_token"]))
            for group in record.get("evidences") or []
            for one in group
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise example.error(
            "field 'evidences' is not a list of lists of objects with docid, start_token and end_token"
        ) from error


def _document(example: Example, record: dict[str, Any], spans: list[tuple[str, int, int]]) -> str:
    names: set[str] = {name for name, _, _ in spans} or set(map(str, record.get("docids") or []))
    if len(names) > 1:
        raise example.error(f"has evidence in {len(names)} documents, but a text must have one")
    return names.pop() if names else example.id


def _marked(example: Example, spans: list[tuple[str, int, int]]) -> list[int]:
    marked = [0] * len(example.tokens)
    for _, start, end in spans:
        if not 0 <= start < end <= len(marked):
            raise example.error(
                f"field 'evidences' has the tokens {start} to {end}, but the document has "
                f"{len(marked)}"
            )
        marked[start:end] = [1] * (end - start)
    return marked
