"""A section of the page: what the table of contents shows, and what stands under the heading."""

import re
from dataclasses import dataclass, field
from html import escape
from typing import List, Sequence, Set

from analysis.escaping import html_text


class Anchors:
    """Names for the sections of a page: short, safe in HTML and CSS, and no two the same."""

    def __init__(self) -> None:
        self._taken: Set[str] = set()

    def new(self, *words: str) -> str:
        """From the words, with a number if another section has the same."""
        base = re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-") or "part"
        # An id that begins with a digit cannot be named in CSS.
        base = base if base[0].isalpha() else f"part-{base}"
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._taken.add(name)
        return name


@dataclass(frozen=True)
class Section:
    """
    title : plain text, as everything here but `html`.
    anchor : what links to it call it.
    html : what follows the heading.
    sections : those inside it.
    """

    title: str
    anchor: str
    html: str = ""
    sections: Sequence["Section"] = field(default_factory=tuple)

    def render(self, level: int = 2) -> str:
        """As HTML, with the sections inside it; `level` is that of its heading."""
        inner = "".join(section.render(level + 1) for section in self.sections)
        return (
            f"<section id={self.anchor} class=level{level}>\n"
            f"<h{level} id={self.anchor}-title>{html_text(self.title)}</h{level}>\n"
            f"{self.html}{inner}</section>\n"
        )


def contents(sections: Sequence[Section]) -> str:
    """The list of the sections, with those inside them."""
    lines: List[str] = []
    for section in sections:
        inside = f"\n{contents(section.sections)}" if section.sections else ""
        link = f"<a href=#{section.anchor}>{html_text(section.title)}</a>"
        lines.append(f"<li>{link}{inside}</li>\n")
    return f"<ol>\n{''.join(lines)}</ol>\n"


def paragraph(text: str, kind: str = "") -> str:
    """Escaped; nothing for no text."""
    return f"<p{f' class={kind}' if kind else ''}>{prose(text)}</p>\n" if text else ""


def prose(text: str) -> str:
    """Escaped, with what stands in backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html_text(text))


def collapsed(summary: str, html: str) -> str:
    """The HTML under a line that opens it."""
    return f"<details>\n<summary>{html_text(summary)}</summary>\n{html}</details>\n"


def preformatted(text: str) -> str:
    """Escaped, line by line as it is."""
    return f"<pre>{escape(text)}</pre>\n"
