"""A folder of results, judged anew from its csv tables alone: claims, and what was printed."""

from pathlib import Path
from typing import Tuple

import pandas

from analysis.claims.beside_print import beside_print
from analysis.claims.claim import judged
from analysis.claims.table_rows import read_tables
from analysis.papers.discovery import CLAIMS, PRINTED, TABLES


def judged_folder(folder: Path) -> Tuple[pandas.DataFrame, pandas.DataFrame]:
    """What `claims.csv` and `beside-print.csv` have; without rows where no table is there."""
    tables = read_tables(folder, TABLES)
    return judged(tables, CLAIMS), beside_print(tables, PRINTED)
