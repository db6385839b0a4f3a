"""Which numbers Meister et al. 2021 print that ours stand beside."""

import pandas

from analysis.claims.beside_print import OF_ACCURACY, OF_JSD, OF_TAU, ROUNDED, Printed, Traced
from analysis.papers.meister.adversaries import ADVERSARY
from analysis.papers.meister.correlations import ACCURACY, CORRELATIONS, ENTROPY
from analysis.papers.meister.sparsity import SWEEP
from analysis.papers.shared.published import VECTORS

# The number of epochs is not published.
THEIRS = f"their number of epochs is not known; {VECTORS}"
# Of SST, three seeds and all test texts: from the tables of the studies `meister_2021` and `attention_debate`.
BILSTM = (
    "it depends on training: with Jain & Wallace's (8 epochs at 1e-3, summed loss) the model has .503 with the gradient and .267 with "
    "leave-one-out; with Meister et al.'s (1e-4, mean loss) -.019 and .053, attention that is more uniform (normalised entropy .75 to .88 in place of "
    ".54 to .69), and a tau with the gradient that differs from text to text (standard deviation .48, printed .28) and from seed to seed (.13). They give the rate of "
    "attention as that of the rest or ten times that, and not which: ours is that of the rest"
)
ZEROS = (
    "a word without weight has a leave-one-out of 0, so that tau goes with the share of zeros: .246 without any (softmax), .725 with .27 "
    "to .32 of weights at 0 (sparsegen, lambda -1), .793 with .36 to .41 (sparsemax), .880 with .52 to .58 (lambda .75); what they print is "
    "nearest to attention without zeros. Attention learns at ten times the rate of the rest here; they say that or the same, and not which"
)
FROZEN = {True: "frozen", False: "not frozen"}
KEYS = ["corpus", "model", "frozen"]


def furthest(table: pandas.DataFrame) -> pandas.DataFrame:
    """Of each model's adversaries, since theirs is not known; chosen by no number that was printed."""
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
        traced=(
            Traced(
                {"corpus": "sst", "model": "bilstm tanh softmax", "importance of": "input"}, BILSTM
            ),
            Traced(
                {
                    "corpus": "sst",
                    "model": "transformer dot sparsemax",
                    "importance of": "hidden",
                    "importance": "leave-one-out",
                },
                ZEROS,
            ),
        ),
    ),
)
