"""
All papers, found by their folders: a folder of this package whose `__init__` has a `PAPER` is one.
And everything that can be asked for by name, of papers and of what no single paper has.
"""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pandas

from analysis import papers
from analysis.claims.claim import Claim, judge_claims
from analysis.claims.printed import compare_with_print
from analysis.claims.table_rows import read_tables
from analysis.papers.faithfulness import FAITHFULNESS
from analysis.papers.heads import HEADS
from analysis.papers.planted_truth import PLANTED_TRUTH
from analysis.papers.shared.paper import Exhibition, Paper


def judge_folder(folder: Path) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """What `claims.csv` and `beside-print.csv` have; without rows where no table is there."""
    tables = read_tables(folder, TABLES)
    return judge_claims(tables, CLAIMS), compare_with_print(tables, PRINTED)


def declared_papers() -> tuple[Paper, ...]:
    """
    All papers, by their years; those of a year by `order`, then by the names of their folders.
    """
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
# What `python -m analysis table` can be asked for.
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
# The names of those that the claims rest on, or that have what was printed.
TABLES = tuple(
    dict.fromkeys(
        [
            *(table.name for claim in CLAIMS for table in (claim.table, *claim.others)),
            *(one.table for one in PRINTED),
        ]
    )
)


def find_claim(name: str) -> Claim:
    """The claim of that name, which has to be there."""
    return next(claim for claim in CLAIMS if claim.name == name)
