"""What the analyses found: the findings in words, then each section's tables and figures."""

import re
from html import escape
from itertools import takewhile
from typing import Any, Callable, Dict, List, Tuple
from urllib.parse import quote

from analysis.claims.section import SECTION as CLAIMS
from analysis.report.anchors import Anchors
from analysis.report.part import Part, paragraph, prose
from analysis.report.svg import inlined
from analysis.report.tables import table_html

Entry = Dict[str, Any]
# What is in a file of the folder.
Read = Callable[[str], bytes]
NO_SENTENCE = "No analysis has put a finding into words; the numbers are below."


def title_of(name: str, section: str = "") -> str:
    """`neely_schouten` is for files; what the section says already is not said again."""
    words = re.sub(r"[-_]+", " ", name).split()
    said = re.findall(r"\w+", re.sub(r"[-_]+", " ", section).lower())
    repeated = len(list(takewhile(lambda pair: pair[0].lower() == pair[1], zip(words, said))))
    title = " ".join(words[repeated:] or words)
    return title[:1].upper() + title[1:]


def in_order(entries: List[Entry]) -> List[Entry]:
    """
    Whatever the order in which the analyses ended: the verdicts first, then what is of no paper, then
    the papers as they appeared; within a section as written.
    """

    def place(entry: Entry) -> Tuple[int, str]:
        if entry["section"] == CLAIMS:
            return (-1, "")
        return (year_of(entry["section"], 0), entry["section"].lower())

    return sorted(entries, key=place)


def year_of(title: str, otherwise: int) -> int:
    """When the paper of a title appeared."""
    years = re.findall(r"\b(?:19|20)\d\d\b", title)
    return int(years[-1]) if years else otherwise


def findings(entries: List[Entry], sections: List[Part], anchors: Anchors) -> Part:
    """Every sentence of the manifest, each with the way to its numbers."""
    where = {part.title: part.anchor for part in sections}
    lines = []
    for entry in (entry for entry in entries if entry["kind"] == "sentence"):
        section = title_of(entry["section"])
        link = ""
        if section in where:
            link = f" <a class=where href=#{where[section]}>{escape(section)}</a>"
        lines.append(f"<li>{prose(entry['caption'])}{link}</li>\n")
    html = f"<ul class=findings>\n{''.join(lines)}</ul>\n" if lines else paragraph(NO_SENTENCE)
    return Part("In short", anchors.new("in short"), html)


def sections(entries: List[Entry], read: Read, anchors: Anchors) -> List[Part]:
    """One part a section, in the order of the entries; sentences stand elsewhere."""
    shown = [entry for entry in entries if entry["kind"] != "sentence"]
    parts = []
    for section in dict.fromkeys(entry["section"] for entry in shown):
        anchor = anchors.new(section)
        inside = [
            _part(entry, read, anchors.new(section, entry["name"]))
            for entry in shown
            if entry["section"] == section
        ]
        parts.append(Part(title_of(section), anchor, "", inside))
    return parts


def _part(entry: Entry, read: Read, anchor: str) -> Part:
    caption = paragraph(entry["caption"], "caption")
    below = paragraph(entry.get("note", ""), "note") + _files(entry["files"])
    files = entry["files"]
    if entry["kind"] == "table":
        html = caption + table_html(read(files["md"]).decode(), anchor) + below
    elif entry["kind"] == "figure":
        drawn = inlined(read(files["svg"]), f"{anchor}-figure", entry["caption"], files["svg"])
        html = (
            f"<figure>\n<div class=scroll tabindex=0>{drawn}</div>\n"
            f"<figcaption>{caption}</figcaption>\n</figure>\n{below}"
        )
    else:
        html = caption + below
    return Part(title_of(entry["name"], entry["section"]), anchor, html)


def _files(files: Dict[str, str]) -> str:
    """For who wants the numbers; they lie beside the report."""
    links = ", ".join(
        f'<a href="{escape(quote(name))}">{escape(name)}</a>' for name in files.values()
    )
    return f"<p class=files>Files: {links}</p>\n" if links else ""
