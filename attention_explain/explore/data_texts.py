"""
The texts of the data file that was named: to pick one from, and those on which attention misleads most.
"""

import threading
import time
from dataclasses import dataclass
from typing import Any

from allennlp.data import Instance

from attention_explain.data.any_reader import read_instances
from attention_explain.errors import InputError
from attention_explain.explore.open_model import OpenModel
from attention_explain.explore.open_text import MOST_WORDS
from attention_explain.sentences import sentence_of

# The number of texts to choose from, and of those that are searched, spread evenly over the data.
LISTED = 200
SEARCHED = 100
MISLEADING = 5
# What attention is compared with: the words without each of which the class loses most.
DECISIVE = {"type": "leave-one-out", "measure": "signed", "name": "decisive"}
# How long one request may search, since others wait for it.
SECONDS = 0.4


@dataclass(frozen=True)
class Misled:
    """
    position : of the text in the list.
    by_attention, by_deleting : the class's probability without the words that attention names first,
        and without as many that the class loses most by when each is deleted.
    """

    position: int
    label: str
    whole: float
    by_attention: float
    by_deleting: float

    @property
    def size(self) -> float:
        """How much of the fall attention misses."""
        return self.by_attention - self.by_deleting


class DataTexts:
    """
    Reading a large file takes longer than anybody should wait for a page: it goes on in the background.

    # Parameters

    model : `OpenModel`
        Whose reader reads, and whose attention is looked at.
    data : `str`
        What the reader is to read.
    """

    def __init__(self, model: OpenModel, data: str) -> None:
        self.model = model
        self.data = data
        self._instances: list[Instance] | None = None
        self._error: Exception | None = None
        self._misled: list[Misled] = []
        self._searched = 0
        self._thread = threading.Thread(target=self._read, daemon=True)

    def start(self, patience: float = 1.0) -> None:
        """Begins to read, and raises what is wrong with the data if that is found at once."""
        self._thread.start()
        self._thread.join(patience)
        if self._error is not None:
            raise self._error

    def _read(self) -> None:
        try:
            instances = read_instances(
                self.model.reader, self.model.model.vocab, self.data, limit=LISTED, split_text=True
            )
            self._instances = [
                each for each in instances if len(each["metadata"].metadata["tokens"]) <= MOST_WORDS
            ]
        except Exception as error:
            self._error = error

    def listed(self) -> dict[str, Any]:
        """The texts, as far as they are read."""
        if self._error is not None:
            said = sentence_of(self._error) or f"{type(self._error).__name__}: {self._error}"
            raise InputError(said)
        texts = [self._listed(instance) for instance in self._instances or ()]
        return {"data": self.data, "reading": self._instances is None, "texts": texts}

    def _listed(self, instance: Instance) -> dict[str, Any]:
        known = instance["metadata"].metadata
        return {
            "id": known["id"],
            "words": known["tokens"],
            "text": known.get("text"),
            "query": " ".join(known["query"]) if known.get("query") else None,
            "label": instance["label"].label if "label" in instance.fields else None,
        }

    # Misleading ones ----------------------------------------------------------------------------

    @property
    def can_mislead(self) -> bool:
        """Whether the model has attention, and words can be taken out of its texts."""
        lacks = self.model.model.lacks
        return lacks("attention") is None and lacks("embeddings") is None

    def misleading(self) -> dict[str, Any]:
        """
        Goes on searching for a moment. Of one text in five words at least one is named; texts on
        which attention does as well as deleting are none that mislead.
        """
        if self._instances is None or not self.can_mislead:
            return {"searched": 0, "of": 0, "texts": []}
        # Beginning from all over the data, so that what is found early is no more like than the rest.
        number = min(SEARCHED, len(self._instances))
        end = time.monotonic() + SECONDS
        while self._searched < number and time.monotonic() < end:
            position = self._searched * len(self._instances) // number
            misled = self._look_at(self._instances[position], position)
            if misled is not None:
                self._misled.append(misled)
            self._searched += 1
        worst = sorted(self._misled, key=lambda each: -each.size)[:MISLEADING]
        return {
            "searched": self._searched,
            "of": number,
            "texts": [vars(each) for each in worst],
        }

    def _look_at(self, instance: Instance, position: int) -> Misled | None:
        if len(instance["metadata"].metadata["tokens"]) < 2:
            return None
        verdict = self._asking.explained(instance, list(self._asking.methods)).verdict(
            permutations=0
        )
        of = verdict.methods
        if len(of) < 2:
            return None
        misled = Misled(
            position,
            verdict.output.label,
            verdict.output.probability,
            of["attention"].without.probability,
            of[DECISIVE["name"]].without.probability,
        )
        return misled if misled.size > 0 else None

    @property
    def _asking(self) -> OpenModel:
        """The model with just the methods that are compared."""
        if not hasattr(self, "_compared"):
            self._compared = OpenModel(
                self.model.name, self.model.model, self.model.reader, ["attention", DECISIVE]
            )
        return self._compared
