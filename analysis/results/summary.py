"""Tables over all studies, which the page is made of: what was run, claims, what was printed, verdicts."""

from collections.abc import Sequence
from typing import Any

import pandas

from analysis.claims.claim import (
    BEYOND,
    IN_PRINT,
    OWN_SCOPE,
    Claim,
    ClaimTest,
    Outcome,
    drop_repeated,
    judge_claims,
)
from analysis.claims.multiplicity import multiplicity
from analysis.claims.printed import INCONCLUSIVE, YES
from analysis.claims.printed import NAME as PRINTED_NAME
from analysis.claims.table_rows import Tables
from analysis.manifest import WRITTEN
from analysis.papers.discovery import CLAIMS, find_claim, judge_folder, judge_in_print, with_print
from analysis.results.cited import Sheet
from analysis.results.studies import StudyResults, joined

SECONDS = 3600
# What a printed number is.
PRINTED_KEY = ["paper", "exhibit", "corpus", "model", "quantity"]
# How outcomes are counted: whatever others there are, or all together.
EACH, TOGETHER = "each by itself", "together"
MIXED = "mixed"
# The columns of a tally.
TALLIED = {
    Outcome.HOLDS: "hold",
    Outcome.FAILS: "fail",
    MIXED: "mixed",
    Outcome.UNKNOWN: "inconclusive",
}
JUDGED = (Outcome.HOLDS.value, Outcome.FAILS.value, Outcome.UNKNOWN.value)


def studies_sheet(studies: Sequence[StudyResults]) -> Sheet:
    """One row per study: what it was, and what it took."""
    rows: list[dict[str, Any]] = []
    for study in _whole(studies):
        account = study.account
        rows.append(
            {
                "folder": study.folder.name,
                "study": account["title"],
                "corpora": ", ".join(account["corpora"]),
                "seeds": len(account["seeds"]),
                "texts": account.get("limit"),
                "models": account["runs"],
                "core hours": sum(account["seconds"].values()) / SECONDS,
                "hours": account["elapsed"] / SECONDS,
                "cores": account["cores"],
                "finished": account.get("finished", ""),
                "earlier version": WRITTEN not in study.manifest,
                "command": account["command"],
            }
        )
    return Sheet("results/studies.csv", pandas.DataFrame(rows))


def _whole(studies: Sequence[StudyResults]) -> list[StudyResults]:
    """Those whose folder has the account; what they hold for each corpus is below."""
    return [study for study in studies if not study.below]


def judge_again(studies: Sequence[StudyResults]) -> tuple[Sheet, Sheet]:
    """All claims and printed numbers by the present rules; pooled claims over all studies."""
    claims, printed = [], []
    for study in studies:
        found, compared = judge_folder(study.folder)
        claims.append(found.assign(study=study.name))
        own = compared["paper"] == study.account["title"]
        printed.append(compared.assign(study=study.name, own=own))
    together = [claim for claim in CLAIMS if claim.over_models]
    names = [claim.name for claim in together]
    apart = [table[~table["name"].isin(names)] for table in claims]
    pooled = [_over_all_models(claim, studies) for claim in together]
    every = _under_each_other([*apart, *pooled])
    return (
        Sheet("results/claims.csv", drop_repeated(every)),
        Sheet(f"results/{PRINTED_NAME}.csv", _largest_first(_printed_once(printed))),
    )


def _under_each_other(tables: Sequence[pandas.DataFrame]) -> pandas.DataFrame:
    """An empty table has no types, and would take those of the others away."""
    having = [table for table in tables if len(table)]
    return pandas.concat(having or [tables[0]], ignore_index=True)


def _printed_once(printed: Sequence[pandas.DataFrame]) -> pandas.DataFrame:
    """Each number that was printed, next to that of the paper's own study if there is one, else of the first."""
    table = _under_each_other(printed)
    own_first = table.sort_values("own", ascending=False, kind="stable")
    return own_first.drop_duplicates(PRINTED_KEY).drop(columns="own")


def _largest_first(table: pandas.DataFrame) -> pandas.DataFrame:
    largest = table["difference"].astype(float).abs().sort_values(ascending=False, kind="stable")
    return table.loc[largest.index].reset_index(drop=True)


def _over_all_models(claim: Claim, studies: Sequence[StudyResults]) -> pandas.DataFrame:
    rows = joined(studies, claim.table.name)
    if rows.empty:
        return pandas.DataFrame()
    tables = Tables({claim.table.name: rows.drop_duplicates(ignore_index=True)}, "all studies")
    return with_print(judge_claims(tables, [claim])).assign(study="all studies")


def outcomes_sheet(claims: Sheet) -> Sheet:
    """One row per claim, scope, corpus and outcome: for how many models and ways of training it came out so."""
    counted = claims.table.groupby(["name", "scope", "corpus", "outcome"], sort=False).size()
    return Sheet("results/outcomes.csv", counted.reset_index(name="models"))


def tally_sheet(claims: Sheet) -> Sheet:
    """
    One row per kind of test and scope: how many claims hold wherever they are decided, fail wherever they are decided,
    do either, and are inconclusive everywhere. A claim about most models holds if it does in most decided cases. Then
    the same with only those outcomes that remain decided when all are counted together.
    """
    lost = multiplicity(claims.table).lost.index
    together = claims.table.assign(
        outcome=claims.table["outcome"].where(~claims.table.index.isin(lost), Outcome.UNKNOWN.value)
    )
    rows = [
        {
            "test": test.value,
            "scope": scope,
            "counted": counted,
            **_tallied(table[(table["test"] == test.value) & (table["scope"] == scope)]),
        }
        for counted, table in ((EACH, claims.table), (TOGETHER, together))
        for test in ClaimTest
        for scope in (OWN_SCOPE, BEYOND)
    ]
    return Sheet("results/tally.csv", pandas.DataFrame(rows))


