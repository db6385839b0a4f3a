"""Which numbers Wiegreffe & Pinter 2019 print that ours stand beside."""

from analysis.claims.beside_print import OF_ACCURACY, OF_JSD, OF_TVD, Printed
from analysis.papers.shared.adversary_rows import DOUBLED_TVD, EARLIER_TVD
from analysis.papers.shared.published import VECTORS
from analysis.papers.wiegreffe_pinter.adversaries import ADVERSARIES
from analysis.papers.wiegreffe_pinter.usefulness import GUIDES_TABLE, UNIFORM_TABLE

THEIRS = f"theirs: the epoch selected on the test set; {VECTORS}"
DOUBLED = "theirs is doubled, as their code halves the distance once more"
AT = "at lambda {lambda as published:g} as published"
PRINTED = (
    *(
        Printed(
            UNIFORM_TABLE.name,
            "Table 2",
            f"F1 with {words} attention",
            f"published {column}",
            OF_ACCURACY,
            column,
            column,
            note=THEIRS,
        )
        for column, words in (("base", "learned"), ("uniform", "uniform"))
    ),
    Printed(
        GUIDES_TABLE.name,
        "Table 3",
        "F1 guided by {guide}",
        "published",
        OF_ACCURACY,
        "f1",
        note=THEIRS,
    ),
    *(
        Printed(
            ADVERSARIES.name,
            "Table 5",
            f"{name} of the adversary {AT}",
            column,
            tolerance,
            ours,
            ours,
            earlier,
            note=f"{note}; {THEIRS}" if note else THEIRS,
        )
        for name, column, earlier, ours, tolerance, note in (
            ("F1", "published f1", "", "f1", OF_ACCURACY, ""),
            ("TVD", DOUBLED_TVD, EARLIER_TVD, "tvd", OF_TVD, DOUBLED),
            ("JSD", "published jsd", "", "jsd", OF_JSD, ""),
        )
    ),
)
