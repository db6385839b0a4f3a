"""A page of heatmaps that is whole at every moment while predictions go on."""

import atexit
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Sequence

from attention_explain.errors import InputError
from attention_explain.heatmaps.explanation import Explanation
from attention_explain.heatmaps.html_page import card, page
from attention_explain.heatmaps.overview import Facts, facts_of
from attention_explain.output import check_outputs, writing

# Writing the page again and again may take this share of the time.
SHARE_OF_TIME = 0.05


class GrowingPage:
    """
    The page is written at once, if there is none; again from time to time, so
    that a killed process leaves most of it; and when the process ends. AllenNLP does not tell a
    predictor that it has seen the last line.

    # Parameters

    path : `str`
    methods : `Dict[str, Dict[str, Any]]`
        Of each method, what it declares.
    """

    def __init__(self, path: str, methods: Dict[str, Dict[str, Any]]) -> None:
        # The folder may be another one when the process ends.
        self._path = Path(path).absolute()
        check_outputs({".html": [path]})
        self._methods = methods
        self._cards: List[str] = []
        self._facts: List[Facts] = []
        self._unwritten = 0
        self._next_time = time.monotonic()
        # One that is there is kept until there is something to put in its place.
        if not self._path.exists():
            self.write()
        atexit.register(self.finish)

    def add(self, explanations: Sequence[Explanation]) -> None:
        for explanation in explanations:
            facts = facts_of(explanation)
            self._facts.append(facts)
            self._cards.append(card(explanation, facts=facts))
        self._unwritten += len(explanations)
        if time.monotonic() >= self._next_time:
            self.write()

    def finish(self) -> None:
        """Called when the process ends, where nobody is left to catch an error."""
        try:
            if self._unwritten:
                self.write()
        except InputError as error:
            print(f"error: {error}", file=sys.stderr)

    def write(self) -> None:
        start = time.monotonic()
        count = f"{len(self._cards)} text{'' if len(self._cards) == 1 else 's'}"
        with writing(self._path) as unfinished:
            text = page(self._cards, about=[count], methods=self._methods, facts=self._facts)
            unfinished.write_bytes(text.encode("utf-8", "replace"))
        self._unwritten = 0
        end = time.monotonic()
        self._next_time = end + max(1.0, (end - start) / SHARE_OF_TIME)
