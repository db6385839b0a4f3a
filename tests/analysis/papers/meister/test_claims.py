"""What adversaries lose."""

from tests.analysis.papers.claimed_rows import adversary, near, outcome
from tests.analysis.papers.meister.claim_cases import BASE


def test_accuracy_is_lost_on_the_same_texts():
    (row,) = adversary(0.6, accuracy=0.7, frozen=True)
    row |= {"accuracy low": 0.0, "accuracy high": 1.0}
    assert outcome("frozen-adversary", [row], **BASE) == "cannot be told"
    assert (
        outcome("frozen-adversary", [{**row, **near(0.12, "accuracy lost", "")}], **BASE) == "holds"
    )
