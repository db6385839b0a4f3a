"""HateXplain (Mathew et al. 2021) as published: posts, labels and rationales of annotators."""

import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from allennlp.data import DatasetReader

from attention_explain.data.errors import DataError
from attention_explain.data.example import Example, read_record
from attention_explain.data.sources import numbered_lines
from attention_explain.data.text_reader import TextReader

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
            example = Example(id=str(name), tokens=post["post_tokens"], path=str(folder / POSTS))
            example.label = _majority(post)
            if example.label is None:
                self.counts.dropped["without a majority label"] += 1
                continue
            given = post.get("rationales") or []
            marked = [one for one in given if len(one) == len(example.tokens)]
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
