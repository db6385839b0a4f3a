"""All measures of orders, of all methods, on the texts of a batch, with both ends of the scale."""

from dataclasses import dataclass
from typing import Dict, List, Mapping, Sequence

import numpy

from attention_explain.faithfulness.order_measure import ErasedText, Found, OrderMeasure
from attention_explain.faithfulness.outputs import ErasedOutputs
from attention_explain.faithfulness.scale import normalised
from attention_explain.faithfulness.search import Search
from attention_explain.files.faithfulness import RANDOM, SEARCH, Measurement


@dataclass
class OrderedText:
    """
    target : the explained class.
    ranks : the place of each token in the order of each method. Shape: (tokens,)
    chance : the same of random orders. Shape: (orders, tokens)
    """

    target: int
    ranks: Dict[str, numpy.ndarray]
    chance: numpy.ndarray

    @property
    def tokens(self) -> int:
        """The number of tokens."""
        return self.chance.shape[1]

    def all_ranks(self) -> numpy.ndarray:
        """The methods' first. Shape: (orders, tokens)"""
        return numpy.concatenate([*(ranks[None] for ranks in self.ranks.values()), self.chance])


def measure_orders(
    measures: Mapping[str, OrderMeasure],
    outputs: ErasedOutputs,
    erasure: str,
    texts: Sequence[OrderedText],
    search: Search,
) -> List[List[Measurement]]:
    """Of each text the rows of its methods, of `random` and of `search`."""
    ends = outputs([numpy.array([[True], [False]]).repeat(text.tokens, axis=1) for text in texts])
    erased = [
        ErasedText(text.tokens, text.target, whole, empty)
        for text, (whole, empty) in zip(texts, ends, strict=True)
    ]
    rows: List[List[Measurement]] = [[] for _ in texts]
    for keeps in (False, True):
        some = {name: measure for name, measure in measures.items() if measure.keeps == keeps}
        if not some:
            continue
        sizes = sizes_of(measures, texts, keeps)
        probs = along(outputs, texts, sizes, keeps)
        best_sets = search(
            outputs,
            [text.target for text in texts],
            keeps,
            sizes,
            [text.all_ranks() for text in texts],
            [len(text.ranks) for text in texts],
        )
        for number, text in enumerate(texts):
            for name, measure in some.items():
                of_measure = [sizes[number].index(size) for size in measure.sizes(text.tokens)]
                rows[number] += _rows(
                    name,
                    measure,
                    erasure,
                    text,
                    erased[number],
                    probs[number][:, of_measure],
                    best_sets[number],
                )
    return rows


def sizes_of(
    measures: Mapping[str, OrderMeasure], texts: Sequence[OrderedText], keeps: bool
) -> List[List[int]]:
    """Of each text, all sizes that measures of one kind look at."""
    some = [measure for measure in measures.values() if measure.keeps == keeps]
    return [
        sorted({size for measure in some for size in measure.sizes(text.tokens)}) for text in texts
    ]


def along(
    outputs: ErasedOutputs,
    texts: Sequence[OrderedText],
    sizes: Sequence[Sequence[int]],
    keeps: bool,
) -> List[numpy.ndarray]:
    """Of each text, at each size of each of its orders. Shape: (orders, sizes, labels)"""
    asked = []
    for text, of_text in zip(texts, sizes, strict=True):
        first = text.all_ranks()[:, None, :] < numpy.array(of_text)[:, None]
        asked.append((first if keeps else ~first).reshape(-1, text.tokens))
    return [
        probs.reshape(-1, len(of_text), probs.shape[-1])
        for probs, of_text in zip(outputs(asked), sizes, strict=True)
    ]


def _rows(
    name: str,
    measure: OrderMeasure,
    erasure: str,
    text: OrderedText,
    erased: ErasedText,
    probs: numpy.ndarray,
    best_sets: Found,
) -> List[Measurement]:
    values = measure.values(probs, erased)
    methods = len(text.ranks)
    chance = values[methods:].mean(axis=0)
    best = measure.best(best_sets, erased)
    rows = []
    for method, quantities in zip(
        [*text.ranks, RANDOM, SEARCH], [*values[:methods], chance, best], strict=True
    ):
        curve = None
        if method in text.ranks:
            curve = measure.curve(probs[list(text.ranks).index(method)], erased)
        elif method == RANDOM:
            curve = measure.curve(probs[methods:].mean(axis=0), erased)
        for place, quantity in enumerate(measure.quantities(text.tokens)):
            value = float(quantities[place])
            row = Measurement(method, measure.called(quantity.name, name), erasure, quantity.k)
            rows.append(row)
            if numpy.isnan(value):
                row.undefined = measure.why_undefined(erased)
                continue
            row.value = value
            row.normalised = normalised(
                value, chance[place], best[place], quantity.higher_is_better
            )
            row.curve = curve
    return rows
