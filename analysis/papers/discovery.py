"""
All papers, claims and tables. A paper is a folder of this package whose `__init__` defines `PAPER`.
"""

from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pandas

from analysis import papers
from analysis.claims.claim import IN_PRINT, Claim, Outcome, judge_claims
from analysis.claims.printed import compare_with_print
from analysis.claims.table_rows import Tables, read_tables
from analysis.papers.faithfulness import FAITHFULNESS
from analysis.papers.heads import HEADS
from analysis.papers.planted_truth import PLANTED_TRUTH
from analysis.papers.shared.paper import Exhibition, Paper


def judge_folder(folder: Path) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """The contents of `claims.csv` and `beside-print.csv` for the tables in the folder."""
    tables = read_tables(folder, TABLES)
    return with_print(judge_claims(tables, CLAIMS)), compare_with_print(tables, PRINTED)


def declared_papers() -> tuple[Paper, ...]:
    """All papers, sorted by year, then by `order`, then by the name of the folder."""
    folders = [folder.name for folder in iter_modules(papers.__path__) if folder.ispkg]
    modules = [import_module(f"{papers.__name__}.{name}") for name in sorted(folders)]
    declared = [module.PAPER for module in modules if hasattr(module, "PAPER")]
    return tuple(sorted(declared, key=lambda paper: (paper.year, paper.order)))


PAPERS = declared_papers()
EXHIBITIONS: tuple[Exhibition, ...] = (
    *PAPERS,
    *(more for paper in PAPERS for more in paper.more),
    FAITHFULNESS,
    PLANTED_TRUTH,
    HEADS,
)
# The names that `python -m analysis table` accepts.
NAMES = tuple(
    dict.fromkeys(
        name
        for exhibition in EXHIBITIONS
        if exhibition.exhibits
        for name in (exhibition.name, *(exhibit.name for exhibit in exhibition.exhibits))
    )
)
CLAIMS = tuple(replace(claim, paper=paper.title) for paper in PAPERS for claim in paper.claims)
PRINTED = tuple(replace(one, paper=paper.title) for paper in PAPERS for one in paper.printed)
# The names of the tables that claims or printed numbers refer to.
TABLES = tuple(
    dict.fromkeys(
        [
            *(table.name for claim in CLAIMS for table in (claim.table, *claim.others)),
            *(one.table for one in PRINTED),
        ]
    )
)


@lru_cache(maxsize=1)
def judge_in_print() -> pandas.DataFrame:
    """
    The outcomes of all claims on the tables that their papers print, with the columns of `claims.csv`. `protocol` is
    `IN_PRINT`, or says that others have rerun the experiments.
    """
    judged = []
    for paper in PAPERS:
        claims = [claim for claim in CLAIMS if claim.paper == paper.title and not claim.over_models]
        judged.append(judge_claims(Tables(paper.in_print(), IN_PRINT), claims))
    return pandas.concat(judged, ignore_index=True)


HOLDS_IN_PRINT = "holds in print"
SAYS = {Outcome.HOLDS.value: "yes", Outcome.FAILS.value: "no"}


def with_print(claims: pandas.DataFrame) -> pandas.DataFrame:
    """
    Rows of `claims.csv` with a column `holds in print`: by the paper's number for this corpus and model `yes`, `no` or
    `inconclusive`; `-` if it has none.
    """
    printed = judge_in_print()
    printed = printed[printed["protocol"] == IN_PRINT]
    keys = ["name", "corpus", "model"]
    found = {
        key: SAYS.get(outcome, Outcome.UNKNOWN.value)
        for key, outcome in zip(
            printed[keys].itertuples(index=False, name=None), printed["outcome"], strict=True
        )
    }
    of_rows = claims[keys].itertuples(index=False, name=None)
    return claims.assign(**{HOLDS_IN_PRINT: [found.get(key, "-") for key in of_rows]})


def find_claim(name: str) -> Claim:
    """The claim of that name."""
    return next(claim for claim in CLAIMS if claim.name == name)
