"""How often the verdict is right where causes are known, and how well measures rank methods there: a section."""

from typing import Any, Dict, Iterator, List, Sequence

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

SAID = {"attention": "verdicts on attention", "recommended": "recommendations"}
VERDICT = (
    "`allennlp verdict` answers for one model and its texts. On the planted corpus its answer can be held against the causes: attention points to them if its average precision "
    "comes more than half of the way from chance to 1 ([how it is counted](docs/explanation/verdict-rule.md#how-often-the-verdict-is-wrong))."
)
MEASURES = "planted-truth-measures"
# The one that the page goes by.
MEASURE = {"measure": "comprehensiveness", "erasure": "delete"}
# Columns of verdicts that say something also where they are empty.
ALWAYS = ("right", "wrong")


def verdict_counts_sheet(studies: Sequence[StudyResults]) -> Sheet:
    """How verdicts came out, by what they are about and how models were trained: all studies together."""
    rows = joined(studies, ALL_VERDICTS)
    table = pandas.concat([count_outcomes(rows, about) for about in SAID]) if len(rows) else rows
    return Sheet("results/verdict-counts.csv", table.reset_index(drop=True))


def verdicts_sheet(studies: Sequence[StudyResults]) -> Sheet:
    """
    How often verdicts are wrong, with Wilson's interval: of those that decide and whose truth is clear. And how many of
    all that decide are not what the truth's mean says, however sure that is.
    """
    every = joined(studies, ALL_VERDICTS)
    rows: List[Dict[str, Any]] = []
    for about in SAID if len(every) else ():
        held = count_errors(every, about)
        if held["clear"]:
            wrong = share_wrong(held)
            ends = {"share": wrong.mean, "low": wrong.low, "high": wrong.high}
            rows.append({"about": about, **held, **ends})
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
    said = (
        f"{row.whole('wrong')} of {row.whole('clear')} {SAID[row['about']]} that decide where the truth is clear are wrong: "
        f"{row.percent('share', 1)} [{row.percent('low', 1)}, {row.percent('high', 1)}]; with unclear truths too, each taken at its mean, "
        f"{row.whole('contradicted')} of {row.whole('decided')}"
    )
    if row["about"] == "attention":
        said += f" ({row.whole('contradicted yes')} of {row.whole('yes')} that say yes)"
    return f"{said}."


def _measures(sheets: Sequence[Sheet]) -> Iterator[str]:
    """How the page's own measure ranks methods, beside the measure that does best."""
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
