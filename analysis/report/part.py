"""A part of the page: what the table of contents shows, and what stands under the heading."""

import re
from dataclasses import dataclass, field
from html import escape
from typing import List, Sequence


@dataclass(frozen=True)
class Part:
    """
    title : plain text, as everything here but `html`.
    html : what follows the heading.
    parts : those inside it.
    """

    title: str
    anchor: str
    html: str = ""
    parts: Sequence["Part"] = field(default_factory=tuple)

    def render(self, level: int = 2) -> str:
        inner = "".join(part.render(level + 1) for part in self.parts)
        return (
            f"<section id={self.anchor} class=level{level}>\n"
            f"<h{level} id={self.anchor}-title>{escape(self.title)}</h{level}>\n"
            f"{self.html}{inner}</section>\n"
        )


def contents(parts: Sequence[Part]) -> str:
    """The list of the parts, with those inside them."""
    lines: List[str] = []
    for part in parts:
        inside = f"\n{contents(part.parts)}" if part.parts else ""
        lines.append(f"<li><a href=#{part.anchor}>{escape(part.title)}</a>{inside}</li>\n")
    return f"<ol>\n{''.join(lines)}</ol>\n"


def paragraph(text: str, kind: str = "") -> str:
    """Escaped; nothing for no text."""
    return f"<p{f' class={kind}' if kind else ''}>{prose(text)}</p>\n" if text else ""


def prose(text: str) -> str:
    """Escaped, with what stands in backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def collapsed(summary: str, html: str) -> str:
    return f"<details>\n<summary>{escape(summary)}</summary>\n{html}</details>\n"
