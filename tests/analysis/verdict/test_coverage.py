"""
How often the intervals of the questions hold the truth, by simulation: docs/explanation/verdict-rule.md has the numbers
of more draws. What a text adds is skewed, as it is in earnest: most outputs hardly move, a few do.
"""

from functools import partial

import numpy
import pytest
from scipy.stats import beta, lognorm, norm

from analysis.statistics.samples import placed
from analysis.verdict.means import Mean

DRAWS = 400
# Of the variance: what texts have in common under all seeds, and a seed for all texts.
OF_TEXTS, OF_SEEDS = 0.5, 0.1
BOUND = 0.05


def normal(draw, seeds, texts):
    """Crossed effects; of a single seed, nothing is known of others. Shape: (seeds, texts)"""
    of_seeds = OF_SEEDS if seeds > 1 else 0.0
    return (
        numpy.sqrt(OF_TEXTS) * draw.normal(size=texts)
        + numpy.sqrt(of_seeds) * draw.normal(size=(seeds, 1))
        + numpy.sqrt(1 - OF_TEXTS - of_seeds) * draw.normal(size=(seeds, texts))
    )


def share(draw, seeds, texts):
    """`used` and `only`: of texts, of which there are few."""
    return (norm.cdf(normal(draw, seeds, texts)) < BOUND).astype(float)


def moved(draw, seeds, texts):
    """`used`: of the output."""
    return beta.ppf(norm.cdf(normal(draw, seeds, texts)), 0.5, 9.5)


def place(draw, seeds, texts):
    """`points` and `plausible`, and the differences of the ranking: a ratio of two means."""
    room = numpy.tile(draw.beta(0.8, 1.2, size=texts), (seeds, 1))
    gained = room * (0.5 + 0.4 * normal(draw, seeds, texts))
    return placed(gained, numpy.zeros_like(gained), room)


def correlation(draw, seeds, texts):
    """`model`: of the scores of texts of 2 tokens and more, among them many of -1 and 1."""
    return numpy.tanh(2 * normal(draw, seeds, texts))


def change(draw, seeds, texts):
    """`stable`: under noise, the largest of several."""
    return lognorm.ppf(norm.cdf(normal(draw, seeds, texts)), 0.8, scale=0.25 / numpy.exp(0.32))


TRUE = {share: BOUND, moved: BOUND, place: 0.5, correlation: 0.0, change: 0.25}


def missed(kind, seeds, texts, draws=DRAWS):
    """How often the truth is above the whole interval, and how often below."""
    draw = numpy.random.default_rng([seeds, texts])
    made = partial(Mean.of, share=kind is share)
    found = [made(kind(draw, seeds, texts)).estimate for _ in range(draws)]
    return (
        numpy.mean([each.high < TRUE[kind] for each in found]),
        numpy.mean([each.low > TRUE[kind] for each in found]),
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", TRUE, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("seeds, texts", [(1, 40), (1, 100), (1, 400), (3, 40), (3, 100), (5, 100)])
def test_the_intervals_of_the_questions_hold_the_truth(kind, seeds, texts):
    above, below = missed(kind, seeds, texts)
    assert above + below <= 0.12
    # The side on which a long tail is seen too seldom.
    assert above <= 0.11 and below <= 0.075
