"""The elements of a page, for tests of what is in it."""

from html.parser import HTMLParser
from typing import Any, Dict, List, Tuple


class Elements(HTMLParser):
    """
    In order, each with its attributes and the text right inside it; fails where one is not closed,
    or not in order.
    """

    VOID = {"meta", "br", "link", "input"}

    def __init__(self, page: str) -> None:
        super().__init__()
        self._elements: List[List[Any]] = []
        self._open: List[List[Any]] = []
        self._words: List[str] = []
        self.feed(page)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in self.VOID:
            self._open.append(self._elements[-1])

    def handle_startendtag(self, tag, attributes):
        self._elements.append([tag, dict(attributes), ""])

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag

    def handle_data(self, data):
        if self._open:
            self._open[-1][2] += data
            if self._open[-1][0] != "style":
                self._words += data.split()

    @property
    def tags(self) -> set:
        return {tag for tag, _, _ in self._elements}

    @property
    def text(self) -> str:
        """All that can be read, with single spaces."""
        return " ".join(self._words)

    def all(self, tag: str) -> List[Tuple[Dict[str, str], str]]:
        return [(attributes, text) for name, attributes, text in self._elements if name == tag]

    def values(self, attribute: str) -> List[str]:
        """Of an attribute, wherever it is."""
        return [found[attribute] for _, found, _ in self._elements if attribute in found]
