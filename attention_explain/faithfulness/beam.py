"""The search in one text: which sets to run next, and what is known of those that were."""

from typing import TYPE_CHECKING, Dict, List, Sequence, Set

import numpy

from attention_explain.faithfulness.order_measure import Found, FoundSets

if TYPE_CHECKING:
    from attention_explain.faithfulness.search import Search

# Of the random orders, so many are followed where more than one token is added at once.
FOLLOWED = 2
# Up to so many tokens a set grows one by one, whatever the steps of the measures.
SMALL = 32


class SearchedText:
    """
    # Parameters

    search : `Search`
        Its options.
    keeps : `bool`
        Whether the first of an order are kept alone, or taken out.
    target : `int`
        The explained class.
    sizes : `Sequence[int]`
        Those that measures look at.
    ranks : `numpy.ndarray`
        Of methods, then by chance. Shape: (orders, tokens)
    methods : `int`
        How many of these are methods'.
    """

    def __init__(
        self,
        search: "Search",
        keeps: bool,
        target: int,
        sizes: Sequence[int],
        ranks: numpy.ndarray,
        methods: int,
    ) -> None:
        self.search = search
        self.sign = 1.0 if keeps else -1.0
        self.target = target
        self.sizes = list(sizes)
        self.ranks = ranks
        self.tokens = ranks.shape[1]
        self.followed = numpy.argsort(ranks[: methods + FOLLOWED], axis=1)
        self.all_sets = self.tokens <= search.exact
        largest = min(max(sizes), self.tokens - 1)
        # One by one, unless the measures themselves take larger steps.
        single = self.all_sets or _is_single(self.sizes, self.tokens)
        self.levels = [] if self.all_sets else list(range(1, largest + 1))
        if not single:
            self.levels = [size for size in self.sizes if 0 < size < self.tokens]
        self._sets: Dict[int, List[numpy.ndarray]] = {}
        self._probs: Dict[int, List[numpy.ndarray]] = {}
        self._seen: Dict[int, Set[bytes]] = {}

    # Before the beam ------------------------------------------------------------------------------

    def known(self) -> numpy.ndarray:
        """The sets of the orders that are given; or all that there are."""
        if self.all_sets:
            numbers = numpy.arange(2**self.tokens)
            return (numbers[:, None] >> numpy.arange(self.tokens)) % 2 == 1
        sizes = sorted({*self.sizes, *self.levels})
        return (self.ranks[:, None, :] < numpy.array(sizes)[:, None]).reshape(-1, self.tokens)

    def learn_known(self, sets: numpy.ndarray, probs: numpy.ndarray) -> None:
        """Add sets of tokens whose outputs are already known."""
        self.add(sets, probs)

    def effects(self) -> numpy.ndarray:
        """Sets of one token, or of neighbours in a long text."""
        if self.all_sets:
            return numpy.zeros((0, self.tokens), dtype=bool)
        runs = runs_of_neighbours(self.tokens, self.search.singles)
        return runs == numpy.arange(runs.max() + 1)[:, None]

    def learn_effects(self, sets: numpy.ndarray, probs: numpy.ndarray) -> None:
        """Rank tokens by their effect on the output, from the outputs of runs of neighbours."""
        if self.all_sets:
            return
        if self.tokens <= self.search.singles:
            self.add(sets, probs)
        effect = self.sign * probs[:, self.target]
        of_tokens = effect[runs_of_neighbours(self.tokens, self.search.singles)]
        # Of equal effects, such as those of neighbours, the one that an order by chance has first.
        order = numpy.lexsort((self.ranks[-1], -of_tokens))
        self.by_effect = order
        self.followed = numpy.concatenate([self.followed, order[None]])

    # The beam ---------------------------------------------------------------------------------------

    def children(self, level: int) -> numpy.ndarray:
        """The sets of the next size to run. Shape: (sets, tokens)"""
        if level >= len(self.levels):
            return numpy.zeros((0, self.tokens), dtype=bool)
        size, before, parents = self.levels[level], 0, numpy.zeros((1, self.tokens), dtype=bool)
        if level > 0:
            before = self.levels[level - 1]
            parents = self._best(before)
        made = []
        for parent in parents:
            added = self._additions(parent, size - before)
            sets = numpy.repeat(parent[None], len(added), axis=0)
            numpy.put_along_axis(sets, added, True, axis=1)
            made.append(sets)
        return numpy.concatenate(made)

    def _additions(self, parent: numpy.ndarray, number: int) -> numpy.ndarray:
        """What a set is made larger by. Shape: (ways, number)"""
        left = ~parent
        ways = [order[left[order]][:number] for order in self.followed]
        if number == 1:
            alone = self.by_effect[left[self.by_effect]][: self.search.candidates]
            ways += list(alone[:, None])
        return numpy.unique(numpy.sort(ways, axis=1), axis=0)

    def _best(self, size: int) -> numpy.ndarray:
        probs = numpy.concatenate(self._probs[size])[:, self.target]
        order = numpy.argsort(-self.sign * probs, kind="stable")
        return numpy.concatenate(self._sets[size])[order[: self.search.width]]

    def add(self, sets: numpy.ndarray, probs: numpy.ndarray) -> None:
        """Sets of any sizes, each of which counts once."""
        sizes = sets.sum(axis=1)
        for size in numpy.unique(sizes):
            here = numpy.flatnonzero(sizes == size)
            seen = self._seen.setdefault(int(size), set())
            new = []
            for number in here:
                key = numpy.packbits(sets[number]).tobytes()
                if key not in seen:
                    seen.add(key)
                    new.append(number)
            self._sets.setdefault(int(size), []).append(sets[new])
            self._probs.setdefault(int(size), []).append(probs[new])

    def found(self) -> Found:
        """The sets of each size that the search has evaluated, with their outputs."""
        return {
            size: FoundSets(
                numpy.concatenate(self._sets[size]), numpy.concatenate(self._probs[size])
            )
            for size in self.sizes
        }


def runs_of_neighbours(tokens: int, most: int) -> numpy.ndarray:
    """
    Which run each token is in, of at most so many that are equally long; in a short text each is a
    run of its own. Shape: (tokens,)
    """
    return numpy.arange(tokens) // -(-tokens // most)


def _is_single(sizes: Sequence[int], tokens: int) -> bool:
    """Whether to go token by token costs hardly more than in the steps of the measures."""
    steps = [size for size in sizes if 0 < size < tokens]
    return not steps or max(steps) <= max(SMALL, 2 * len(steps))
