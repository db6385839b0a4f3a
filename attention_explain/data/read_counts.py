"""What became of the texts of a file: how many were kept, dropped and cut, and why."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional


@dataclass
class ReadCounts:
    """
    kept : the texts that were read, cut ones included.
    dropped : by reason, such as "with more than 400 tokens".
    cut : by what is left of them, such as "to 400 tokens".
    spaced_labels : the texts whose label had spaces around it, which are no part of it.
    halves : the texts that had half a character in them.
    """

    kept: int = 0
    dropped: Counter = field(default_factory=Counter)
    cut: Counter = field(default_factory=Counter)
    spaced_labels: int = 0
    halves: int = 0

    def __str__(self) -> str:
        dropped = f"; dropped: {counted(self.dropped)}" if self.dropped else ""
        cut = f"; cut: {counted(self.cut)}" if self.cut else ""
        return f"{self.kept} texts kept{dropped}{cut}"

    def to_dict(self) -> Dict[str, Any]:
        """As the files tell it."""
        return {"kept": self.kept, "dropped": dict(self.dropped), "cut": dict(self.cut)}


def counted(reasons: Dict[str, int]) -> str:
    """For people: "564 with fewer than 6 tokens, 3 with an unwanted label"."""
    return ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))


def left_out(texts: Optional[Dict[str, Any]]) -> List[str]:
    """Lines on what was dropped and cut, of what `to_dict` gave; None has nothing to say."""
    if texts is None:
        return []
    dropped, cut = sum(texts["dropped"].values()), sum(texts["cut"].values())
    lines = []
    if dropped:
        all_texts = texts["kept"] + dropped
        lines.append(f"  {dropped} of {all_texts} texts dropped: {counted(texts['dropped'])}")
    if cut:
        lines.append(f"  {cut} of {texts['kept']} texts cut: {counted(texts['cut'])}")
    return lines
