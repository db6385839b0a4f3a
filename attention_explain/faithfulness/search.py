"""
The upper end of the scale: the token sets that a measure likes best, found by asking the model (Zhou
& Shah 2022). What no explanation can beat, as far as is known.
"""

from typing import Dict, List, Sequence, Set

import numpy
from allennlp.common import FromParams
from allennlp.common.checks import ConfigurationError

from attention_explain.faithfulness.order_measure import Found, FoundSets
from attention_explain.faithfulness.outputs import ErasedOutputs

# Of the random orders, so many are followed where more than one token is added at once.
FOLLOWED = 2
# Up to so many tokens a set grows one by one, whatever the steps of the measures.
SMALL = 32


class Search(FromParams):
    """
    A beam search over sets of tokens, from one token to as many as the measures look at: the sets of
    a size that change the class's probability most are those that the sets of the next size are made
    from. All methods' and random orders' sets are among them, and the best is taken over all sets
    that were run, so that nothing seen is better. For a mean over sizes it is the best chain of sets,
    each within the next: an order.

    It costs, for each erasure and direction, at most `width` x (`candidates` + methods + random
    orders) sets a size. Texts of at most `exact` tokens have all their sets run instead, and what is
    found is the best there is. In a text of more tokens than a measure has steps, sizes are
    those of the measure: a set then grows by the next tokens of a method's order, of the order of
    single tokens' effects or of two of the random ones, and in a text of more than `singles` tokens
    these effects are of neighbours together.

    # Parameters

    width : `int`, optional (default = `4`)
        Sets of a size that others are made from.
    candidates : `int`, optional (default = `8`)
        Tokens that each of them is tried with, those with the largest effect alone.
    exact : `int`, optional (default = `10`)
        Texts of up to so many tokens have all their sets run.
    singles : `int`, optional (default = `256`)
        Sets that are run for the effects of tokens alone.
    """

    def __init__(
        self, width: int = 4, candidates: int = 8, exact: int = 10, singles: int = 256
    ) -> None:
        for name, number, least in (
            ("width", width, 1),
            ("candidates", candidates, 1),
            ("exact", exact, 0),
            ("singles", singles, 1),
        ):
            if number < least:
                raise ConfigurationError(f"{name} is {number}, but must be {least} or more")
        if exact > 16:
            raise ConfigurationError(f"exact is {exact}, but more than 2 ** 16 sets are too many")
        self.width = width
        self.candidates = candidates
        self.exact = exact
        self.singles = singles

    def __call__(
        self,
        outputs: ErasedOutputs,
        targets: Sequence[int],
        keeps: bool,
        sizes: Sequence[Sequence[int]],
        orders: Sequence[numpy.ndarray],
        followed: Sequence[int],
    ) -> List[Found]:
        """
        # Parameters

        outputs : `ErasedOutputs`
        targets : `Sequence[int]`
            The explained class of each text.
        keeps : `bool`
            Whether the first of an order are kept alone, and their class is to be made probable; or
            are taken out, and it is to be made improbable.
        sizes : `Sequence[Sequence[int]]`
            Of each text, those that measures look at.
        orders : `Sequence[numpy.ndarray]`
            Of each text the ranks by methods, then by chance. Shape: (orders, tokens)
        followed : `Sequence[int]`
            How many of these are methods'.

        # Returns

        found : `List[Found]`
            Of each text, all sets of these sizes that were run.
        """
        searches = [
            _Text(self, keeps, target, of_sizes, ranks, methods)
            for target, of_sizes, ranks, methods in zip(
                targets, sizes, orders, followed, strict=True
            )
        ]

        def run(asked: Sequence[numpy.ndarray]) -> List[numpy.ndarray]:
            return outputs([sets if keeps else ~sets for sets in asked])

        singly = [text for text in searches if not text.all_sets and text.tokens <= self.singles]
        if singly and not keeps:
            outputs.remember_leave_one_out()
        for step in ("known", "effects"):
            asked = [getattr(text, step)() for text in searches]
            for text, sets, probs in zip(searches, asked, run(asked)):
                getattr(text, f"learn_{step}")(sets, probs)
        for level in range(max(len(text.levels) for text in searches)):
            asked = [text.children(level) for text in searches]
            for text, sets, probs in zip(searches, asked, run(asked)):
                text.add(sets, probs)
        return [text.found() for text in searches]


class _Text:
    """The search in one text."""

    def __init__(
        self,
        search: Search,
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
        self.add(sets, probs)

    def effects(self) -> numpy.ndarray:
        """Sets of one token, or of neighbours in a long text."""
        if self.all_sets:
            return numpy.zeros((0, self.tokens), dtype=bool)
        runs = runs_of_neighbours(self.tokens, self.search.singles)
        return runs == numpy.arange(runs.max() + 1)[:, None]

    def learn_effects(self, sets: numpy.ndarray, probs: numpy.ndarray) -> None:
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
