"""
Simulatability (Treviso & Martins 2020): can a layperson, a linear model that sees only the top words of a text by a
method, guess the label that the classifier gives it?
"""

import zlib
from collections.abc import Sequence
from typing import Any

import numpy
import pandas
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from analysis.errors import AnalysisError
from analysis.statistics.intervals import intervals
from analysis.text_files import Attributions
from analysis.written import estimates, number

SIZES = (1, 3, 5)
CSR, ACCURACY = "CSR", "accuracy"
# Controls: words at random, and the first words of a text.
RANDOM_WORDS, FIRST_WORDS = "random words", "first words"


def messages(file: Attributions, method: str, k: int) -> list[list[str] | None]:
    """The k words with the highest scores of each text, ties in random order; None without scores."""
    return [
        None
        if scores is None
        else [tokens[position] for position in _top(scores, k, f"{id} {method}")]
        for id, tokens, scores in zip(
            file.table["id"], file.table["tokens"], _scores(file, method), strict=True
        )
    ]


def _scores(file: Attributions, method: str) -> list[numpy.ndarray | None]:
    lengths = file.table["tokens"].map(len)
    if method == RANDOM_WORDS:
        return [numpy.zeros(length) for length in lengths]
    if method == FIRST_WORDS:
        return [-numpy.arange(length) for length in lengths]
    scores = file.scores(method)
    usable = scores.known & scores.finite
    return [values if known else None for values, known in zip(scores, usable, strict=True)]


def _top(scores: numpy.ndarray, k: int, seed: str) -> numpy.ndarray:
    # By position, the first of tied words would look important.
    random = numpy.random.default_rng(zlib.crc32(seed.encode("utf-8", "surrogatepass")))
    return numpy.lexsort((random.random(len(scores)), -scores))[:k]


def guesses(
    train: Sequence[Sequence[str]], labels: Sequence[str], test: Sequence[Sequence[str]]
) -> numpy.ndarray:
    """What a logistic regression on bags of words, trained on the messages, says of others. Shape: (test,)"""
    words = CountVectorizer(analyzer=lambda message: message)
    layperson = LogisticRegression(max_iter=1000)
    layperson.fit(words.fit_transform(train), labels)
    return layperson.predict(words.transform(test))


def simulatability_table(
    train: Attributions, test: Attributions, sizes: Sequence[int] = SIZES
) -> pandas.DataFrame:
    """
    For each method and number of words the communication success rate, the share of test texts for which the layperson
    gives the classifier's label, and its accuracy for the gold labels; with 95 % intervals over texts.
    """
    if train.learned != test.learned:
        raise AnalysisError(f"{test.path}: is of another model than {train.path}")
    if min(sizes) < 1:
        raise AnalysisError(f"the number of words is {min(sizes)}, but must be 1 or more")
    if train.table["predicted"].nunique() < 2:
        raise AnalysisError(
            f"{train.path}: all texts have the same prediction, so nothing is to be guessed"
        )
    if set(train.table["id"]) & set(test.table["id"]):
        raise AnalysisError(
            f"{test.path}: has texts of {train.path}; a layperson has to be tested on others"
        )
    rows = []
    methods = [method for method in test.methods if method in train.methods]
    for method in (*methods, RANDOM_WORDS, FIRST_WORDS):
        for k in sizes:
            shown, asked = messages(train, method, k), messages(test, method, k)
            known = numpy.array([message is not None for message in asked])
            learned = [message is not None for message in shown]
            labels = train.table["predicted"].to_numpy()[learned].tolist()
            if not known.any() or len(set(labels)) < 2:
                continue
            said = guesses(
                [each for each in shown if each is not None],
                labels,
                [each for each in asked if each is not None],
            )
            row: dict[str, Any] = {"method": method, "k": k}
            for name, column in ((CSR, "predicted"), (ACCURACY, "label")):
                right = said == test.table[column].to_numpy()[known]
                values = numpy.where(test.table[column].notna()[known], right, numpy.nan)
                means = intervals(values[None, None, :]).of_shares()
                row.update(
                    {
                        name: means.mean[0],
                        f"{name} low": means.low[0],
                        f"{name} high": means.high[0],
                    }
                )
            rows.append({**row, "texts": int(known.sum())})
    return pandas.DataFrame(rows)


def shown_simulatability(table: pandas.DataFrame) -> pandas.DataFrame:
    """What people read: a row per method, with the CSR for each number of words, the best first."""
    shown = table.assign(shown=list(map(str, estimates(table, CSR))))
    wide = shown.pivot(index="method", columns="k", values="shown").fillna(number(numpy.nan))
    order = table.groupby("method")[CSR].mean().sort_values(ascending=False).index
    wide.columns = [f"{CSR}, k = {k} [95 %]" for k in wide.columns]
    return wide.loc[order].reset_index()
