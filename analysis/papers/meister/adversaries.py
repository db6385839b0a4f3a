"""Adversaries that were trained, frozen and not: Meister et al. 2021, Table 5."""

from typing import Optional

from analysis.claims.table_rows import TypedTable
from analysis.output import Output
from analysis.papers.meister.correlations import SCORERS
from analysis.papers.shared.adversary_rows import (
    KEYS,
    SOURCE,
    AdversaryRow,
    adversary_rows,
    described_adversaries,
    shown_adversaries,
)
from analysis.papers.shared.published import published
from analysis.papers.shared.study_files import StudyFiles

ADVERSARY = TypedTable("meister-table-5", AdversaryRow)


def table_5(study: StudyFiles, output: Output) -> Optional[str]:
    """Adds the table; gives a sentence on adversaries that are left out, if any are."""
    table, left_out = adversary_rows(study)
    theirs = published("meister/table5_adversary").rename(
        columns={"mean": "published accuracy", "jsd": "published jsd"}
    )
    theirs["frozen"] = theirs.pop("parameters") == "frozen"
    theirs["attention"] = theirs["encoder"].map(SCORERS)
    theirs["projection"] = "softmax"
    table = table.merge(theirs, on=KEYS, how="left", validate="many_to_one")
    names = ("published jsd", "jsd", "published accuracy", "accuracy", "tvd")
    output.table(
        ADVERSARY.name,
        table,
        "Adversaries with all parameters of the base but attention's frozen, and with none: "
        f"divergence of attention and accuracy, compared with Meister et al. (2021), Table 5. {described_adversaries(table)}.",
        "The paper does not give its lambda. Published: BiLSTM with tanh, Transformer with dot "
        f"attention. {SOURCE}",
        shown_adversaries(table, names, ["frozen", "lambda"]),
    )
    return left_out
