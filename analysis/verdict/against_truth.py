"""
Is the verdict right? On corpora with ground-truth words, its answer about attention and the method that it
recommends are checked against them, for each trained model.

The truth about a method is the average precision of its scores for the ground-truth words, rescaled: 0 for
a random order, 1 if these words always come first. A method finds the ground-truth words if its whole
interval is above a half, and does not if it is below.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import pandas

from analysis.errors import AnalysisError
from analysis.figures.scatter import Scatter, Spot, scatters
from analysis.formats import csv
from analysis.model_config import ADVERSARY, DECEPTIVE, PLAIN
from analysis.models import Model
from analysis.output import Output
from analysis.papers.shared.study_files import StudyFiles
from analysis.plausibility.causes import LEARNED_FROM, causes_not_learned, found_by_text
from analysis.statistics.samples import rescale
from analysis.text_files import Attributions
from analysis.verdict.inputs import ATTENTION, VerdictInputs, inputs_of_study
from analysis.verdict.means import Mean, wilson_interval
from analysis.verdict.question import HALF, NOT_KNOWN, Answer, compare
from analysis.verdict.verdict import Verdict, judge
from analysis.written import Estimate

RIGHT, WRONG, PARTLY, UNDECIDED = "right", "wrong", "partly", "undecided"
UNCLEAR, NOTHING = "truth unclear", "nothing to judge"
NOT_LEARNED = "causes not learned"
OUTCOMES = (RIGHT, WRONG, PARTLY, UNDECIDED, UNCLEAR, NOT_LEARNED, NOTHING)
# Verdicts that cannot be checked.
NOT_CHECKED = (NOTHING, NOT_LEARNED)
ROLES = {PLAIN: "honest", ADVERSARY: "adversarial", DECEPTIVE: "deceptive"}
CONTROL = "random"
# One row per trained model.
ALL_VERDICTS = "planted-truth-verdicts-all"


@dataclass(frozen=True)
class CheckedVerdict:
    """truth : the rescaled average precision of each method."""

    inputs: VerdictInputs
    verdict: Verdict
    truth: dict[str, Estimate]

    @property
    def not_checked(self) -> str:
        """Why it cannot be checked; empty if it can."""
        if self.verdict.nothing:
            return NOTHING
        return NOT_LEARNED if causes_not_learned(self.inputs.attributions.files[0]) else ""

    @property
    def attention(self) -> str:
        """The outcome of the answer about attention."""
        if self.not_checked:
            return self.not_checked
        truth = self._finds_words(ATTENTION)
        if truth == Answer.INCONCLUSIVE:
            return UNCLEAR
        if self.verdict.answer == Answer.PARTLY:
            return PARTLY
        if self.verdict.answer not in (Answer.YES, Answer.NO):
            return UNDECIDED
        return RIGHT if self.verdict.answer == truth else WRONG

    @property
    def contradicted(self) -> bool:
        """Whether a yes or no disagrees with the mean of the truth, however wide its interval is."""
        decided = not self.not_checked and self.verdict.answer in (Answer.YES, Answer.NO)
        return decided and (self.verdict.answer == Answer.YES) != (
            self.truth[ATTENTION].mean > HALF
        )

    @property
    def recommended(self) -> str:
        """The outcome of the recommendation: whether the method finds the ground-truth words."""
        if self.not_checked:
            return self.not_checked
        method = self.verdict.recommended.method
        if method is None:
            return UNDECIDED
        return {Answer.YES: RIGHT, Answer.NO: WRONG}.get(self._finds_words(method), UNCLEAR)

    @property
    def lost(self) -> float:
        """How much higher the truth about the best method is than that about the recommended one."""
        method = self.verdict.recommended.method
        if method is None:
            return numpy.nan
        return max(each.mean for each in self.truth.values()) - self.truth[method].mean

    def _finds_words(self, method: str) -> Answer:
        interval = self.truth[method].interval
        return compare(interval, HALF, HALF, below=Answer.NO, above=Answer.YES)

    def row(self) -> dict[str, Any]:
        """For the csv."""
        config, method = self.inputs.attributions.config, self.verdict.recommended.method
        return {
            "corpus": config.corpus,
            "model": self.inputs.attributions.name,
            "role": ROLES.get(config.role, config.role),
            "encoder": config.encoder,
            "projection": config.projection,
            "erasure training": config.erasure_trained,
            "seed": config.seed,
            "answer": str(self.verdict.answer),
            **self.verdict.score.columns("score"),
            **self.truth[ATTENTION].columns("truth"),
            "attention": self.attention,
            "contradicted": self.contradicted,
            "method": method or "",
            **(self.truth[method] if method else NOT_KNOWN).columns("truth of method"),
            "recommended": self.recommended,
            "lost": self.lost,
        }


def check_verdicts(study: StudyFiles) -> list[CheckedVerdict]:
    """The verdict on each trained model with ground-truth words."""
    truths = truth_files(study)
    return [
        CheckedVerdict(inputs, judge(inputs), _truth(inputs, truths))
        for of_model in inputs_of_study(study)
        if all(file.has_known_causes for file in of_model.attributions.files)
        for inputs in _of_each_seed(of_model)
    ]


def truth_files(study: StudyFiles) -> dict[str | None, Attributions]:
    """By weights, the attribution file with ground-truth words that has the most texts."""
    files = [file for model in study.models for file in model.files if file.has_known_causes]
    return {file.learned: file for file in sorted(files, key=lambda file: len(file.table))}


def _truth(inputs: VerdictInputs, truths: dict[str | None, Attributions]) -> dict[str, Estimate]:
    """From the file with the most texts; for methods that it does not have, from the texts of the verdict."""
    (file,) = inputs.attributions.files
    most = truths[file.learned]
    return {**truth_about([file]), **(truth_about([most]) if most is not file else {})}


def truth_about(files: Sequence[Attributions]) -> dict[str, Estimate]:
    """The rescaled average precision of each method."""
    of_seeds = [found_by_text(file) for file in files]
    chance = numpy.array([blind for _, blind in of_seeds])
    return {
        method: Mean.of(
            rescale(
                numpy.array([of_seed[method] for of_seed, _ in of_seeds]),
                chance,
                numpy.ones_like(chance),
            )
        ).estimate
        for method in files[0].methods
        if method != CONTROL
    }


def _of_each_seed(inputs: VerdictInputs) -> Iterator[VerdictInputs]:
    """The inputs of each trained model; without adversaries, which raise no objection."""

    def only(model: Model | None, weights: str | None) -> Model | None:
        if model is None:
            return None
        return Model(model.name, tuple(file for file in model.files if file.learned == weights))

    for file in inputs.attributions.files:
        yield VerdictInputs(
            Model(inputs.attributions.name, (file,)),
            only(inputs.faithfulness, file.learned),
            only(inputs.perturbations, file.learned),
        )


def verdict_tables(study: StudyFiles, output: Output) -> str | None:
    """How often the verdict is right, wrong or undecided, by how models were trained."""
    checked = check_verdicts(study)
    if not checked:
        raise AnalysisError(
            "this needs models with faithfulness files, and attribution files of texts with ground-truth words, and "
            "there are none"
        )
    rows = pandas.DataFrame([each.row() for each in checked])
    counts = pandas.concat([count_outcomes(rows, about) for about in ("attention", "recommended")])
    output.table(
        "planted-truth-verdicts",
        counts,
        f"How often the verdict is right, for {len(rows)} trained models with ground-truth words "
        f"({', '.join(rows['corpus'].unique())}).",
        "Attention: yes is right if it finds the ground-truth words (rescaled average precision above a half; "
        "0 = random order, 1 = these words first), no if it does not. Recommended: right if the method finds "
        "them. Truth unclear: its interval contains a half. Causes not learned: accuracy below "
        f"{LEARNED_FROM}, so that the predictions do not depend on the ground-truth words. Nothing to judge: the "
        "model is no better than the majority class, or attends to all words alike. Each verdict is about one "
        "trained model, so that stability over seeds is inconclusive.",
    )
    output.table(
        "planted-truth-verdicts-by-model",
        _by_kind(rows),
        "Outcomes by corpus, encoder and training: answer about attention, and recommended method.",
        "Outcomes with the number of trained models; methods with how often each is recommended. Lost: how much "
        "higher the truth about the best method is, on average.",
    )
    output.data(f"{ALL_VERDICTS}.csv", csv(rows).encode())
    _figure(rows, output)
    for about in ("attention", "recommended"):
        output.sentence(f"planted-truth-verdict-{about}", _sentence(rows, about))
    return None


def count_outcomes(rows: pandas.DataFrame, about: str) -> pandas.DataFrame:
    """The number of each outcome, by how models were trained and for all."""
    table = pandas.crosstab(rows["role"], rows[about]).reindex(columns=list(OUTCOMES), fill_value=0)
    table = table.reindex([role for role in ROLES.values() if role in table.index])
    table.loc["all"] = table.sum()
    table.insert(0, "models", table.sum(axis=1))
    return table.reset_index(names="trained").assign(about=about)[
        ["about", "trained", "models", *OUTCOMES]
    ]


def _by_kind(rows: pandas.DataFrame) -> pandas.DataFrame:
    kinds = []
    keys = ["corpus", "encoder", "role", "projection", "erasure training"]
    for key, group in rows.groupby(keys, sort=False):
        kinds.append(
            {
                **dict(zip(keys, key, strict=True)),
                "verdict": _tally(group["attention"]),
                "truth": group["truth"].mean(),
                "score": group["score"].mean(),
                "recommended": _tally(group["method"].replace("", "none")),
                "lost": group["lost"].mean(),
            }
        )
    return pandas.DataFrame(kinds)


def _tally(values: pandas.Series) -> str:
    return ", ".join(f"{name} {times}" for name, times in values.value_counts().items())


def count_errors(rows: pandas.DataFrame, about: str) -> dict[str, int]:
    """
    Of the verdicts that decide: how many have a clear truth, and how many of these are wrong; and how many
    disagree with the mean of the truth, however wide its interval is. For attention also those that say yes.
    """
    checked = rows[~rows[about].isin(NOT_CHECKED)]
    clear = {
        "clear": int(checked[about].isin((RIGHT, WRONG)).sum()),
        "wrong": int((checked[about] == WRONG).sum()),
    }
    if about == "recommended":
        decided = checked[checked["truth of method"].notna()]
        contradicted = int((decided["truth of method"] <= HALF).sum())
        return {**clear, "decided": len(decided), "contradicted": contradicted}
    decided = checked[checked["answer"].isin((str(Answer.YES), str(Answer.NO)))]
    yes = decided[decided["answer"] == str(Answer.YES)]
    return {
        **clear,
        "decided": len(decided),
        "contradicted": int(decided["contradicted"].sum()),
        "yes": len(yes),
        "contradicted yes": int(yes["contradicted"].sum()),
    }


def share_wrong(errors: dict[str, int]) -> Estimate:
    """The share of wrong verdicts among those with a clear truth, with Wilson's interval."""
    share = errors["wrong"] / errors["clear"]
    interval = wilson_interval(share, errors["clear"])
    return Estimate(share, interval.low, interval.high)


