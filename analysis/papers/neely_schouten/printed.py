"""Which numbers Neely & Schouten 2020 print that ours stand beside."""

from analysis.claims.beside_print import OF_TAU, Printed
from analysis.papers.neely_schouten.top_k import AS_PUBLISHED, TOP_K
from analysis.papers.shared.published import VECTORS

THEIRS = f"theirs: first and last token cut, padding not masked; {VECTORS}"
PRINTED = (
    Printed(
        "neely-schouten-table-1",
        "Table 1",
        "tau with {importance}, predicted {predicted}",
        "published",
        OF_TAU,
        note=f"their table does not name its scorer, taken for tanh; {THEIRS}",
    ),
    Printed(
        TOP_K.name,
        "Table 2",
        "top-k score as published, k = {k}, with {importance}, predicted {predicted}",
        "published",
        OF_TAU,
        only={"measure": AS_PUBLISHED},
        note=THEIRS,
    ),
)
