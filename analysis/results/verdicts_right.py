"""How often the verdict is right on corpora with ground-truth words, and how well measures rank methods there."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas

from analysis.formats import pipe_table
from analysis.results.cited import Row, Sheet
from analysis.results.studies import StudyResults, joined
from analysis.verdict.against_truth import (
    ALL_VERDICTS,
    count_errors,
    count_outcomes,
    share_wrong,
)

ABOUT = {"attention": "verdicts on attention", "recommended": "recommendations"}
VERDICT = (
    "On the planted corpus `allennlp verdict` can be checked against the ground-truth words: attention finds them if its average precision, rescaled "
    "(0 = random order, 1 = these words first), is above a half ([details](docs/explanation/verdict-rule.md#how-often-the-verdict-is-wrong))."
)
MEASURES = "planted-truth-measures"
# The measure that the page uses.
MEASURE = {"measure": "comprehensiveness", "erasure": "delete"}
# Columns to show even if they are all 0.
ALWAYS = ("right", "wrong")


def verdict_counts_sheet(studies: Sequence[StudyResults]) -> Sheet:
    """The number of each outcome, by what the verdict is about and how models were trained, over all studies."""
    rows = joined(studies, ALL_VERDICTS)
    table = pandas.concat([count_outcomes(rows, about) for about in ABOUT]) if len(rows) else rows
    return Sheet("results/verdict-counts.csv", table.reset_index(drop=True))


def verdicts_sheet(studies: Sequence[StudyResults]) -> Sheet:
    """
    How often verdicts are wrong among those that decide and whose truth is clear, with Wilson's interval. And how many
    of all that decide disagree with the mean of the truth, however wide its interval is.
    """
    every = joined(studies, ALL_VERDICTS)
    rows: list[dict[str, Any]] = []
    for about in ABOUT if len(every) else ():
        errors = count_errors(every, about)
        if errors["clear"]:
            wrong = share_wrong(errors)
            ends = {"share": wrong.mean, "low": wrong.low, "high": wrong.high}
            rows.append({"about": about, **errors, **ends})
    return Sheet("results/verdicts.csv", pandas.DataFrame(rows))


def how_often_right(counts: Sheet, verdicts: Sheet, measures: Sequence[Sheet]) -> Iterator[str]:
    yield VERDICT + "\n"
    outcomes = [
        name for name in counts.table.columns[3:] if name in ALWAYS or counts.table[name].sum()
    ]
    yield pipe_table(
        ["about", "models trained", "models", *outcomes],
        [
            [row["about"], row["trained"], row.whole("models"), *map(row.whole, outcomes)]
            for row in counts
            if row["about"] == "attention" or row["trained"] == "all"
        ],
        ["---", "---", *["---:"] * (1 + len(outcomes))],
    )
    yield " ".join(map(_wrong, verdicts)) + "\n"
    yield from _measures(measures)


def _wrong(row: Row) -> str:
    sentence = (
        f"{row.whole('wrong')} of {row.whole('clear')} decided {ABOUT[row['about']]} with a clear truth are wrong: "
        f"{row.percent('share', 1)} [{row.percent('low', 1)}, {row.percent('high', 1)}]; with ambiguous models, "
        f"{row.whole('contradicted')} of {row.whole('decided')}"
    )
    if row["about"] == "attention":
        sentence += f" ({row.whole('contradicted yes')} of {row.whole('yes')} that say yes)"
    return f"{sentence}."


def _measures(sheets: Sequence[Sheet]) -> Iterator[str]:
    """How the measure of the page ranks methods, compared with the best measure."""
    for sheet in sheets:
        usual = [row for row in sheet if not row["erasure training"]]
        for own in usual:
            if all(own[name] == value for name, value in MEASURE.items()):
                highest = max(usual, key=lambda row: row["tau"])
                yield (
                    f"By {own['measure']} ({own['erasure']}) methods rank as by the truth with a tau of {own.estimate('tau')}, over {own.whole('models')} kinds of models; "
                    f"the highest of [all measures]({own.file}) has {highest.number('tau')}.\n"
                )
                return
