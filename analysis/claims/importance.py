"""Both kinds of importance that the papers hold attention against."""

from typing import Any, Dict, Iterator, Sequence, Tuple

from analysis.agreement.pairs import Pair
from analysis.claims.estimate import Estimate, has_place, nothing_in, paired, placed
from analysis.claims.table_rows import Row, one
from analysis.papers.shared.differences import DIFFERENCE, OF_PLACES

IMPORTANCE = ("gradient", "leave-one-out")


def of_each(rows: Sequence[Row], **equal: Any) -> Iterator[Tuple[str, Row]]:
    """The row with these values for each kind, where there is one."""
    for name in IMPORTANCE:
        row = one(rows, importance=name, **equal)
        if row is not None:
            yield name, row


def differences(
    rows: Sequence[Row], compared: Sequence[Row], of: Dict[str, Any], less: Dict[str, Any]
) -> Iterator[Tuple[str, Estimate]]:
    """
    For each kind, the place of the row with some values less that of the row with others.

    compared : the differences that the table has, as in `less_than`.
    """
    subtracted = dict(of_each(rows, **less))
    for name, row in of_each(rows, **of):
        if name in subtracted:
            yield name, less_than(compared, row, subtracted[name])


def less_than(compared: Sequence[Row], row: Row, other: Row) -> Estimate:
    """
    The place of the one agreement less that of the other, on the same texts if it is among those
    compared; else as if they were independent.
    """
    column = OF_PLACES if has_place(row) and has_place(other) else DIFFERENCE
    for found in compared:
        ends = [_named(found, side) for side in ("first", "second")]
        less = paired(found, column)
        if less is None:
            continue
        nothing = nothing_in(row) or nothing_in(other)
        if ends == [_known_by(row), _known_by(other)]:
            return Estimate(less.mean, less.low, less.high, True, nothing)
        if ends == [_known_by(other), _known_by(row)]:
            return Estimate(-less.mean, -less.high, -less.low, True, nothing)
    return placed(row).minus(placed(other))


def _named(found: Row, side: str) -> tuple:
    return found["corpus"], found["measure"], found[f"{side} model"], found[f"{side} pair"]


def _known_by(row: Row) -> tuple:
    measure = f"{row['measure']}:k={row['k']}" if "k" in row else row.get("measure")
    pair = Pair(str(row.get("first")), str(row.get("second")))
    return row["corpus"], measure, row["model"], str(pair)
