"""
Where the data marks tokens that decide the label: does a method find them? They are known causes in
a corpus that was made of them, and then this is the truth about the method, as far as the model has
learned it; else people have marked them, and `analysis.plausibility` says more.
"""

from collections.abc import Callable, Sequence

import numpy
import pandas
from scipy.stats import binomtest

from analysis.errors import AnalysisError
from analysis.formats import cell
from analysis.measures.scores import Scores
from analysis.performance import accuracy
from analysis.plausibility import orders
from analysis.plausibility.annotators import Annotators
from analysis.plausibility.measures import Marked
from analysis.statistics.intervals import intervals, mean_of_known
from analysis.text_files import Attributions
from analysis.written import estimates
from attention_explain.files.attributions import KNOWN, RATIONALE, markings

FIRST = "marked first"
PRECISION = "average precision"
PRECISION_AT_K = "precision@k"
LAST = "last rank"
CONTRARY = "contrary negative"
NEGATIVE = "negative"
# Below this accuracy the causes of the labels are not those of the predictions.
LEARNED_FROM = 0.9
# Appended to the id of the edited version of a text.
EDITED = " (edited)"
# Which tokens speak against the label: a column of files whose data knows it.
CONTRARY_COLUMN = "contrary"


def truth_by_text(attributions: Attributions, method: str) -> pandas.DataFrame:
    """
    How a method does on each text, one row each in the order of the file; NaN where that is not to
    be said.

    `marked first`: 1 if the highest score is at a marked token (of tied ones, the marked share).
    `average precision`: of the marked tokens in the order of the scores, in expectation over ties.
    `precision@k`: the fraction of the k tokens with the highest scores that is marked, where k is the
    number of marked tokens. `last rank`: the rank of the marked token with the lowest score; the best
    is k.
    `contrary negative`, of signed methods: the share of the tokens that speak against the label
    whose score is negative; `negative` is that share among all tokens of the text, which a sign that
    knows nothing would have there. Only where the label itself is explained.
    """
    scores = attributions.scores(method)
    contrary, negative = _signs(attributions, method, scores)
    of_marked = _of_marked(Annotators(attributions), scores)
    return pandas.DataFrame({**of_marked, CONTRARY: contrary, NEGATIVE: negative})


def causes_not_learned(attributions: Attributions) -> str:
    """Why the known causes of the labels are not those of what the model says; nothing if they are."""
    share = accuracy(attributions)
    if share >= LEARNED_FROM:
        return ""
    return f"accuracy {cell(share)}: it has not learned what causes the labels"


def found_by_text(
    attributions: Attributions, column: str = PRECISION
) -> tuple[dict[str, numpy.ndarray], numpy.ndarray]:
    """
    How well the marked tokens are found, by `average precision` or whether one is `marked first`: by
    each method, and by scores that say nothing; NaN where a text is not predicted correctly, or nothing
    is marked in it. Shape: (texts,) each
    """
    correct, marked = _texts(attributions)

    def counted(by_text: pandas.DataFrame) -> numpy.ndarray:
        return by_text[column].where(correct & marked).to_numpy(dtype=float)

    by_method = {
        method: counted(truth_by_text(attributions, method)) for method in attributions.methods
    }
    return by_method, counted(chance_by_text(attributions))


def causes_table(attributions: Attributions) -> pandas.DataFrame:
    """
    For each method the share of correctly predicted texts whose highest score is at a token of the
    rationale, with a 95 % interval (Wilson), and the share that a blind guess would have; its mean
    average precision, with an interval over texts, and that of scores that say nothing; and of
    signed methods the mean share of contrary tokens with a negative score, with an interval, next to
    that of all tokens. A text whose rationale marks no token has nothing to be found: it is left
    out, and counted as `unmarked`. Of several annotators, all are means over them.
    """
    correct, marked = _texts(attributions)
    chance = chance_by_text(attributions)[correct & marked].mean()
    about = {
        "chance": chance[FIRST],
        **{f"{name} chance": chance[name] for name in (PRECISION, PRECISION_AT_K, LAST)},
        "unmarked": int((correct & ~marked).sum()),
        "rationales": attributions.rationales,
    }
    rows = []
    for method in attributions.methods:
        by_text = truth_by_text(attributions, method)[correct & marked]
        rows.append({"method": method, **_summary(by_text), **about})
    return pandas.DataFrame(rows).sort_values(FIRST, ascending=False, ignore_index=True)


def causes_of_several(files: Sequence[Attributions]) -> pandas.DataFrame:
    """The tables of several files under each other, `file` in front."""
    tables = [causes_table(file) for file in files]
    names = [file.path.stem for file in files]
    return pandas.concat(tables, keys=names, names=["file"]).reset_index(level=0)


def side_by_side(table: pandas.DataFrame, column: str = FIRST) -> pandas.DataFrame:
    """Methods as rows, files as columns, in the order in which they came."""
    shares = table.pivot(index="method", columns="file", values=column)
    shares = shares[table["file"].unique()]
    return shares.sort_values(shares.columns[0], ascending=False).reset_index()


def shown_causes(table: pandas.DataFrame) -> pandas.DataFrame:
    """What people read of one file."""
    shown = table[["method"]].copy()
    shown[f"{FIRST} [95 %]"] = estimates(table, mean=FIRST)
    shown["chance"] = table["chance"]
    shown[f"{PRECISION} [95 %]"] = estimates(table, PRECISION)
    shown[f"{PRECISION} chance"] = table[f"{PRECISION} chance"]
    if table["contrary n"].any():
        shown[f"{CONTRARY} [95 %]"] = estimates(table, CONTRARY)
        shown[NEGATIVE] = table[NEGATIVE]
    shown["n"] = table["n"]
    return shown


