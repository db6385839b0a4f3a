"""
Beam search for the best ranking of a measure, by querying the model (Zhou & Shah 2022): the upper end
of the normalised scale.
"""

from collections.abc import Sequence

import numpy
from allennlp.common import FromParams

from attention_explain.errors import InputError
from attention_explain.faithfulness.ranking_measure import SearchResult, SetOutputs
from attention_explain.faithfulness.removal import RemovalOutputs


class Search(FromParams):
    """
    A beam search over token sets, from one token to the largest size that the measures evaluate. The
    sets of one size that change the probability of the class most are extended to the next size. The
    sets of all methods and random rankings take part, and the best is taken over all evaluated sets,
    so that no method can be better. For a mean over sizes, the result is the best chain of nested
    sets, that is, a ranking.

    The cost, for each removal method and direction, is at most `width` x (`candidates` + methods +
    random rankings) sets per size. In texts of at most `exact` tokens all sets are evaluated, and the
    result is optimal. In texts of more tokens than a measure has steps, the sizes are those of the
    measure: a set then grows by the next tokens of a method's ranking, of the ranking by single-token
    effects, or of two random rankings; in texts of more than `singles` tokens these effects are those
    of runs of neighbours.

    # Parameters

    width : `int`, optional (default = `4`)
        The number of sets of each size that are extended.
    candidates : `int`, optional (default = `8`)
        The number of tokens tried as an extension of each set, by largest single-token effect.
    exact : `int`, optional (default = `10`)
        The largest number of tokens for which all sets are evaluated.
    singles : `int`, optional (default = `256`)
        The number of sets evaluated for single-token effects.
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
                raise InputError(f"{name} is {number}, but must be {least} or more")
        if exact > 16:
            raise InputError(f"exact is {exact}, but more than 2 ** 16 sets are too many")
        self.width = width
        self.candidates = candidates
        self.exact = exact
        self.singles = singles

    def __call__(
        self,
        outputs: RemovalOutputs,
        targets: Sequence[int],
        keeps: bool,
        sizes: Sequence[Sequence[int]],
        orders: Sequence[numpy.ndarray],
        followed: Sequence[int],
    ) -> list[SearchResult]:
        """
        # Parameters

        outputs : `RemovalOutputs`
        targets : `Sequence[int]`
            The explained class of each text.
        keeps : `bool`
            Whether only the top tokens are kept and the class should become probable; otherwise they
            are removed and it should become improbable.
        sizes : `Sequence[Sequence[int]]`
            For each text, the set sizes that measures evaluate.
        orders : `Sequence[numpy.ndarray]`
            For each text, the ranks of the methods, then random ones. Shape: (rankings, tokens)
        followed : `Sequence[int]`
            For each text, the number of methods.

        # Returns

        found : `List[SearchResult]`
            For each text, all evaluated sets of these sizes.
        """
        searches = [
            BeamSearch(self, keeps, target, of_sizes, ranks, methods)
            for target, of_sizes, ranks, methods in zip(
                targets, sizes, orders, followed, strict=True
            )
        ]

        def run(asked: Sequence[numpy.ndarray]) -> list[numpy.ndarray]:
            return outputs([sets if keeps else ~sets for sets in asked])

        singly = [text for text in searches if not text.all_sets and text.tokens <= self.singles]
        if singly and not keeps:
            outputs.remember_leave_one_out()
        asked = [text.known() for text in searches]
        for text, sets, probs in zip(searches, asked, run(asked)):
            text.learn_known(sets, probs)
        asked = [text.effects() for text in searches]
        for text, sets, probs in zip(searches, asked, run(asked)):
            text.learn_effects(sets, probs)
        for level in range(max(len(text.levels) for text in searches)):
            asked = [text.children(level) for text in searches]
            for text, sets, probs in zip(searches, asked, run(asked)):
                text.add(sets, probs)
        return [text.found() for text in searches]


# The number of random rankings to follow when more than one token is added at once.
FOLLOWED = 2
# Up to this size sets grow token by token, whatever the steps of the measures.
SMALL = 32


class BeamSearch:
    """
    The search in one text: which sets to evaluate next, and the outputs of those evaluated.

    # Parameters

    search : `Search`
        Its options.
    keeps : `bool`
        Whether only the top tokens are kept; otherwise they are removed.
    target : `int`
        The explained class.
    sizes : `Sequence[int]`
        The set sizes that measures evaluate.
    ranks : `numpy.ndarray`
        Those of the methods, then random ones. Shape: (rankings, tokens)
    methods : `int`
        The number of methods.
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
        # Token by token, unless the measures themselves take larger steps.
        single = self.all_sets or _is_single(self.sizes, self.tokens)
        self.levels = [] if self.all_sets else list(range(1, largest + 1))
        if not single:
            self.levels = [size for size in self.sizes if 0 < size < self.tokens]
        self._sets: dict[int, list[numpy.ndarray]] = {}
        self._probs: dict[int, list[numpy.ndarray]] = {}
        self._seen: dict[int, set[bytes]] = {}

    # Before the beam ------------------------------------------------------------------------------

    def known(self) -> numpy.ndarray:
        """The sets of the given rankings; or all sets of a short text."""
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
        # Ties, such as those of neighbours, are broken by a random ranking.
        order = numpy.lexsort((self.ranks[-1], -of_tokens))
        self.by_effect = order
        self.followed = numpy.concatenate([self.followed, order[None]])

    # The beam ---------------------------------------------------------------------------------------

    def children(self, level: int) -> numpy.ndarray:
        """The sets of the next size to evaluate. Shape: (sets, tokens)"""
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
        """The tokens by which a set can be extended. Shape: (ways, number)"""
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
        """Add evaluated sets of any sizes; duplicates are skipped."""
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

    def found(self) -> SearchResult:
        """The evaluated sets of each size, with their outputs."""
        return {
            size: SetOutputs(
                numpy.concatenate(self._sets[size]), numpy.concatenate(self._probs[size])
            )
            for size in self.sizes
        }


def runs_of_neighbours(tokens: int, most: int) -> numpy.ndarray:
    """
    The index of the run that each token is in, for at most `most` runs of equal length; in a short
    text each token is a run of its own. Shape: (tokens,)
    """
    return numpy.arange(tokens) // -(-tokens // most)


def _is_single(sizes: Sequence[int], tokens: int) -> bool:
    """Whether growing token by token costs hardly more than the steps of the measures."""
    steps = [size for size in sizes if 0 < size < tokens]
    return not steps or max(steps) <= max(SMALL, 2 * len(steps))
