"""Names of columns and values in tables that versions before 0.2 wrote, and their present names."""

import pandas

COLUMNS = {
    "untold": "inconclusive",
    "difference of places": "scaled difference",
    "of places": "of scaled",
    "mass place": "mass score",
}
VALUES = {
    "outcome": {"cannot be told": "inconclusive"},
    "reproduced": {"cannot be told": "inconclusive"},
    "scores": {"by size": "by magnitude"},
}
ENDS = ("", " low", " high")


def with_present_names(table: pandas.DataFrame) -> pandas.DataFrame:
    """The table with present names of columns and values."""
    # Agreement has a ceiling; faithfulness is between a random and the best order.
    place = {"place": "scaled" if "ceiling" in table else "score"}
    names = {
        f"{old}{end}": f"{new}{end}" for old, new in {**COLUMNS, **place}.items() for end in ENDS
    }
    table = table.rename(columns=names)
    for column, values in VALUES.items():
        if column in table and not pandas.api.types.is_numeric_dtype(table[column]):
            table[column] = table[column].replace(values)
    return table
