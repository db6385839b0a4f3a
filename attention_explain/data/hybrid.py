"""
Hybrid documents: texts of different classes put together, so that it is known which words can have led to a prediction
(Poerner et al. 2018).
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from allennlp.common import FromParams

from attention_explain.data.errors import DataError
from attention_explain.data.example import Example
from attention_explain.errors import InputError
from attention_explain.passes import generator_for


class Hybrid(FromParams):
    """
    Joins texts in random order. A document has no label; its metadata have the class of the fragment of each
    token, `fragments`. Documents of a single class are left out.

    # Parameters

    fragments : `int`, optional (default = `10`)
        The number of texts in a document.
    seed : `int`, optional (default = `0`)
        Determines the order of the texts, together with their ids.
    """

    def __init__(self, fragments: int = 10, seed: int = 0) -> None:
        if fragments < 2:
            raise InputError(f"hybrid: fragments is {fragments}, but must be 2 or more")
        self.fragments = fragments
        self.seed = seed

    def join(
        self, examples: Iterable[tuple[Example, list[str]]], path: str, dropped: Counter[str]
    ) -> Iterator[Example]:
        """The documents made of the texts of a file, each with its words; `dropped` counts by reason."""
        texts = [(example, words) for example, words in examples if example.label and words]
        texts.sort(key=lambda text: self._draw(text[0].id))
        documents = 0
        for start in range(0, len(texts) - self.fragments + 1, self.fragments):
            some = texts[start : start + self.fragments]
            if len({example.label for example, _ in some}) < 2:
                dropped["of a single class"] += 1
                continue
            documents += 1
            first = some[0][0]
            yield Example(
                id=f"hybrid-{documents}",
                tokens=[word for _, words in some for word in words],
                split_here=first.tokens is None or first.split_here,
                path=first.path,
                fragments=[str(example.label) for example, words in some for _ in words],
            )
        if not documents:
            raise DataError(
                f"has {len(texts)} texts with a label, too few (or of too few classes) for a hybrid document "
                f"of {self.fragments} texts of different classes",
                path,
            )

    def _draw(self, id: str) -> int:
        return generator_for(self.seed, id, "hybrid").initial_seed()
