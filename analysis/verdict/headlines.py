"""
The sentences of the verdict for every case: the headline, the comparison, and what to do next. All texts are here,
so that they can be read together; docs/explanation/verdict-rule.md explains the rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.verdict.answers import Answer
from analysis.verdict.decision import BOUNDS, Comparison, Reason
from analysis.verdict.means import LEAST_TEXTS, round_up
from analysis.written import Estimate, listed, number

SCALE = "0 = random order, 1 = words sorted by how much they move the output"
# The largest score of each fraction.
FRACTIONS = (
    (0.05, "hardly more than a random order"),
    (0.18, "a small part"),
    (0.29, "about a quarter"),
    (0.42, "about a third"),
    (0.58, "about half"),
    (0.71, "about two thirds"),
    (0.82, "about three quarters"),
    (0.95, "most"),
)


@dataclass(frozen=True)
class Situation:
    """
    What the sentences depend on.

    texts, texts_needed : the number of texts, and the number that would decide, if it is known.
    score : attention's.
    best, best_unsigned : comparisons with other methods.
    shown : the method to show for the words that matter; None if none can be recommended.
    direction : the method to show for the direction; None if no method gives one.
    direction_measured : whether the direction was measured.
    barely_used : whether uniform weights surely change few predictions.
    objections : other reasons why a yes is a partly.
    sides : by removal method, whether attention's score is above the bound of a yes.
    reliability : of the relevance of words.
    nothing : why there is nothing to judge.
    """

    answer: Answer
    reason: Reason = Reason.NONE
    texts: int = 0
    texts_needed: int | None = None
    score: Estimate | None = None
    best: Comparison | None = None
    best_unsigned: Comparison | None = None
    shown: str | None = None
    direction: str | None = None
    direction_measured: bool = True
    barely_used: bool = False
    objections: tuple[str, ...] = ()
    sides: tuple[tuple[str, str], ...] = ()
    reliability: float | None = None
    nothing: str = ""

    @property
    def ahead(self) -> str | None:
        """The best other method, if it surely scores higher than attention."""
        best = self.best
        return best.method if best is not None and best.difference.low > 0 else None

    @property
    def better(self) -> str | None:
        """A method that finds surely more: the one to show, if it is not attention."""
        return self.shown if self.ahead and self.shown not in (None, "attention") else self.ahead


def headline(case: Situation) -> str:
    """The first line: `Yes, ...`, `Partly: ...`, `No: ...` or `Inconclusive: ...`."""
    if case.answer == Answer.YES:
        return f"Yes, attention finds the words that matter{_added_direction(case)}"
    if case.answer == Answer.NO:
        return f"No: {_no(case)}"
    if case.answer == Answer.INCONCLUSIVE:
        return f"Inconclusive: {_inconclusive(case)}"
    return f"Partly: {_partly(case)}"


def _added_direction(case: Situation) -> str:
    if not case.direction_measured:
        return ""
    if case.direction is None:
        return " (but no method adds the direction)"
    return f" (and {case.direction} adds the direction)"


def _no(case: Situation) -> str:
    if case.barely_used:
        found = "this model barely uses its attention, which misses most of the words that matter"
    else:
        found = "attention misses most of the words that matter"
    if case.better is not None and case.shown is not None:
        return f"{found}; show {case.shown} instead"
    return f"{found}, and no other method finds clearly more"


def _partly(case: Situation) -> str:
    if case.answer == Answer.DEPENDS:
        sides = "; ".join(f"{answer}: {removals}" for answer, removals in case.sides)
        used = "this model barely uses its attention, and " if case.barely_used else ""
        return (
            f"{used}whether attention finds the words that matter depends on how words are removed"
            + (f" ({sides})" if sides else "")
        )
    if case.reason == Reason.BEHIND:
        # Its score is above the bound of a yes.
        found = "finds many of the words that matter"
        method = case.better or "another method"
        if case.barely_used:
            return (
                f"this model barely uses its attention, which {found}, but {method} finds far more"
            )
        return f"attention {found}, but {method} finds far more"
    if case.objections:
        if case.barely_used:
            others = [each for each in case.objections if "barely uses" not in each]
            and_others = f", and {' and '.join(others)}" if others else ""
            return (
                "this model barely uses its attention, although its weights find the words that matter"
                + and_others
            )
        return f"attention finds the words that matter, but {' and '.join(case.objections)}"
    found = "finds some of the words that matter"
    more = f"; {case.better} finds more" if case.better else "; no other method finds clearly more"
    if case.barely_used:
        return f"this model barely uses its attention, which {found}{more}"
    return f"attention {found}{more}"


def _inconclusive(case: Situation) -> str:
    if case.reason == Reason.NOTHING:
        return f"there is nothing to judge ({case.nothing})"
    if case.reason == Reason.NOT_MEASURED:
        return "these files do not say which words matter to the model"
    if case.reason == Reason.UNRELIABLE:
        reliability = "unknown" if case.reliability is None else f"{case.reliability:.2f}"
        return (
            "which words matter could not be measured reliably "
            f"(reliability {reliability}, {BOUNDS.reliability:g} needed)"
        )
    texts = "1 text" if case.texts == 1 else f"{case.texts} texts"
    if case.reason == Reason.FEW_TEXTS:
        return f"{texts} are too few; an answer needs at least {LEAST_TEXTS}".replace(
            "1 text are", "1 text is"
        )
    used = "this model barely uses its attention, and " if case.barely_used else ""
    do = "does" if case.texts == 1 else "do"
    return f"{used}{texts} {do} not decide whether attention finds the words that matter"


def comparison_of(case: Situation) -> str:
    """The comparison with the best methods, then attention's own score in words; empty if there is no score."""
    if case.score is None or case.reason in (Reason.FEW_TEXTS, Reason.UNRELIABLE, Reason.NOTHING):
        return ""
    sentences = []
    if case.best is not None:
        sentences.append(_compared(case.best, "the best other method"))
    if case.best_unsigned is not None and case.best_unsigned != case.best:
        sentences.append(_compared(case.best_unsigned, "the best other unsigned method"))
    sentences.append(
        f"Attention finds {fraction_of(case.score.mean)} of what matters: it scores {case.score} ({SCALE})"
    )
    return ". ".join(sentences) + "."