def in_words(table: pandas.DataFrame) -> list[str]:
    """What is counted, file by file, and what is not."""
    sentences = []
    for file, rows in table.groupby("file", sort=False):
        first = rows.iloc[0]
        what = "a known cause" if first["rationales"] == KNOWN else "marked by people"
        sentence = (
            f"{file}: {FIRST} is the share of correctly predicted texts whose first token is {what}"
        )
        if rows["contrary n"].any():
            sentence += (
                f"; {CONTRARY} is the share of tokens against the label whose score is negative, "
                f"next to that of all tokens ({NEGATIVE})"
            )
        left_out = first["unmarked"]
        if left_out:
            texts = "1 text" if left_out == 1 else f"{left_out} texts"
            sentence += f"; {texts} in which nothing is marked left out"
        sentences.append(f"{sentence}.")
    return sentences


def predicted_right(attributions: Attributions) -> numpy.ndarray:
    """
    Whether the prediction of each text is its label; of two versions of a text (reader `counterfactual_pairs`), whether
    both are, which confirms that the model uses the edits. Shape: (texts,)
    """
    table = attributions.table
    right = (table["label"] == table["predicted"]).to_numpy(dtype=bool)
    by_id = dict(zip(table["id"], right, strict=True))
    others = (
        text.removesuffix(EDITED) if text.endswith(EDITED) else f"{text}{EDITED}"
        for text in table["id"]
    )
    return right & numpy.array([by_id.get(other, True) for other in others], dtype=bool)


def _texts(attributions: Attributions) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Which texts have a rationale and are predicted correctly, and which have a marked token."""
    table = attributions.table
    if RATIONALE not in table or not any(map(markings, table[RATIONALE])):
        raise AnalysisError(
            f"{attributions.path}: its texts have no rationale, so nothing says what decides them"
        )
    given = table[RATIONALE].map(lambda rationale: bool(markings(rationale))).to_numpy(dtype=bool)
    correct = given & predicted_right(attributions)
    if not correct.any():
        raise AnalysisError(f"{attributions.path}: no text with a rationale is predicted correctly")
    marked = table[RATIONALE].map(lambda rationale: any(map(numpy.any, markings(rationale))))
    marked = marked.to_numpy(dtype=bool)
    if not (correct & marked).any():
        raise AnalysisError(
            f"{attributions.path}: no rationale of a correctly predicted text marks a token"
        )
    return correct, marked


def chance_by_text(attributions: Attributions) -> pandas.DataFrame:
    """The expected results of random scores, one row per text."""
    blind = Scores.of(numpy.zeros(len(marking)) for marking in _first_markings(attributions))
    return pandas.DataFrame(_of_marked(Annotators(attributions), blind))


def _of_marked(annotators: Annotators, scores: Scores) -> dict[str, numpy.ndarray]:
    return {name: annotators.mean(scores, measure) for name, measure in OF_MARKED.items()}


def _first_markings(attributions: Attributions) -> list[Sequence[float]]:
    """For their lengths, which are those of the texts."""
    return [next(iter(markings(each)), ()) for each in attributions.table[RATIONALE]]


def _first(scores: Scores, marked: numpy.ndarray) -> numpy.ndarray:
    """
    1 if the highest score is at a marked token, 0 if not; where several tokens share the highest
    score, the share of marked ones among them, which is what breaking the tie at random gives on
    average.
    """
    return scores.sums(marked * (scores.higher == 0) / scores.ties)


OF_MARKED: dict[str, Callable[[Scores, Marked], numpy.ndarray]] = {
    FIRST: lambda s, m: _first(s, m.marked),
    PRECISION: lambda s, m: orders.average_precision(s, m.marked),
    PRECISION_AT_K: lambda s, m: orders.precision_at(s, m.marked, s.sums(m.marked)),
    LAST: lambda s, m: orders.last_marked(s, m.marked),
}


def _signs(
    attributions: Attributions, method: str, scores: Scores
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The shares of contrary tokens, and of all, whose scores are negative. Shape: (texts,) each"""
    nothing = numpy.full(len(scores), numpy.nan)
    if CONTRARY_COLUMN not in attributions.table or not attributions.signed(method):
        return nothing, nothing
    marks = Scores.of(attributions.table[CONTRARY_COLUMN])
    usable = scores.known & scores.finite & marks.known & attributions.explains_gold
    usable &= marks.sums(marks.values) > 0
    some, contrary = scores.only(usable), marks.only(usable).values
    negative = (some.values < 0).astype(float)
    shares, everywhere = nothing.copy(), nothing.copy()
    shares[usable] = some.sums(contrary * negative) / some.sums(contrary)
    everywhere[usable] = some.sums(negative) / some.lengths
    return shares, everywhere


def _summary(by_text: pandas.DataFrame) -> dict[str, float]:
    first = by_text[FIRST].dropna()
    wilson = {FIRST: numpy.nan, "low": numpy.nan, "high": numpy.nan, "n": len(first)}
    if len(first):
        interval = binomtest(round(first.sum()), len(first)).proportion_ci(method="wilson")
        wilson.update({FIRST: first.mean(), "low": interval.low, "high": interval.high})
    columns = [PRECISION, PRECISION_AT_K, LAST, CONTRARY]
    means = intervals(numpy.array([[by_text[name]] for name in columns]))
    for position, name in enumerate(columns):
        wilson.update(
            {
                name: means.mean[position],
                f"{name} low": means.low[position],
                f"{name} high": means.high[position],
            }
        )
    return {
        **wilson,
        NEGATIVE: float(mean_of_known(by_text[NEGATIVE].to_numpy(), 0)),
        "contrary n": int(by_text[CONTRARY].notna().sum()),
    }
