"""Names for the parts of a page: short, safe in HTML and CSS, and no two the same."""

import re
from typing import Set


class Anchors:
    def __init__(self) -> None:
        self._taken: Set[str] = set()

    def new(self, *words: str) -> str:
        """From the words, with a number if another part has the same."""
        base = re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-") or "part"
        # An id that begins with a digit cannot be named in CSS.
        base = base if base[0].isalpha() else f"part-{base}"
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._taken.add(name)
        return name
