"""
Is the verdict right? Where the causes of the label are known, what it says of attention, and the method
that it recommends, are held against them, one trained model at a time.

The truth about a method is the place of its average precision: of the causes, in the order of its
scores, between scores that say nothing (0) and causes that always come first (1). Above a half, its
whole interval, the method points to the causes; below, it points elsewhere.
"""

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Sequence

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
from analysis.statistics.samples import placed
from analysis.verdict.answers import HALF, NOT_KNOWN, Answer, between
from analysis.verdict.files import ATTENTION, Files, files_of_study
from analysis.verdict.means import Mean, wilson_interval
from analysis.verdict.verdict import Verdict, judged
from analysis.written import Estimate

RIGHT, WRONG, PARTLY, UNDECIDED = "right", "wrong", "partly", "undecided"
UNCLEAR, NOTHING = "truth unclear", "nothing to judge"
NOT_LEARNED = "causes not learned"
OUTCOMES = (RIGHT, WRONG, PARTLY, UNDECIDED, UNCLEAR, NOT_LEARNED, NOTHING)
# Verdicts that cannot be held against anything.
NOT_HELD = (NOTHING, NOT_LEARNED)
ROLES = {PLAIN: "honest", ADVERSARY: "adversarial", DECEPTIVE: "deceptive"}
CONTROL = "random"
# A row a trained model.
ALL_VERDICTS = "planted-truth-verdicts-all"


