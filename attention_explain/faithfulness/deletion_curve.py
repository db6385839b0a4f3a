"""The deletion curve: the class's probability as tokens are taken out one by one."""

from attention_explain.faithfulness.curve import POINTS, CurveMeasure
from attention_explain.faithfulness.faithfulness import Faithfulness


@Faithfulness.register("deletion_curve")
class DeletionCurve(CurveMeasure):
    """
    The area under p(c|x without the first i of the order) over i / n, i = 0, 1, ... n, by the
    trapezoid rule (Samek et al. 2017, Petsiuk et al. 2018): the lower, the better. The curve is
    kept.

    In rising order the least important tokens go first, and higher is better. These are the sets of
    the insertion curve in falling order, its area, and its curve backwards.

    Registered as a `Faithfulness` with name "deletion_curve".

    # Parameters

    order : `str`, optional (default = `"falling"`)
        `falling`: the most important token goes first. `rising`: the least important.
    points : `int`, optional (default = `50`)
        A text of more tokens is measured in so many steps of like size; the curve has that many
        points and one.
    """

    name = "deletion_curve"
    equation = "area under p(c|x without the first i) over i/n"

    def __init__(self, order: str = "falling", points: int = POINTS) -> None:
        super().__init__(True, order, points)
