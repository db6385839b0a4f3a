"""Both kinds of importance that the papers hold attention against."""

from typing import Any, Dict, Iterator, Sequence, Tuple

from analysis.claims.estimate import Estimate, placed
from analysis.claims.tables import Row, one

IMPORTANCE = ("gradient", "leave-one-out")


def of_each(rows: Sequence[Row], **equal: Any) -> Iterator[Tuple[str, Row]]:
    """The row with these values for each kind, where there is one."""
    for name in IMPORTANCE:
        row = one(rows, importance=name, **equal)
        if row is not None:
            yield name, row


def differences(
    rows: Sequence[Row], of: Dict[str, Any], less: Dict[str, Any]
) -> Iterator[Tuple[str, Estimate]]:
    """For each kind, the place of the row with some values less that of the row with others."""
    subtracted = dict(of_each(rows, **less))
    for name, row in of_each(rows, **of):
        if name in subtracted:
            yield name, placed(row).minus(placed(subtracted[name]))
