"""
Where an agreement lies between chance and its ceiling. Ties bound what a measure can reach: against
attention that leaves most tokens at 0, the best scores there are may have a tau of .2.
"""

import numpy

from analysis.statistics.known import mean_of_known

# Less room than that between chance and ceiling is none.
LEAST_ROOM = 1e-9
# For captions.
ABOUT_PLACES = (
    "ceiling: the best mean that the same scores could have in any order, as ties bound it; place: "
    "where the mean lies between the permuted control (0) and the ceiling (1)."
)


def placed(value: numpy.ndarray, chance: numpy.ndarray, ceiling: numpy.ndarray) -> numpy.ndarray:
    """
    A number a text whose mean is the place of the mean, (value - chance) / (ceiling - chance): 0 at
    chance, 1 at the ceiling. A ratio of means, not a mean of ratios, which a text with hardly any
    room would decide. Each number is the ratio and what the text adds to its error, to first order
    (Taylor linearisation), so intervals and tests of means serve for the place as well.
    Shape of all: (..., seeds, texts)
    """
    above = value - chance
    room = numpy.where(numpy.isnan(above), numpy.nan, ceiling - chance)
    mean_above, mean_room = (
        mean_of_known(numbers, (-2, -1))[..., None, None] for numbers in (above, room)
    )
    with numpy.errstate(divide="ignore", invalid="ignore"):
        place = numpy.where(numpy.abs(mean_room) > LEAST_ROOM, mean_above / mean_room, numpy.nan)
        return place + (above - place * room) / mean_room
