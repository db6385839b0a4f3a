"""All methods in order, and the one to show, by the rule of docs/explanation/verdict-rule.md."""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence

from analysis.verdict.answers import HALF, Answer
from analysis.verdict.files import Files
from analysis.verdict.groups import groups
from analysis.verdict.means import LEAST_TEXTS, Mean, about, deciding, too_few
from analysis.verdict.places import Places
from analysis.verdict.questions.model import about_this_model
from analysis.written import Estimate

# Of the scale: a method that is surely no worse than the best by more is as good for readers.
AS_GOOD = 0.05
# What takes at most so many times as long as the quickest is as quick: timings vary.
AS_QUICK = 2.0


@dataclass(frozen=True)
class RankedMethod:
    """
    place : between random orders and the best one.
    milliseconds : a text; None where the files do not say.
    group : methods of one number cannot be told apart from the best of them.
    above_chance : surely, however words are removed.
    ignores_model : it was found to stay the same when the parameters are drawn anew.
    texts_needed : that would tell it from the best of its group; None where it is that, or none would.
    signed : whether its scores tell words for the class from words against it.
    """

    name: str
    place: Estimate
    milliseconds: Optional[float]
    group: int
    above_chance: bool = True
    ignores_model: bool = False
    texts_needed: Optional[int] = None
    signed: bool = False

    @property
    def cost(self) -> str:
        """In words; nothing where it is not known."""
        return "" if self.milliseconds is None else f"{shortest(self.milliseconds)} ms a text"

    def as_json(self) -> Dict[str, Any]:
        return {
            "name": self.name,
            "signed": self.signed,
            "place": self.place.mean,
            "low": self.place.low,
            "high": self.place.high,
            "milliseconds": self.milliseconds,
            "group": self.group,
            "texts_needed": self.texts_needed,
        }


@dataclass(frozen=True)
class Recommended:
    """method : None where no method can be recommended, and `why` says so."""

    method: Optional[str]
    why: str


def methods_in_order(files: Files, places: Places) -> List[RankedMethod]:
    """The best first."""
    grouped = groups(places)
    return [
        RankedMethod(
            name,
            places.place(name).estimate,
            files.milliseconds(name),
            grouped[name].group,
            all(deciding(m.estimate.interval).low > 0 for m in places.places(name).values()),
            about_this_model(files, name).answer == Answer.NO,
            grouped[name].texts_needed,
            files.explained.files[0].signed(name),
        )
        for name in places.methods
    ]


def recommended(methods: Sequence[RankedMethod], places: Places) -> Recommended:
    """
    Of the methods that are surely better than chance however words are removed, and that were not
    found to ignore the model, those that are surely no worse than the best by more than `AS_GOOD`;
    of them those that are quick; of them the best. Too few texts recommend none.
    """
    texts = min(places.place(each.name).texts for each in methods)
    if texts < LEAST_TEXTS:
        return Recommended(None, too_few(texts))
    fit = [each for each in methods if each.above_chance and not each.ignores_model]
    if not fit:
        return Recommended(
            None, "no method is surely better than chance, however words are removed"
        )
    best = fit[0]
    as_good = [
        each for each in fit if each is best or _behind(places, best, each).estimate.high < AS_GOOD
    ]
    timed = [each.milliseconds for each in as_good if each.milliseconds is not None]
    quick = [
        each
        for each in as_good
        if each.milliseconds is None or each.milliseconds <= AS_QUICK * min(timed)
    ]
    chosen = quick[0]
    if chosen is best:
        same = [each for each in methods if each.group == best.group and each is not best]
        why = "it comes furthest from random to the best order of words"
        if same:
            why += f", though these texts do not tell it from {_few([each.name for each in same])}"
            needed = same[0].texts_needed
            which = "" if len(same) == 1 else f" for {same[0].name}"
            why += "" if needed is None else f" (about {about(needed)} texts would{which})"
    else:
        why = (
            f"it is at most {AS_GOOD} of the scale behind {best.name}, and quicker "
            f"({chosen.cost} against {best.cost})"
        )
    if not chosen.place.low > HALF:
        why += f"; but it is not sure to come half of the way ({chosen.place})"
    return Recommended(chosen.name, why)


def _behind(places: Places, best: RankedMethod, other: RankedMethod) -> Mean:
    return places.less(best.name, other.name)


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def shortest(value: float) -> str:
    """Two digits that count: `0.38`, `1.2`, `31`, `1200`."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"