def _sentence(rows: pandas.DataFrame, about: str) -> str:
    """The outcomes, and the share that is wrong with a 95 % interval (Wilson)."""
    checked = rows[~rows[about].isin(NOT_CHECKED)]
    times = {outcome: int((checked[about] == outcome).sum()) for outcome in OUTCOMES}
    what = "verdicts on attention" if about == "attention" else "recommendations"
    outcomes = ", ".join(
        f"{times[outcome]} {'have an unclear truth' if outcome == UNCLEAR else outcome}"
        for outcome in OUTCOMES
        if times[outcome]
    )
    sentence = (
        f"Of {len(checked)} {what}, each on one trained model with ground-truth words, {outcomes}."
    )
    errors = count_errors(rows, about)
    if errors["clear"]:
        wrong = share_wrong(errors)
        sentence += (
            f" Of the {errors['clear']} that decide and whose truth is clear, {wrong.mean:.1%} "
            f"[{wrong.low:.1%}, {wrong.high:.1%}] are wrong."
        )
    if times[UNCLEAR]:
        sentence += (
            f" Counting unclear truths by their mean as well, {errors['contradicted']} of "
            f"{errors['decided']} that decide are wrong."
        )
    return sentence


def _figure(rows: pandas.DataFrame, output: Output) -> None:
    checked = rows[~rows["attention"].isin(NOT_CHECKED)]
    # A single point shows nothing that the table does not.
    checked = checked[checked.groupby("role")["role"].transform("size") > 1]
    if checked.empty:
        return
    nothing = (numpy.nan, numpy.nan)
    panels = [
        Scatter(
            f"truth ({role} models)",
            "score in the verdict",
            [
                Spot("attention", row["answer"], row["truth"], row["score"], nothing, nothing)
                for row in checked[checked["role"] == role].to_dict("records")
            ],
            chance=HALF,
            ends=(min(0.0, float(checked["truth"].min())) - 0.1, 1.05),
        )
        for role in ROLES.values()
        if role in {*checked["role"]}
    ]
    bottom = min(0.0, float(checked["score"].min()) - 0.05)
    output.figure(
        "planted-truth-verdicts-figure",
        scatters(panels, 1.0, widest=3, bottom=bottom),
        "Attention's score in the verdict and the truth about it, one point per trained model, by the answer.",
        "Score: 0 = random order, 1 = best order found. Truth: average precision for the ground-truth words, "
        "rescaled (0 = random order, 1 = these words first); the line is at a half, above which attention finds "
        "these words.",
    )
