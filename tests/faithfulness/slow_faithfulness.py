"""
Erased texts by really erasing, one text and one pass at a time; and measures of an order written
from their definitions, with plain lists.
"""

import itertools
from collections.abc import Callable, Sequence

import torch

from attention_explain.models import AttentionClassifier
from attention_explain.symbols import MASK_TOKEN
from tests.interpret.slow_removal import logits_of_words, one_text

# p(label) for all labels, of a text with only these tokens left.
Probabilities = Callable[[Sequence[int]], list[float]]


def slow_outputs(
    model: AttentionClassifier,
    words: list[str],
    erasure: str,
    bounded: bool = False,
    drawn: list[list[str]] | None = None,
) -> Probabilities:
    """`drawn` are the words of each draw of `marginal`."""

    @torch.no_grad()
    def probabilities(kept: Sequence[int]) -> list[float]:
        if erasure == "delete":
            left = [word for position, word in enumerate(words) if position in kept]
            if not left:
                empty = torch.zeros(model.decoder.in_features, dtype=model.decoder.weight.dtype)
                return model.decoder(empty).softmax(-1).tolist()
            return logits_of_words(model, left, bounded).softmax(-1).tolist()
        if erasure == "zero":
            text = one_text(model, words, bounded)
            embeddings = model.embed(text.tokens)
            for position in range(len(words)):
                if position not in kept:
                    embeddings[0, position + (1 if bounded else 0)] = 0.0
            states = model.encode(embeddings, text.inputs)
            return model.decode(states, model.attend(states, text.inputs)).softmax(-1)[0].tolist()
        others = {"unk": [["@@UNKNOWN@@"] * len(words)], "mask": [[MASK_TOKEN] * len(words)]}
        found = [
            logits_of_words(
                model,
                [word if i in kept else other[i] for i, word in enumerate(words)],
                bounded,
            ).softmax(-1)
            for other in others.get(erasure, drawn)
        ]
        return (sum(found) / len(found)).tolist()

    return probabilities


def first(order: Sequence[int], number: int) -> list[int]:
    return list(order)[:number]


def others(order: Sequence[int], number: int) -> list[int]:
    return list(order)[number:]


def bin_size(share: float, tokens: int) -> int:
    return max(1, int(share * tokens + 0.5))


def clipped(value: float) -> float:
    return min(1.0, max(0.0, value))


def comprehensiveness(p: Probabilities, order: Sequence[int], label: int, bins) -> dict:
    whole = p(order)[label]
    empty = p([])[label]
    plain = [whole - p(others(order, bin_size(k, len(order))))[label] for k in bins]
    nothing = clipped(whole - empty)
    undefined = nothing < 1e-5
    carton = [None if undefined else clipped(clipped(value) / nothing) for value in plain]
    return _with_means("comprehensiveness", bins, plain, carton)


def sufficiency(p: Probabilities, order: Sequence[int], label: int, bins) -> dict:
    whole = p(order)[label]
    empty = p([])[label]
    plain = [whole - p(first(order, bin_size(k, len(order))))[label] for k in bins]
    nothing = clipped(whole - empty)
    undefined = nothing < 1e-5
    carton = [None if undefined else clipped(1 - clipped(value) / nothing) for value in plain]
    return _with_means("sufficiency", bins, plain, carton)


def _with_means(name: str, bins, plain: list[float], carton: list[float | None]) -> dict:
    rows = {(name, k): value for k, value in zip(bins, plain)}
    rows[name, None] = sum(plain) / len(plain)
    rows.update({(f"normalised_{name}", k): value for k, value in zip(bins, carton)})
    rows[f"normalised_{name}", None] = None if None in carton else sum(carton) / len(carton)
    return rows


def deletion_heights(p: Probabilities, order: Sequence[int], label: int) -> list[float]:
    return [p(others(order, number))[label] for number in range(len(order) + 1)]


def insertion_heights(p: Probabilities, order: Sequence[int], label: int) -> list[float]:
    return [p(first(order, number))[label] for number in range(len(order) + 1)]


def area(heights: list[float]) -> float:
    steps = len(heights) - 1
    return sum((left + right) / 2 / steps for left, right in itertools.pairwise(heights))


def decision_flip(p: Probabilities, order: Sequence[int]) -> dict:
    def decision(kept: Sequence[int]) -> int:
        probs = p(kept)
        return probs.index(max(probs))

    whole = decision(order)
    flips = [
        number for number in range(1, len(order) + 1) if decision(others(order, number)) != whole
    ]
    return {
        ("decision_flip", None): flips[0] / len(order) if flips else 1.0,
        ("decision_flip_first", None): float(1 in flips),
        ("decision_flip_never", None): float(not flips),
    }


def remembering(p: Probabilities) -> Probabilities:
    """Each set once, for enumerations."""
    known: dict[frozenset, list[float]] = {}

    def probabilities(kept: Sequence[int]) -> list[float]:
        key = frozenset(kept)
        if key not in known:
            known[key] = p(sorted(key))
        return known[key]

    return probabilities


def all_orders(tokens: int):
    return itertools.permutations(range(tokens))