@dataclass(frozen=True)
class HeldVerdict:
    """
    truth : about each method that was explained with.
    """

    files: Files
    verdict: Verdict
    truth: Dict[str, Estimate]

    @property
    def _not_held(self) -> str:
        if self.verdict.nothing:
            return NOTHING
        return NOT_LEARNED if causes_not_learned(self.files.explained.files[0]) else ""

    @property
    def attention(self) -> str:
        """Which of the outcomes."""
        if self._not_held:
            return self._not_held
        points = self._points(ATTENTION)
        if points == Answer.UNKNOWN:
            return UNCLEAR
        if self.verdict.answer == Answer.PARTLY:
            return PARTLY
        if self.verdict.answer not in (Answer.YES, Answer.NO):
            return UNDECIDED
        return RIGHT if self.verdict.answer == points else WRONG

    @property
    def contradicted(self) -> bool:
        """Whether a yes or no is not what the mean of the truth says, however sure that is."""
        decided = not self._not_held and self.verdict.answer in (Answer.YES, Answer.NO)
        return decided and (self.verdict.answer == Answer.YES) != (
            self.truth[ATTENTION].mean > HALF
        )

    @property
    def recommended(self) -> str:
        """The same of the method that is recommended: whether that is one that points to the causes."""
        if self._not_held:
            return self._not_held
        method = self.verdict.recommended.method
        if method is None:
            return UNDECIDED
        points = self._points(method)
        return {Answer.YES: RIGHT, Answer.NO: WRONG}.get(points, UNCLEAR)

    @property
    def lost(self) -> float:
        """How much nearer to the truth the best method comes than the one that is recommended."""
        method = self.verdict.recommended.method
        if method is None:
            return numpy.nan
        return max(each.mean for each in self.truth.values()) - self.truth[method].mean

    def _points(self, method: str) -> Answer:
        interval = self.truth[method].interval
        return between(interval, HALF, HALF, below=Answer.NO, above=Answer.YES)

    def row(self) -> Dict[str, Any]:
        config, method = self.files.explained.config, self.verdict.recommended.method
        return {
            "corpus": config.corpus,
            "model": self.files.explained.name,
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


def held_verdicts(study: StudyFiles) -> List[HeldVerdict]:
    """One a trained model, of those whose causes are known."""
    return [
        HeldVerdict(files, judged(files), truth_about(files))
        for together in files_of_study(study)
        if all(file.has_known_causes for file in together.explained.files)
        for files in _seed_by_seed(together)
    ]


def truth_about(files: Files) -> Dict[str, Estimate]:
    """The place of each method's average precision, between chance and 1."""
    of_seeds = [found_by_text(file) for file in files.explained.files]
    chance = numpy.array([blind for _, blind in of_seeds])
    return {
        method: Mean.of(
            placed(
                numpy.array([of_seed[method] for of_seed, _ in of_seeds]),
                chance,
                numpy.ones_like(chance),
            )
        ).estimate
        for method in files.explained.files[0].methods
        if method != CONTROL
    }


def _seed_by_seed(files: Files) -> Iterator[Files]:
    """Each trained model by itself; adversaries of it, which take nothing back, left out."""

    def alone(model: Optional[Model], learned: Optional[str]) -> Optional[Model]:
        if model is None:
            return None
        return Model(model.name, tuple(file for file in model.files if file.learned == learned))

    for file in files.explained.files:
        learned = file.learned
        yield Files(
            alone(files.explained, learned),
            alone(files.judged, learned),
            alone(files.perturbed, learned),
        )


def verdict_tables(study: StudyFiles, output: Output) -> Optional[str]:
    """How often the verdict is right, wrong or undecided, by how models were trained."""
    held = held_verdicts(study)
    if not held:
        raise AnalysisError(
            "it takes models with attribution files of texts whose causes are known, and faithfulness "
            "files, and there are none"
        )
    rows = pandas.DataFrame([each.row() for each in held])
    counts = pandas.concat([counted(rows, about) for about in ("attention", "recommended")])
    output.table(
        "planted-truth-verdicts",
        counts,
        f"How often the verdict is right, on {len(rows)} trained models whose causes are known "
        f"({', '.join(rows['corpus'].unique())}).",
        "Attention: yes is right where it points to the causes (its average precision comes more than "
        "half of the way from chance to 1), no where it points elsewhere. Recommended: right where the "
        "method points to the causes. Truth unclear: its interval holds a half. Causes not learned: "
        f"accuracy below {LEARNED_FROM}, so that what causes the labels is not what causes the "
        "predictions. Nothing to judge: the model is no better than the majority class, or attends to "
        "all words alike. One verdict a trained model, so that stability over seeds cannot be told.",
    )
    output.table(
        "planted-truth-verdicts-by-model",
        _by_kind(rows),
        "Outcomes by corpus, encoder and training: verdict on attention, and method recommended.",
        "Outcomes with the number of trained models; methods with how often each is recommended, and "
        "lost: how much nearer to the truth, on its scale, the best method comes, on average.",
    )
    output.data(f"{ALL_VERDICTS}.csv", csv(rows).encode())
    _figure(rows, output)
    for about in ("attention", "recommended"):
        output.sentence(f"planted-truth-verdict-{about}", _said(rows, about))
    return None


def counted(rows: pandas.DataFrame, about: str) -> pandas.DataFrame:
    """Outcomes by role, and of all."""
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


def clear_and_contradicted(rows: pandas.DataFrame, about: str) -> Dict[str, int]:
    """
    Of verdicts that decide: how many have a clear truth, and are wrong; and how many are not what the truth's
    mean says, however sure that is. Of attention also those that say yes.
    """
    held = rows[~rows[about].isin(NOT_HELD)]
    found = {
        "clear": int(held[about].isin((RIGHT, WRONG)).sum()),
        "wrong": int((held[about] == WRONG).sum()),
    }
    if about == "recommended":
        given = held[held["truth of method"].notna()]
        against = int((given["truth of method"] <= HALF).sum())
        return {**found, "decided": len(given), "contradicted": against}
    decided = held[held["answer"].isin((str(Answer.YES), str(Answer.NO)))]
    yes = decided[decided["answer"] == str(Answer.YES)]
    return {
        **found,
        "decided": len(decided),
        "contradicted": int(decided["contradicted"].sum()),
        "yes": len(yes),
        "contradicted yes": int(yes["contradicted"].sum()),
    }


def share_wrong(held: Dict[str, int]) -> Estimate:
    """Of those with a clear truth, with Wilson's interval."""
    share = held["wrong"] / held["clear"]
    interval = wilson_interval(share, held["clear"])
    return Estimate(share, interval.low, interval.high)


def _said(rows: pandas.DataFrame, about: str) -> str:
    """With a 95 % interval (Wilson) of the share that is wrong."""
    given = rows[~rows[about].isin(NOT_HELD)]
    times = {outcome: int((given[about] == outcome).sum()) for outcome in OUTCOMES}
    what = "verdicts on attention" if about == "attention" else "recommendations"
    told = ", ".join(
        f"{times[outcome]} {'have an unclear truth' if outcome == UNCLEAR else outcome}"
        for outcome in OUTCOMES
        if times[outcome]
    )
    sentence = f"Of {len(given)} {what}, each on one trained model whose causes are known, {told}."
    held = clear_and_contradicted(rows, about)
    if held["clear"]:
        wrong = share_wrong(held)
        sentence += (
            f" Of the {held['clear']} that decide where the truth is clear {wrong.mean:.1%} "
            f"[{wrong.low:.1%}, {wrong.high:.1%}] are wrong."
        )
    if times[UNCLEAR]:
        sentence += (
            f" With the truth taken at its mean, however unsure it is, {held['contradicted']} of "
            f"{held['decided']} that decide are."
        )
    return sentence


def _figure(rows: pandas.DataFrame, output: Output) -> None:
    known = rows[~rows["attention"].isin(NOT_HELD)]
    # A point alone shows nothing that the table does not.
    known = known[known.groupby("role")["role"].transform("size") > 1]
    if known.empty:
        return
    nothing = (numpy.nan, numpy.nan)
    panels = [
        Scatter(
            f"truth ({role} models), chance 0",
            "score of the verdict, chance 0",
            [
                Spot("attention", row["answer"], row["truth"], row["score"], nothing, nothing)
                for row in group.to_dict("records")
            ],
            chance=HALF,
            ends=(min(0.0, float(known["truth"].min())) - 0.1, 1.05),
        )
        for role, group in _in_order(known)
    ]
    bottom = min(0.0, float(known["score"].min()) - 0.05)
    output.figure(
        "planted-truth-verdicts-figure",
        scatters(panels, 1.0, widest=3, bottom=bottom),
        "Attention's score in the verdict, and the truth about it, a point a trained model, by the "
        "answer that was given.",
        "Score: place between random orders (0) and the best order of words (1). Truth: place of the "
        "average precision of the known causes between chance (0) and 1; the line is at a half, above "
        "which attention points to the causes.",
    )


def _in_order(rows: pandas.DataFrame) -> Sequence[Any]:
    return [
        (role, rows[rows["role"] == role]) for role in ROLES.values() if role in {*rows["role"]}
    ]