def _tallied(claims: pandas.DataFrame) -> dict[str, int]:
    judged_ones = claims[claims["outcome"].isin(JUDGED)]
    every = []
    for name, group in judged_ones.groupby("name", sort=False):
        hold, fail = (
            int((group["outcome"] == each.value).sum()) for each in (Outcome.HOLDS, Outcome.FAILS)
        )
        every.append(whole_outcome(hold, fail, find_claim(str(name)).most))
    return {"claims": len(every), **{title: every.count(told) for told, title in TALLIED.items()}}


def whole_outcome(hold: int, fail: int, most: bool) -> str:
    """What the decided cases make of a claim about each, or about most, models."""
    if most and hold + fail and hold != fail:
        return Outcome.HOLDS if hold > fail else Outcome.FAILS
    if hold and fail:
        return MIXED
    return Outcome.HOLDS if hold else Outcome.FAILS if fail else Outcome.UNKNOWN


def in_print_sheet() -> Sheet:
    """One row per claim: on how many printed corpora and models it holds and fails, and what is printed instead of numbers."""
    judged = judge_in_print()
    rows = []
    for claim in CLAIMS:
        of_claim = judged[judged["name"] == claim.name]
        beyond = of_claim[(of_claim["scope"] == BEYOND) & (of_claim["protocol"] == IN_PRINT)]
        every = of_claim[of_claim["scope"] == OWN_SCOPE]
        own = every[every["protocol"] == IN_PRINT]
        rerun = every[every["protocol"] != IN_PRINT]
        holds, fails = (
            (own["outcome"] == each.value).sum() for each in (Outcome.HOLDS, Outcome.FAILS)
        )
        rows.append(
            {
                "paper": claim.paper,
                "name": claim.name,
                "reference": claim.reference,
                "printed": len(own),
                "holds": int(holds),
                "fails": int(fails),
                "printed beyond": len(beyond),
                "holds beyond": int((beyond["outcome"] == Outcome.HOLDS.value).sum()),
                "rerun by others": len(rerun),
                "holds in rerun": int((rerun["outcome"] == Outcome.HOLDS.value).sum()),
                "about most": claim.most,
                "instead of numbers": claim.in_print,
                "contradiction": claim.contradiction,
                "evidence": " | ".join(
                    f"{row['corpus']}, {row['model']}: {row['evidence']}"
                    for row in pandas.concat([every, beyond]).to_dict("records")
                ),
            }
        )
    return Sheet("results/claims-in-print.csv", pandas.DataFrame(rows))


def projection_sheet(claims: Sheet, run: Sheet) -> Sheet:
    """
    One row per study with inconclusive outcomes: how many of them more seeds would decide if means and
    variation stayed as they are, what these seeds cost by what the study has cost, and the cost of one outcome.
    Training and explaining alone count; models that other studies have trained already make it cheaper.
    """
    rows = []
    open_ = claims.table[claims.table["outcome"] == Outcome.UNKNOWN.value]
    for study in run:
        own = open_[open_["study"] == study["folder"]]
        known = own["seeds to decide"].dropna()
        if own.empty:
            continue
        # Some models have fewer seeds than their study.
        seeds = int(own["seeds"].min()) if len(known) else study["seeds"]
        for wanted in sorted({int(each) for each in known}):
            decided = int((known <= wanted).sum())
            hours = (wanted - seeds) * study["core hours"] / study["seeds"]
            rows.append(
                {
                    "study": study["folder"],
                    "inconclusive": len(own),
                    "seeds": seeds,
                    "seeds by projection": wanted,
                    "decided by projection": decided,
                    "core hours": hours,
                    "core hours per outcome": hours / decided,
                }
            )
    columns = ["study", "inconclusive", "seeds", "seeds by projection", "decided by projection"]
    columns += ["core hours", "core hours per outcome"]
    table = pandas.DataFrame(rows, columns=columns)
    return Sheet(
        "results/more-seeds.csv",
        table.sort_values("core hours per outcome", kind="stable", ignore_index=True),
    )


def reproduced_sheet(printed: Sheet) -> Sheet:
    """One row per table of ours and source of numbers: how many of them are reproduced; then of all tables."""
    kinds = [*printed.table.groupby(["source", "paper", "table"], sort=False)]
    kinds += [((source, "all", "all"), of) for source, of in printed.table.groupby("source")]
    rows = [
        {
            "source": source,
            "paper": paper,
            "table": table,
            "printed": len(group),
            "reproduced": int((group["reproduced"] == YES).sum()),
            "inconclusive": int((group["reproduced"] == INCONCLUSIVE).sum()),
        }
        for (source, paper, table), group in kinds
    ]
    columns = ["source", "paper", "table", "printed", "reproduced", "inconclusive"]
    return Sheet("results/reproduced.csv", pandas.DataFrame(rows, columns=columns))


def multiplicity_sheet(claims: Sheet) -> Sheet:
    """One row: how many outcomes there are, and how many remain when they are counted together."""
    counted = multiplicity(claims.table)
    row = {
        "judged": counted.judged,
        "decided": counted.decided,
        "expected false": counted.expected_false,
        "with p": counted.decided - counted.without_p,
        "remaining": counted.remaining,
        "remaining for any dependence": counted.whatever_dependence,
    }
    return Sheet("results/multiplicity.csv", pandas.DataFrame([row]))