def _compared(other: Comparison, what: str) -> str:
    difference = other.difference
    interval = str(difference.interval)
    if difference.low > 0:
        return f"{other.method}, {what}, scores {number(difference.mean)} {interval} more"
    if difference.high < 0:
        negative = difference.negative()
        return f"{other.method}, {what}, scores {number(negative.mean)} {negative.interval} less"
    return f"{other.method}, {what}, does not differ clearly (difference {difference})"


def fraction_of(score: float) -> str:
    """A score in words: `about two thirds`."""
    return next((words for most, words in FRACTIONS if score <= most), "nearly all")


def next_step(case: Situation) -> str:
    """What to do next."""
    if case.answer == Answer.INCONCLUSIVE:
        return _next_if_inconclusive(case)
    if case.answer == Answer.YES or (case.objections and case.reason == Reason.NONE):
        return _next_if_found(case)
    if case.answer == Answer.DEPENDS:
        return (
            "Choose the removal method that leaves texts most like your own, and take the answer that is named for "
            "it; or train with masked words and judge again. Until then, do not show attention as the explanation."
        )
    if case.shown is None:
        return (
            "Do not show attention as the explanation. No method can be recommended: none is clearly better than a "
            "random order."
        )
    if case.shown == "attention":
        return (
            "No other method finds clearly more. If you show attention, say that it finds "
            f"{fraction_of(case.score.mean) if case.score else 'a part'} of what matters."
            f"{_also_direction(case)}"
        )
    return f"Show {_shown(case)}. Do not show attention as the explanation on its own."


def _next_if_inconclusive(case: Situation) -> str:
    if case.reason == Reason.NOTHING:
        return "Check the model and the data first: there is no prediction to explain."
    if case.reason == Reason.NOT_MEASURED:
        return "Run `allennlp verdict` again, in another folder, to measure which words matter."
    if case.reason == Reason.UNRELIABLE:
        return (
            "The effect of a word depends too much on which other words are left, so that no method can be judged on "
            "these texts. Try other texts, or a model that was trained with masked words."
        )
    if case.reason == Reason.FEW_TEXTS:
        return f"Judge at least {LEAST_TEXTS} texts of two or more words."
    if case.texts_needed is not None:
        more = f"Judge more texts: about {round_up(case.texts_needed)} would decide."
    elif case.score is not None and not case.score.interval.known:
        more = "Judge more texts. How many would decide is not known yet."
    else:
        more = "More texts alone would hardly decide: attention's score is close to a bound, or removal methods differ."
    meanwhile = (
        f" Until then, show {_shown(case)}." if case.shown not in (None, "attention") else ""
    )
    return more + meanwhile


def _next_if_found(case: Situation) -> str:
    if case.barely_used:
        start = (
            "Do not present attention as the reason for a prediction: the model hardly needs it."
        )
        other = case.shown if case.shown != "attention" else case.direction
        return f"{start} Show {other} instead." if other else start
    if case.objections:
        start = "If you show attention for which words matter, add this reservation."
    else:
        start = "You can show attention for which words matter."
    return start + _also_direction(case)


def _also_direction(case: Situation) -> str:
    if not case.direction_measured:
        return ""
    unsaid = " It does not say whether a word speaks for or against the prediction"
    if case.direction is None:
        return f"{unsaid}, and no compared method says so reliably."
    also = (
        f" {case.direction} also finds {_how_much_more(case)}."
        if case.direction == case.ahead
        else ""
    )
    return f"{unsaid}: show {case.direction} where readers need that.{also}"


def _how_much_more(case: Situation) -> str:
    slightly = "" if case.best is None or case.best.ratio < 0.9 else "slightly "
    return f"{slightly}more of the words that matter"


def _shown(case: Situation) -> str:
    """The method to show, and for what it is good."""
    if not case.direction_measured:
        return str(case.shown)
    if case.direction == case.shown:
        return f"{case.shown}: it finds the words that matter and says whether they speak for or against the prediction"
    if case.direction is None:
        return (
            f"{case.shown} for which words matter; no compared method gives the direction reliably"
        )
    return f"{case.shown} for which words matter, and {case.direction} for the direction"


def other_training(
    seeds: int, this: Answer, other: Answer, score: Estimate | None, least: int
) -> str:
    """The second line if there are several seeds: whether another training would give the same answer."""
    if seeds < 2:
        return ""
    if seeds < least or score is None:
        return f"Another training may differ: {seeds} seeds cannot tell, and {least} are needed."
    over = f"over {seeds} seeds attention scores {score}"
    if this == other:
        same = "the same answer" if this != Answer.INCONCLUSIVE else "no clearer answer"
        return f"Another training would probably give {same}: {over}."
    return f"Another training may give another answer: {over}."


def sides_of(scores: Sequence[tuple[str, Estimate]], bound: float) -> tuple[tuple[str, str], ...]:
    """The removal methods by which attention scores above the bound, and those by which it does not."""
    above = [name for name, each in scores if each.mean > bound]
    below = [name for name, each in scores if not each.mean > bound]
    return tuple(
        (answer, listed(names)) for answer, names in (("yes", above), ("no", below)) if names
    )
