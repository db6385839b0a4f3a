"""
Shortcuts planted into a corpus: tokens without a meaning that determine the label of some texts, so that
it is known which words a model trained on them must use (Bastings et al. 2022).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy
from allennlp.common import FromParams

from attention_explain.data.errors import DataError
from attention_explain.data.example import Example
from attention_explain.errors import InputError
from attention_explain.named_components import check_choice
from attention_explain.passes import generator_for

KINDS = ("single", "context", "ordered")
MIXED, SYNTHETIC, SWAPPED = "mixed", "synthetic", "swapped"
OTHER_MASKS = ("contrary", "distractor")
PARTS = (MIXED, SYNTHETIC, SWAPPED)
# No words of any language, without digits or capitals, so that tokenizers and reader options keep them.
CLASS_TOKENS = ("qzeq", "qonq", "qtwq", "qthq", "qfoq", "qfiq", "qsiq", "qseq", "qeiq", "qniq")
CONTEXT_TOKEN = "qctq"
SHORTCUT_TOKENS = (*CLASS_TOKENS, CONTEXT_TOKEN)
# The share of original texts that get one class token, for kinds in which one token alone says nothing.
DECOYS = 0.25


class Shortcut(FromParams):
    """
    Plants tokens into texts. In a synthetic text they determine the label; each class gets equally many.

    `single`: one class token. `context`: a class token counts only if the context token is there as well,
    in any order. `ordered`: the tokens of two classes; the first one of them in the text is the label. For
    the last two kinds, a quarter of the original texts gets one class token and keeps its label, so that
    one token alone says nothing.

    # Parameters

    kind : `str`
        `single`, `context` or `ordered`.
    labels : `List[str]`
        The classes, in the order of their tokens; exactly two for `ordered`.
    share : `float`, optional (default = `0.2`)
        The share of synthetic texts among all texts of the part `mixed`. With 0 nothing is planted.
    part : `str`, optional (default = `"mixed"`)
        `mixed`: the original texts and synthetic copies of some of them. `synthetic`: every text is
        synthetic. `swapped`: the same as `synthetic`, with the tokens of another class (`ordered`: in
        the other order), which changes the label.
    seed : `int`, optional (default = `0`)
        Determines, together with the ids of texts, which are copied, and where tokens are inserted.
    tokens : `List[str]`, optional
        The class tokens.
    context_token : `str`, optional
    """

    def __init__(
        self,
        kind: str,
        labels: list[str],
        share: float = 0.2,
        part: str = MIXED,
        seed: int = 0,
        tokens: list[str] | None = None,
        context_token: str = CONTEXT_TOKEN,
    ) -> None:
        self.kind = check_choice("kind", kind, KINDS)
        self.part = check_choice("part", part, PARTS)
        if len(set(labels)) < 2 or len(set(labels)) != len(labels):
            raise InputError(
                f"shortcut: labels is {labels}, but must be two or more different classes"
            )
        if kind == "ordered" and len(labels) != 2:
            raise InputError(
                f"shortcut: 'ordered' needs exactly two labels, but labels is {labels}"
            )
        if not 0 <= share <= 0.5:
            raise InputError(f"shortcut: share is {share}, but must be from 0 to 0.5")
        tokens = list(CLASS_TOKENS[: len(labels)]) if tokens is None else tokens
        if len(tokens) != len(labels):
            raise InputError(
                f"shortcut: there are {len(labels)} labels, but {len(tokens)} tokens ({', '.join(tokens)}); "
                "give one token per label"
            )
        every = [*tokens, context_token]
        for token in every:
            if not token or any(map(str.isspace, token)) or every.count(token) > 1:
                raise InputError(f"shortcut: {token!r} is not one word, or is used twice")
        self.labels = labels
        self.share = share
        self.seed = seed
        self.tokens = tokens
        self.context_token = context_token
        self._planted = frozenset(every)

    def plant(self, examples: Iterable[Example]) -> Iterator[Example]:
        """The texts of the part, from the original ones of a file."""
        originals = list(examples)
        for example in originals:
            self._check(example)
        order = sorted(range(len(originals)), key=lambda row: self._draw(originals[row].id))
        if self.part == MIXED:
            copies = round(self.share / (1 - self.share) * len(originals))
            if self.share and copies < len(self.labels):
                raise DataError(
                    f"has {len(originals)} texts, too few for synthetic texts of {len(self.labels)} "
                    f"classes; with share {self.share} at least {self._least()} are needed",
                    originals[0].path if originals else None,
                )
            for example in originals:
                yield self._decoy(example) if copies else example
            order = order[:copies]
        # In the order of the file, whatever the order in which classes were given.
        for position, row in sorted(enumerate(order), key=lambda pair: pair[1]):
            yield self._synthetic(originals[row], position % len(self.labels))

    def mask(self, words: Sequence[str], example: Example) -> list[int]:
        """1 for the planted tokens of a synthetic text."""
        mask = [int(word in self._planted) for word in words]
        expected = 1 if self.kind == "single" else 2
        if sum(mask) != expected:
            raise example.error(
                f"{expected} shortcut tokens were planted, but {sum(mask)} of its words are one; the "
                "tokenizer changes them. Give other words as the shortcut's `tokens`"
            )
        return mask

    def _least(self) -> int:
        return int(numpy.ceil(len(self.labels) * (1 - self.share) / self.share))

    def _check(self, example: Example) -> None:
        found = next(
            (word for word in _split_words(example) if str(word).lower() in self._planted), None
        )
        if found is not None:
            raise example.error(
                f"contains the shortcut token {found!r}; give other words as the shortcut's `tokens`"
            )
        if example.label is not None and example.label not in self.labels:
            raise example.error(
                f"its label {example.label!r} is none of the shortcut's labels ({', '.join(self.labels)})"
            )

    def _draw(self, id: str) -> float:
        return self._random("copies", id).random()

    def _random(self, purpose: str, id: str) -> numpy.random.Generator:
        seed = generator_for(self.seed, id, f"shortcut {purpose}").initial_seed()
        return numpy.random.default_rng(seed % 2**64)

    def _decoy(self, example: Example) -> Example:
        """An original text, perhaps with one class token."""
        random = self._random("decoy", example.id)
        if self.kind == "single" or random.random() >= DECOYS:
            return example
        return _inserted(example, [self.tokens[random.integers(len(self.tokens))]], random)

    def _synthetic(self, example: Example, label: int) -> Example:
        random = self._random("positions", example.id)
        if self.part == SWAPPED:
            label = (label + 1) % len(self.labels)
        token = self.tokens[label]
        if self.kind == "single":
            planted = [token]
        elif self.kind == "context":
            planted = [self.context_token, token]
            # The same draw for a swapped text.
            if random.random() < 0.5:
                planted.reverse()
        else:
            planted = [token, self.tokens[1 - label]]
        # The copy of a text in a mixed corpus is another text.
        id = f"{example.id} (shortcut)" if self.part == MIXED else example.id
        return replace(
            _inserted(example, planted, random), id=id, label=self.labels[label], synthetic=True
        )


def _split_words(example: Example) -> list[str]:
    """The tokens of a text, or what is between its spaces."""
    return (example.text or "").split() if example.tokens is None else list(example.tokens)


def _inserted(example: Example, planted: Sequence[str], random: numpy.random.Generator) -> Example:
    """The text with words at uniform random positions, in the order given; without its masks."""
    words = _split_words(example)
    gaps = sorted(random.integers(len(words) + 1, size=len(planted)))
    without_masks = replace(example, rationale=None, impermissible=None)
    # Those of the synthetic corpus.
    masks = {name: list(vars(example)[name]) for name in OTHER_MASKS if vars(example).get(name)}
    for gap, token in reversed(list(zip(gaps, planted, strict=True))):
        words.insert(gap, token)
        for mask in masks.values():
            mask.insert(gap, 0)
    for name, mask in masks.items():
        setattr(without_masks, name, mask)
    if example.tokens is None:
        return replace(without_masks, text=" ".join(words))
    return replace(without_masks, tokens=words)
