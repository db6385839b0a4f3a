"""
What transformers itself says of texts that really lack some words, or have something else in their
place: one text and one pass at a time.
"""

from pathlib import Path
from typing import List, Sequence

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer


class Plain:
    """A folder's classifier, in double precision, without anything of ours."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder, add_prefix_space=True)
        model = AutoModelForSequenceClassification.from_pretrained(folder)
        self.model = model.double().eval()

    @torch.no_grad()
    def of_text(self, words: Sequence[str]) -> List[float]:
        """The probabilities of these words as a text of their own."""
        read = self.tokenizer(" ".join(words), return_tensors="pt")
        return self.model(**read).logits[0].softmax(-1).tolist()

    def read(self, words: Sequence[str]):
        """The numbers of the pieces of a text, and of which word each is. Shape: (1, places)"""
        read = self.tokenizer(list(words), is_split_into_words=True, return_tensors="pt")
        return read["input_ids"], read.word_ids()

    def embedded(self, ids: torch.Tensor) -> torch.Tensor:
        return self.model.get_input_embeddings()(ids)

    def of_embeddings(self, embeddings: torch.Tensor) -> torch.Tensor:
        """Shape: (rows, places, dim) -> (rows, labels)"""
        return self.model(inputs_embeds=embeddings).logits.softmax(-1)

    def vector(self, baseline: str) -> torch.Tensor:
        """What stands at the place of a piece that is not there."""
        weights = self.model.get_input_embeddings().weight
        if baseline == "zero":
            return torch.zeros_like(weights[0])
        return weights[getattr(self.tokenizer, f"{baseline}_token_id")]

    @torch.no_grad()
    def replaced(self, words: Sequence[str], kept: Sequence[int], baseline: str) -> List[float]:
        """The probabilities of a text with something else at the pieces of all other words."""
        ids, units = self.read(words)
        embeddings = self.embedded(ids).clone()
        for place, unit in enumerate(units):
            if unit is not None and unit not in kept:
                embeddings[0, place] = self.vector(baseline)
        return self.of_embeddings(embeddings)[0].tolist()
