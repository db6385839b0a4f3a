"""Which numbers Meister et al. 2021 print that ours stand beside."""

import pandas

from analysis.claims.beside_print import OF_ACCURACY, OF_JSD, OF_TAU, ROUNDED, Printed
from analysis.papers.meister.adversaries import ADVERSARY
from analysis.papers.meister.correlations import ACCURACY, CORRELATIONS, ENTROPY
from analysis.papers.meister.sparsity import SWEEP
from analysis.papers.shared.published import VECTORS

# The number of epochs is not published.
THEIRS = f"their number of epochs is not known; {VECTORS}"
FROZEN = {True: "frozen", False: "not frozen"}
KEYS = ["corpus", "model", "frozen"]


def furthest(table: pandas.DataFrame) -> pandas.DataFrame:
    """Of each model's adversaries: what the claims are judged by, too."""
    return table.loc[table.groupby(KEYS, sort=False)["jsd"].idxmax()]


PRINTED = (
    Printed(
        ENTROPY.name,
        "Table 1",
        "entropy of what matters to a state",
        "published",
        ROUNDED,
        note=THEIRS,
    ),
    Printed(
        SWEEP.name,
        "Table 2",
        "correlation of lambda with the entropy of {importance}",
        "published",
        ROUNDED,
        note=THEIRS,
    ),
    Printed(ACCURACY.name, "Table 3", "accuracy", "published", OF_ACCURACY, note=THEIRS),
    *(
        Printed(
            ADVERSARY.name,
            "Table 5",
            f"{name} of the adversary, {words}, lambda {{lambda:g}}",
            f"published {column}",
            tolerance,
            column,
            column,
            only={"frozen": frozen},
            chosen=furthest,
            note=f"their lambda is not known, ours is the one that moves attention furthest; {THEIRS}",
        )
        for frozen, words in FROZEN.items()
        for name, column, tolerance in (
            ("JSD", "jsd", OF_JSD),
            ("accuracy", "accuracy", OF_ACCURACY),
        )
    ),
    Printed(
        CORRELATIONS.name,
        "Table 6",
        "tau with {importance} of {importance of}",
        "published",
        OF_TAU,
        note=THEIRS,
    ),
)
