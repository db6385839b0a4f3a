"""The insertion curve: the class's probability as tokens are put in one by one."""

from attention_explain.faithfulness.curve import POINTS, CurveMeasure
from attention_explain.faithfulness.faithfulness import Faithfulness


@Faithfulness.register("insertion_curve")
class InsertionCurve(CurveMeasure):
    """
    The area under p(c|the first i of the order alone) over i / n, i = 0, 1, ... n, by the trapezoid
    rule (Petsiuk et al. 2018): the higher, the better. The curve is kept.

    In rising order the least important tokens come first, and lower is better. These are the sets of
    the deletion curve in falling order, its area, and its curve backwards.

    Registered as a `Faithfulness` with name "insertion_curve".

    # Parameters

    order : `str`, optional (default = `"falling"`)
        `falling`: the most important token comes first. `rising`: the least important.
    points : `int`, optional (default = `50`)
        A text of more tokens is measured in so many steps of like size; the curve has that many
        points and one.
    """

    name = "insertion_curve"
    equation = "area under p(c|the first i alone) over i/n"

    def __init__(self, order: str = "falling", points: int = POINTS) -> None:
        super().__init__(False, order, points)
