"""
Corpora whose texts have words marked by annotators: the ERASER benchmark (DeYoung et al. 2020) and
HateXplain (Mathew et al. 2021).
"""

import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from allennlp.data import DatasetReader

from attention_explain.archive_reach import ConfigFiles
from attention_explain.data.errors import DataError
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
            tokens = documents.tokens(example, _document(example, record, spans))
            example.tokens, example.rationale = tokens, _marked(example, spans, len(tokens))
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


def _marked(example: Example, spans: list[tuple[str, int, int]], tokens: int) -> list[int]:
    marked = [0] * tokens
    for _, start, end in spans:
        if not 0 <= start < end <= len(marked):
            raise example.error(
                f"field 'evidences' has the tokens {start} to {end}, but the document has "
                f"{len(marked)}"
            )
        marked[start:end] = [1] * (end - start)
    return marked


logger = logging.getLogger(__name__)

POSTS, DIVISIONS = "dataset.json", "post_id_divisions.json"


@DatasetReader.register("hatexplain")
class HateXplainReader(TextReader):
    """
    Reads a split of the folder `Data` of HateXplain, which holds `dataset.json` and
    `post_id_divisions.json`: the data path is the folder and the split, as `Data/train`, `Data/val`
    or `Data/test`. The label is that of the most annotators (`hatespeech`, `offensive` or `normal`);
    posts without a majority are dropped and counted. The rationales of the annotators are kept
    separate; those that are not as long as their post are skipped, and counted in the log.

    Registered as a `DatasetReader` with name "hatexplain". All parameters as in `TextReader`.
    """

    def _examples(self, path: str) -> Iterator[Example]:
        folder, split = Path(path).parent, Path(path).name
        divisions = _object(folder / DIVISIONS)
        if split not in divisions:
            raise DataError(
                f"has no split '{split}'; it has {', '.join(divisions)}", str(folder / DIVISIONS)
            )
        posts = _object(folder / POSTS)
        unlike = 0
        for name in divisions[split]:
            post = posts.get(name)
            if not isinstance(post, dict) or not isinstance(post.get("post_tokens"), list):
                raise DataError(f"has no post '{name}' with its 'post_tokens'", str(folder / POSTS))
            tokens = post["post_tokens"]
            example = Example(id=str(name), tokens=tokens, path=str(folder / POSTS))
            example.label = _majority(post)
            if example.label is None:
                self.counts.dropped["without a majority label"] += 1
                continue
            given = post.get("rationales") or []
            marked = [one for one in given if len(one) == len(tokens)]
            unlike += len(given) - len(marked)
            example.rationale = marked or None
            yield example
        if unlike:
            logger.warning("%s: %d markings are not as long as their post", path, unlike)

    def _field_name(self, field: str) -> str:
        return {"id": "post_id", "rationale": "rationales"}.get(field, field)


def _object(path: Path) -> dict[str, Any]:
    text = "\n".join(line for _, line in numbered_lines(str(path)))
    return read_record(text, str(path))


def _majority(post: dict[str, Any]) -> str | None:
    """The label of more than half of the annotators."""
    annotators: list[dict[str, Any]] = post.get("annotators") or []
    labels = Counter(str(one.get("label")) for one in annotators)
    return next((label for label, times in labels.items() if 2 * times > len(annotators)), None)
