"""
The upper end of the scale: the token sets that a measure likes best, found by asking the model (Zhou
& Shah 2022). What no explanation can beat, as far as is known.
"""

from typing import List, Sequence

import numpy
from allennlp.common import FromParams

from attention_explain.errors import InputError
from attention_explain.faithfulness.beam import SearchedText
from attention_explain.faithfulness.order_measure import Found
from attention_explain.faithfulness.outputs import ErasedOutputs


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
                raise InputError(f"{name} is {number}, but must be {least} or more")
        if exact > 16:
            raise InputError(f"exact is {exact}, but more than 2 ** 16 sets are too many")
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
            SearchedText(self, keeps, target, of_sizes, ranks, methods)
            for target, of_sizes, ranks, methods in zip(
                targets, sizes, orders, followed, strict=True
            )
        ]

        def run(asked: Sequence[numpy.ndarray]) -> List[numpy.ndarray]:
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
