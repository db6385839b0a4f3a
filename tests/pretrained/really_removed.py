"""
What transformers itself says of texts that really lack some words, or have something else in their
position: one text and one pass at a time.
"""

import re
from collections.abc import Collection
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

# A word, or marks that are none, each with the white space before it.
WORD = re.compile(r"\s*(\w+|[^\w\s]+)")


def words_of(text: str) -> list[str]:
    return WORD.findall(text)


class Plain:
    """A folder's classifier, in double precision, without anything of ours."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        model = AutoModelForSequenceClassification.from_pretrained(folder)
        self.model = model.double().eval()

    @torch.no_grad()
    def of_text(self, text: str) -> list[float]:
        """The probabilities of a text."""
        read = self.tokenizer(text, return_tensors="pt")
        return self.model(**read).logits[0].softmax(-1).tolist()

    def of_words(self, text: str, kept: Collection[int]) -> list[float]:
        """Those of a text without the other words, and without the white space before them."""
        words = enumerate(WORD.finditer(text))
        return self.of_text("".join(found[0] for position, found in words if position in kept))

    def read(self, text: str):
        """The numbers of the pieces of a text, and of which word each is. Shape: (1, positions)"""
        read = self.tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
        ends = [found.end() for found in WORD.finditer(text)]
        special = self.tokenizer.get_special_tokens_mask(
            read["input_ids"][0].tolist(), already_has_special_tokens=True
        )
        # Unknown pieces are called special, too, but only the others stand for no character.
        units = [
            None if mark and end == 0 else sum(start >= end_of_word for end_of_word in ends)
            for mark, (start, end) in zip(special, read["offset_mapping"][0].tolist(), strict=True)
        ]
        return read["input_ids"], units

    def embedded(self, ids: torch.Tensor) -> torch.Tensor:
        return self.model.get_input_embeddings()(ids)

    def of_embeddings(self, embeddings: torch.Tensor) -> torch.Tensor:
        """Shape: (rows, positions, dim) -> (rows, labels)"""
        mask = torch.ones(embeddings.shape[:2], dtype=torch.long)
        return self.model(inputs_embeds=embeddings, attention_mask=mask).logits.softmax(-1)

    def vector(self, baseline: str) -> torch.Tensor:
        """The replacement of a removed piece."""
        weights = self.model.get_input_embeddings().weight
        if baseline == "zero":
            return torch.zeros_like(weights[0])
        return weights[getattr(self.tokenizer, f"{baseline}_token_id")]

    @torch.no_grad()
    def replaced(self, text: str, kept: Collection[int], baseline: str) -> list[float]:
        """The probabilities of a text with something else at the pieces of all other words."""
        ids, units = self.read(text)
        embeddings = self.embedded(ids).clone()
        for position, unit in enumerate(units):
            if unit is not None and unit not in kept:
                embeddings[0, position] = self.vector(baseline)
        return self.of_embeddings(embeddings)[0].tolist()
