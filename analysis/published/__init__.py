"""
The papers' tables, as csv: what was published, and what released code gave. Nothing here is
computed; `published` reads a table and brings its words in line with those of this project.
"""

from pathlib import Path

import pandas

FOLDER = Path(__file__).parent
COLUMNS = {
    "dataset": "corpus",
    "predicted_class": "predicted",
    "compared_with": "importance",
    "mean_tau": "mean",
    "mean_entropy": "mean",
    "correlation_of_lambda_and_entropy": "mean",
    "accuracy": "mean",
    "std_tau": "std",
    "significant_fraction": "significant",
}
# Scaled dot product is Neely & Schouten's name of what the others call dot.
WORDS = {
    "sdp": "dot",
    "leave_one_out": "leave-one-out",
    "avg": "average-length",
    "non_zero": "non-zero",
}


def published(name: str) -> pandas.DataFrame:
    """The file `name.csv`. Classes are words here: "0", "1", "overall"."""
    table = pandas.read_csv(FOLDER / f"{name}.csv", dtype={"predicted_class": str})
    table = table.rename(columns=COLUMNS)
    for column in table.select_dtypes(include=["object", "string"]):
        table[column] = table[column].replace(WORDS)
    return table
