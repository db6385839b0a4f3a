"""
Calibrates the bounds of the verdict: models with ground-truth words of half of the kinds choose the bounds, those of
the other half test them. A kind is a model without its seed.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

import numpy
import pandas

from analysis.errors import AnalysisError
from analysis.output import Output
from analysis.papers.shared.study_files import StudyFiles
from analysis.verdict.against_truth import ROLES, CheckedVerdict, check_verdicts
from analysis.verdict.answers import Answer
from analysis.verdict.decision import BOUNDS, Bounds, RelevanceValues, decide_relevance
from analysis.verdict.means import wilson_interval
from analysis.verdict.question import HALF
from analysis.written import Estimate

TABLE = "planted-truth-calibration"
# Candidates.
YES = numpy.linspace(0.3, 0.8, 11).round(2).tolist()
PARTLY = numpy.linspace(0.1, 0.4, 7).round(2).tolist()
CLOSE = (0.5, 0.6, 0.7, 0.75, 0.8, 0.9)
# A partly says that the truth is between these ends.
PARTLY_TRUE = (0.25, 0.75)
# The cost of an inconclusive verdict; that of a wrong one is 1.
INCONCLUSIVE = 0.25
LEAST_KINDS = 4
CHOOSE, TEST = "chooses the bounds", "tests them"


@dataclass(frozen=True)
class CalibrationCase:
    """
    A trained model with ground-truth words.

    kind : what its seeds have in common.
    values : of relevance, by removal method.
    truth : rescaled average precision of attention (0 = random order, 1 = ground-truth words first).
    objected : whether another question turns a yes into a partly.
    """

    kind: tuple[str, ...]
    role: str
    values: Mapping[str, RelevanceValues]
    reliability: float | None
    truth: float
    objected: bool = False

    def answer(self, bounds: Bounds) -> Answer:
        """The answer of the verdict with these bounds."""
        found = decide_relevance(self.values, reliability=self.reliability, bounds=bounds).answer
        return Answer.PARTLY if found == Answer.YES and self.objected else found

    def is_wrong(self, answer: Answer) -> bool:
        """Whether an answer contradicts the truth. An inconclusive one does not."""
        if answer == Answer.PARTLY and not self.objected:
            least, most = PARTLY_TRUE
            return not least <= self.truth <= most
        if answer in (Answer.YES, Answer.PARTLY):
            return self.truth < HALF
        return answer == Answer.NO and self.truth > HALF


def is_decided(answer: Answer) -> bool:
    """Whether an answer can be wrong."""
    return answer in (Answer.YES, Answer.NO, Answer.PARTLY)


def calibration_cases(checked: Iterable[CheckedVerdict]) -> list[CalibrationCase]:
    """The models that can be checked and whose relevance was measured."""
    cases = []
    for each in checked:
        verdict, config = each.verdict, each.inputs.attributions.config
        if each.not_checked or verdict.decision is None:
            continue
        cases.append(
            CalibrationCase(
                (config.corpus, each.inputs.attributions.name, str(config.erasure_trained)),
                ROLES.get(config.role, config.role),
                verdict.decision.values,
                verdict.decision.reliability,
                each.truth["attention"].mean,
                any(finding.objection for finding in verdict.findings),
            )
        )
    return [case for case in cases if not math.isnan(case.truth)]


def split_kinds(cases: Sequence[CalibrationCase]) -> dict[str, list[CalibrationCase]]:
    """Every other kind of each role chooses the bounds; the others test them."""
    halves: dict[str, list[CalibrationCase]] = {CHOOSE: [], TEST: []}
    for role in dict.fromkeys(case.role for case in cases):
        kinds = sorted({case.kind for case in cases if case.role == role})
        chosen = set(kinds[::2])
        for case in cases:
            if case.role == role:
                halves[CHOOSE if case.kind in chosen else TEST].append(case)
    return halves


def choose_bounds(cases: Sequence[CalibrationCase], start: Bounds = BOUNDS) -> Bounds:
    """The candidates with the lowest cost; of equal ones, those next to the start."""
    candidates = [
        replace(start, yes=yes, partly=partly, close=close)
        for yes, partly, close in product(YES, PARTLY, CLOSE)
        if partly < yes
    ]

    def distance(bounds: Bounds) -> float:
        return sum(abs(value - asdict(start)[name]) for name, value in asdict(bounds).items())

    return min(candidates, key=lambda bounds: (round(cost(cases, bounds), 9), distance(bounds)))


def cost(cases: Sequence[CalibrationCase], bounds: Bounds) -> float:
    """The mean cost per kind, so that kinds with more seeds do not count more."""
    by_kind: dict[tuple[str, ...], list[float]] = {}
    for case in cases:
        answer = case.answer(bounds)
        price = float(case.is_wrong(answer)) if is_decided(answer) else INCONCLUSIVE
        by_kind.setdefault(case.kind, []).append(price)
    return float(numpy.mean([numpy.mean(prices) for prices in by_kind.values()]))


def error_rows(
    halves: Mapping[str, Sequence[CalibrationCase]], bounds: Bounds
) -> list[dict[str, Any]]:
    """One row per half and role, and for all roles: the errors of all decisions, and the share inconclusive."""
    return [
        {"half": half, "trained": role or "all", **_errors(group, bounds)}
        for half, cases in halves.items()
        for role in [*dict.fromkeys(case.role for case in cases), ""]
        for group in [[case for case in cases if role in ("", case.role)]]
    ]


def _errors(cases: Sequence[CalibrationCase], bounds: Bounds) -> dict[str, Any]:
    answers = [case.answer(bounds) for case in cases]
    decided = [(case, answer) for case, answer in zip(cases, answers) if is_decided(answer)]
    wrong = sum(case.is_wrong(answer) for case, answer in decided)
    # Seeds of a kind are alike: the intervals count kinds.
    kinds = {
        "decided": len({case.kind for case, _ in decided}),
        "all": len({case.kind for case in cases}),
    }
    return {
        "models": len(cases),
        "kinds": kinds["all"],
        "decided": len(decided),
        "wrong": wrong,
        **_share(wrong, len(decided), kinds["decided"]).columns("share wrong"),
        **_share(len(cases) - len(decided), len(cases), kinds["all"]).columns("share inconclusive"),
    }


def _share(some: int, total: int, kinds: int) -> Estimate:
    if not total:
        return Estimate(math.nan, math.nan, math.nan)
    interval = wilson_interval(some / total, kinds)
    return Estimate(some / total, interval.low, interval.high)


def calibration_table(study: StudyFiles, output: Output) -> str | None:
    """The bounds that half of the kinds choose, and the errors of all decisions on the other half."""
    halves = split_kinds(calibration_cases(check_verdicts(study)))
    kinds = [len({case.kind for case in cases}) for cases in halves.values()]
    if sum(kinds) < LEAST_KINDS or not min(kinds):
        raise AnalysisError(
            f"calibration needs at least {LEAST_KINDS} kinds of models with ground-truth words and the measure "
            f"`relevance`, and there are {sum(kinds)}"
        )
    bounds = choose_bounds(halves[CHOOSE])
    rows = pandas.DataFrame(error_rows(halves, bounds))
    present = pandas.DataFrame(error_rows(halves, BOUNDS))
    rows = pandas.concat([rows.assign(bounds="calibrated"), present.assign(bounds="present")])
    output.table(
        TABLE,
        rows[["bounds", *rows.columns[:-1]]],
        "How often all verdicts that decide are wrong, and how many are inconclusive: bounds chosen on half of the "
        "kinds of models, tested on the other half.",
        f"Truth: average precision of attention for the ground-truth words (0 = random order, 1 = these words first). "
        f"Wrong: a yes below {HALF}, a no above it, a partly outside {PARTLY_TRUE[0]} to {PARTLY_TRUE[1]}. A kind is a "
        "model without its seed; intervals (95 %, Wilson) count kinds.",
    )
    output.data("planted-truth-bounds.toml", as_toml(bounds, rows).encode())
    tested = rows[(rows["half"] == TEST) & (rows["trained"] == "all")].iloc[0]
    output.sentence(
        TABLE,
        f"With the bounds {_in_words(bounds)}, chosen on the other half, {tested['wrong']} of {tested['decided']} "
        f"verdicts of the test half that decide are wrong ({_percent(tested, 'share wrong')}), and "
        f"{_percent(tested, 'share inconclusive')} of {tested['models']} are inconclusive.",
    )
    return None


def as_toml(bounds: Bounds, rows: pandas.DataFrame) -> str:
    """The section `where` of bounds.toml, with the origin of its numbers."""
    tested = rows[(rows["bounds"] == "calibrated") & (rows["half"] == TEST)]
    errors = "; ".join(
        f"{row['trained']}: {row['wrong']} of {row['decided']} wrong "
        f"({_percent(row, 'share wrong')}), {_percent(row, 'share inconclusive')} inconclusive"
        for row in tested.to_dict("records")
    )
    numbers = "".join(f"{name} = {value:g}\n" for name, value in asdict(bounds).items())
    provenance = f"Chosen on half of the kinds of models. On the other half: {errors}."
    return f'calibrated = true\nprovenance = "{provenance}"\n\n[where]\n{numbers}'


def _in_words(bounds: Bounds) -> str:
    return f"{bounds.yes:g} (yes), {bounds.partly:g} (partly) and {bounds.close:g} (close)"


def _percent(row: Mapping[str, Any], name: str) -> str:
    low, high = row[f"{name} low"], row[f"{name} high"]
    return f"{row[name]:.1%} [{low:.1%}, {high:.1%}]"
