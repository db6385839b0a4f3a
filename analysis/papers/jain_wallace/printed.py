"""Which numbers Jain & Wallace 2019 print that ours stand beside."""

from analysis.claims.beside_print import OF_TAU, Printed
from analysis.papers.jain_wallace.correlations import CORRELATIONS
from analysis.papers.shared.published import VECTORS

TAU = "tau of {scores} with {importance}, predicted {predicted}"
PRINTED = (
    Printed(
        CORRELATIONS.name,
        "Table 2, and the appendix",
        TAU,
        "published on test",
        OF_TAU,
        note=f"theirs: the epoch selected on the test set; {VECTORS}",
    ),
    Printed(
        CORRELATIONS.name,
        "outputs of the released code, selected on dev",
        TAU,
        "published on dev",
        OF_TAU,
        note=VECTORS,
    ),
)
