"""
The effects of words on the model's output, averaged over random permutations of the words: how much each
word moves the output (its relevance) and which way (its contribution, the Shapley value).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy
import torch
from allennlp.common import FromParams
from allennlp.data import Instance

from attention_explain.errors import InputError
from attention_explain.faithfulness.removal import RemovalMethod, RemovalOutputs
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.model_outputs import SIGMOID, SOFTMAX, head_of
from attention_explain.models import AttentionClassifier
from attention_explain.named_components import check_choice
from attention_explain.passes import PAIRS, generator_for, rows_by_length, untouched

# The outputs whose changes are measured.
PROBABILITY, LOGITS = "probability", "logits"
OUTPUTS = (PROBABILITY, LOGITS)
AUTO = "auto"
# The number of permutations that the choice begins with: with fewer, standard errors are uncertain.
FIRST = 16
# A permutation and its reverse are evaluated together.
TOGETHER = 2
# Standard errors need two pairs.
FEWEST = 2 * TOGETHER
# Probabilities below this count as this, so that their logarithms are finite.
LEAST_PROBABILITY = 1e-300
# The number of token sets per batch whose outputs are kept for other measures.
REMEMBERED = 2**18


@dataclass(frozen=True)
class WordEffects:
    """
    The effects of the words of one text.

    relevance : mean over permutations of the distance between the outputs with and without the word,
        given the words before it. Shape: (tokens,)
    contribution : the same mean of the change of the explained class: the Shapley value. Shape:
        (tokens,)
    relevance_error, contribution_error : standard errors of these means; 0 if all sets were evaluated.
        Shape: (tokens,)
    reliability : split-half reliability of the relevance, from 0 to 1; None if it is constant.
    output : `probability` or `logits`.
    permutations : the number of permutations; 0 if all sets were evaluated.
    """

    relevance: numpy.ndarray
    contribution: numpy.ndarray
    relevance_error: numpy.ndarray
    contribution_error: numpy.ndarray
    reliability: float | None
    output: str
    permutations: int


@dataclass(frozen=True)
class Sampling:
    """
    How the effects of words are estimated for one model, data set and removal method.

    permutations : the number of permutations per text.
    output : `probability` or `logits`.
    reliability : mean split-half reliability of the relevance over the pilot texts, by output; None if
        it is undefined in all of them.
    texts : the number of pilot texts.
    problem : why the estimates are not reliable; None if they are.
    """

    permutations: int
    output: str
    reliability: dict[str, float | None]
    texts: int
    problem: str | None = None


@dataclass(frozen=True)
class SamplingOptions(FromParams):
    """
    How the number of permutations and the output are chosen: on pilot texts, the number is doubled until
    the mean split-half reliability of the relevance reaches a threshold.

    # Parameters

    permutations : `int`, optional (default = chosen on the pilot texts)
        A fixed number of permutations.
    output : `str`, optional (default = `"auto"`)
        `probability`, `logits` (centred), or `auto`: the one that is reliable with fewer permutations.
    reliability : `float`, optional (default = `0.9`)
        The threshold.
    most : `int`, optional (default = `128`)
        The largest number of permutations.
    pilot : `int`, optional (default = `20`)
        The number of pilot texts.
    seed : `int`, optional (default = `0`)
        Determines the permutations, together with the text's id, and the pilot texts.
    """

    permutations: int | None = None
    output: str = AUTO
    reliability: float = 0.9
    most: int = 128
    pilot: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("output", self.output, (AUTO, *OUTPUTS))
        if self.permutations is not None and self.permutations < FEWEST:
            raise InputError(f"permutations is {self.permutations}, but must be {FEWEST} or more")
        if not 0 < self.reliability < 1:
            raise InputError(f"reliability is {self.reliability}, but must be between 0 and 1")
        if self.most < FIRST:
            raise InputError(f"most is {self.most}, but must be {FIRST} or more")
        if self.pilot < 1:
            raise InputError(f"pilot is {self.pilot}, but must be 1 or more")

    @property
    def outputs(self) -> tuple[str, ...]:
        """The outputs to choose from."""
        return OUTPUTS if self.output == AUTO else (self.output,)

    def numbers(self) -> list[int]:
        """The numbers of permutations to try, in ascending order."""
        if self.permutations is not None:
            return [self.permutations]
        doubled = [FIRST * 2**step for step in range(int(math.log2(self.most / FIRST)) + 1)]
        return doubled if doubled[-1] == self.most else [*doubled, self.most]

    def pilot_texts(self, instances: Sequence[Instance]) -> list[Instance]:
        """The pilot texts: the first in an order that depends on the seed and the ids only."""

        def key(instance: Instance) -> float:
            generator = generator_for(self.seed, instance["metadata"].metadata["id"], "pilot")
            return float(torch.rand((), generator=generator, dtype=torch.double))

        return sorted(instances, key=key)[: self.pilot]


@dataclass
class _Samples:
    """
    The effects in one text, for both outputs, of each pair of permutations.

    absolute, signed : distances, and changes of the explained class. Shape: (outputs, pairs, tokens)
    """

    absolute: numpy.ndarray
    signed: numpy.ndarray
    exact: bool = False

    def effects(self, output: str, pairs: int) -> WordEffects:
        which = OUTPUTS.index(output)
        absolute, signed = self.absolute[which, :pairs], self.signed[which, :pairs]
        return WordEffects(
            absolute.mean(axis=0),
            signed.mean(axis=0),
            self._error(absolute),
            self._error(signed),
            1.0 if self.exact else split_half_reliability(absolute),
            output,
            0 if self.exact else TOGETHER * len(absolute),
        )

    def _error(self, values: numpy.ndarray) -> numpy.ndarray:
        if self.exact:
            return numpy.zeros(values.shape[1])
        return values.std(axis=0, ddof=1) / math.sqrt(len(values))


def split_half_reliability(samples: numpy.ndarray) -> float | None:
    """
    The correlation r of the means of every other sample, corrected for the full number of samples
    (Spearman-Brown): 2 r / (1 + r). 0 if r is negative; None if either mean is constant.
    Shape: (samples, tokens)
    """
    halves = [samples[first::2].mean(axis=0) for first in (0, 1)]
    if any(half.max() == half.min() for half in halves):
        return None
    correlation = float(numpy.corrcoef(halves)[0, 1])
    return 2 * correlation / (1 + correlation) if correlation > 0 else 0.0


class PermutationSampler:
    """
    Samples the effects of the words in the texts of a batch. In a text of few tokens, all sets of tokens
    are evaluated as soon as that takes no more sets than the permutations, and the effects are exact.

    # Parameters

    outputs : `RemovalOutputs`
    targets : `Sequence[int]`
        The explained class of each text.
    seed : `int`
    """

    def __init__(self, outputs: RemovalOutputs, targets: Sequence[int], seed: int = 0) -> None:
        self._outputs = outputs
        self._targets = targets
        self._generators = [
            generator_for(seed, text_id, "permutations") for text_id in outputs.batch.ids
        ]
        self._tokens = [len(words) for words in outputs.batch.words]
        self._samples: list[list[_Samples]] = [[] for _ in self._tokens]
        self._pairs = 0

    def grow(self, permutations: int) -> None:
        """Evaluate further permutations, up to this number (rounded up to an even number)."""
        exact = [
            text
            for text, tokens in enumerate(self._tokens)
            if 2**tokens <= permutations * (tokens + 1) and not self._is_exact(text)
        ]
        if exact:
            self._evaluate_all_sets(exact)
        wanted = -(-permutations // TOGETHER)
        labels = self._outputs.labels
        values = sum((tokens + 1) * max(tokens, labels) for tokens in self._tokens)
        at_once = max(1, PAIRS // (TOGETHER * values))
        remember = TOGETHER * wanted * (sum(self._tokens) + len(self._tokens)) <= REMEMBERED
        while self._pairs < wanted:
            number = min(at_once, wanted - self._pairs)
            self._evaluate(number, remember)
            self._pairs += number

    def effects(self, output: str, permutations: int) -> list[WordEffects]:
        """The effects in each text, from the first permutations."""
        pairs = -(-permutations // TOGETHER)
        return [
            (samples[0] if len(samples) == 1 else _joined(samples)).effects(output, pairs)
            for samples in self._samples
        ]

    def _is_exact(self, text: int) -> bool:
        return bool(self._samples[text]) and self._samples[text][0].exact

    def _evaluate_all_sets(self, texts: Sequence[int]) -> None:
        asked = [numpy.zeros((0, tokens), dtype=bool) for tokens in self._tokens]
        for text in texts:
            tokens = self._tokens[text]
            asked[text] = (numpy.arange(2**tokens)[:, None] >> numpy.arange(tokens)) % 2 == 1
        found = self._outputs(asked)
        for text in texts:
            self._samples[text] = [_all_sets(asked[text], *self._values(found[text], text))]

    def _evaluate(self, pairs: int, remember: bool) -> None:
        """Evaluate as many further pairs of permutations in every text that is not exact."""
        asked, ranks = [], []
        for text, tokens in enumerate(self._tokens):
            if self._is_exact(text):
                ranks.append(numpy.zeros((0, tokens), dtype=numpy.int64))
            else:
                generator = self._generators[text]
                drawn = [torch.randperm(tokens, generator=generator).numpy() for _ in range(pairs)]
                ranks.append(numpy.array([way for one in drawn for way in (one, tokens - 1 - one)]))
            before = ranks[-1][:, None, :] < numpy.arange(tokens + 1)[:, None]
            asked.append(before.reshape(-1, tokens))
        found = self._outputs(asked, remember)
        for text, (of_text, probs) in enumerate(zip(ranks, found)):
            if len(of_text):
                along = probs.reshape(len(of_text), self._tokens[text] + 1, -1)
                self._samples[text].append(_along(of_text, *self._values(along, text)))

    def _values(self, probs: numpy.ndarray, text: int) -> tuple[list[numpy.ndarray], int]:
        """The outputs, in the order of `OUTPUTS`, and the explained class. Shape: (..., sets, labels)"""
        target, head = self._targets[text], head_of(self._outputs.model)
        if head == SOFTMAX:
            whole = probs[-1] if probs.ndim == 2 else probs[0, -1]
            return [probs, centred_logits(probs, whole > 0)], target
        # As of two classes, the label and the rest; a number is taken as it is.
        own = probs[..., target]
        odds = own
        if head == SIGMOID:
            rest = numpy.maximum(1 - own, LEAST_PROBABILITY)
            odds = numpy.log(numpy.maximum(own, LEAST_PROBABILITY) / rest) / 2
        return [numpy.stack([-each, each], axis=-1) for each in (own, odds)], 1


def _along(ranks: numpy.ndarray, outputs: Sequence[numpy.ndarray], target: int) -> _Samples:
    """
    The effects of each word when it joins those before it.
    Shape: (permutations, tokens), (permutations, tokens + 1, labels)
    """
    samples = []
    for which, values in enumerate(outputs):
        changes = numpy.diff(values, axis=1)
        samples.append([_distance(changes, which == 0), changes[..., target]])
    # By step, then by word. Shape: (outputs, 2, permutations, tokens)
    by_step = numpy.array(samples)
    by_word = numpy.take_along_axis(by_step, ranks[None, None], axis=-1)
    pairs = by_word.reshape(*by_word.shape[:2], -1, TOGETHER, by_word.shape[-1]).mean(axis=3)
    return _Samples(pairs[:, 0], pairs[:, 1])


def _all_sets(sets: numpy.ndarray, outputs: Sequence[numpy.ndarray], target: int) -> _Samples:
    """
    The mean over all permutations, from all sets: the words before a word are any set of a given size
    with equal probability, and all sizes are equally likely. Set number s has the tokens of its bits.
    Shape: (sets, tokens), (sets, labels)
    """
    tokens = sets.shape[1]
    numbers, sizes = numpy.arange(len(sets)), sets.sum(axis=1)
    samples = numpy.empty((2, 2, 1, tokens))
    for which, values in enumerate(outputs):
        for token in range(tokens):
            before = numbers[~sets[:, token]]
            weights = [1 / (tokens * math.comb(tokens - 1, size)) for size in sizes[before]]
            changes = values[before + (1 << token)] - values[before]
            samples[which, 0, 0, token] = weights @ _distance(changes, which == 0)
            samples[which, 1, 0, token] = weights @ changes[:, target]
    return _Samples(samples[:, 0], samples[:, 1], exact=True)


def _distance(changes: numpy.ndarray, of_probabilities: bool) -> numpy.ndarray:
    """Total variation distance, or the mean absolute difference of centred logits. Shape: (..., labels)"""
    sizes = numpy.abs(changes)
    return sizes.sum(axis=-1) / 2 if of_probabilities else sizes.mean(axis=-1)


def centred_logits(probs: numpy.ndarray, possible: numpy.ndarray) -> numpy.ndarray:
    """
    Logits less their mean over the labels, from probabilities. Labels that are not `possible` have none:
    0. Shape: (..., labels), (labels,) -> (..., labels)
    """
    logits = numpy.log(numpy.maximum(probs, LEAST_PROBABILITY))
    mean = logits.mean(axis=-1, where=possible, keepdims=True)
    return numpy.where(possible, logits - mean, 0.0)


def _joined(samples: list[_Samples]) -> _Samples:
    joined = _Samples(
        numpy.concatenate([each.absolute for each in samples], axis=1),
        numpy.concatenate([each.signed for each in samples], axis=1),
    )
    samples[:] = [joined]
    return joined


def choose_sampling(
    model: AttentionClassifier,
    instances: Sequence[Instance],
    removal: RemovalMethod,
    options: SamplingOptions = SamplingOptions(),
    budget: int | None = None,
) -> Sampling:
    """
    Choose the number of permutations and the output on pilot texts.

    # Parameters

    model : `AttentionClassifier`
    instances : `Sequence[Instance]`
        All texts; the pilot texts are chosen among them.
    removal : `RemovalMethod`
        It must have been checked with the model.
    options : `SamplingOptions`, optional
    budget : `int`, optional
        The number of tokens in a forward pass.
    """
    pilot = options.pilot_texts(instances)
    with untouched(model, goes_back=False), torch.no_grad():
        samplers = [
            sampler for _, sampler in _samplers(model, pilot, removal, options.seed, budget)
        ]
        for number in options.numbers():
            means = {}
            for sampler in samplers:
                sampler.grow(number)
            for output in options.outputs:
                values = [
                    each.reliability for some in samplers for each in some.effects(output, number)
                ]
                known = [value for value in values if value is not None]
                means[output] = float(numpy.mean(known)) if known else None
            best = max(means, key=lambda output: means[output] or 0.0)
            reached = [name for name in means if (means[name] or 0.0) >= options.reliability]
            if reached:
                return Sampling(number, reached[0], means, len(pilot))
    if means[best] is None:
        problem = "removing words never changes the model's output"
    else:
        problem = (
            f"the effects of words vary too much with the order of removal: reliability "
            f"{means[best]:.2f} with {number} permutations, below {options.reliability:g}"
        )
    return Sampling(number, best, means, len(pilot), problem)


def word_effects(
    model: AttentionClassifier,
    instances: Sequence[Instance],
    removal: RemovalMethod,
    sampling: Sampling,
    targets: Sequence[int] | None = None,
    seed: int = 0,
    budget: int | None = None,
) -> list[WordEffects]:
    """
    The effects of the words in each text.

    # Parameters

    model : `AttentionClassifier`
    instances : `Sequence[Instance]`
    removal : `RemovalMethod`
        It must have been checked with the model.
    sampling : `Sampling`
        From `choose_sampling`.
    targets : `Sequence[int]`, optional (default = the predicted classes)
        The explained class of each text.
    seed : `int`, optional (default = `0`)
    budget : `int`, optional
        The number of tokens in a forward pass.
    """
    found: dict[int, WordEffects] = {}
    with untouched(model, goes_back=False), torch.no_grad():
        for rows, sampler in _samplers(model, instances, removal, seed, budget, targets):
            sampler.grow(sampling.permutations)
            found.update(
                zip(rows, sampler.effects(sampling.output, sampling.permutations), strict=True)
            )
    return [found[row] for row in range(len(instances))]


def _samplers(
    model: AttentionClassifier,
    instances: Sequence[Instance],
    removal: RemovalMethod,
    seed: int,
    budget: int | None,
    targets: Sequence[int] | None = None,
):
    """For each batch of texts, their positions and a sampler."""
    lengths = [len(instance["tokens"]) for instance in instances]
    default = TextBatch.of(model, instances[:1], budget).budget
    for rows in rows_by_length(lengths, default):
        batch = TextBatch.of(model, [instances[row] for row in rows], budget)
        embeddings = model.embed(batch.tokens)
        outputs = RemovalOutputs(model, batch, embeddings, removal)
        if targets is None:
            of_rows = model.logits(embeddings, batch.inputs).argmax(dim=-1).tolist()
        else:
            of_rows = [targets[row] for row in rows]
        yield rows, PermutationSampler(outputs, of_rows, seed)
