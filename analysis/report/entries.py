"""The entries of a manifest on the page: the findings in words, then tables and figures by section."""

import io
import re
from itertools import takewhile
from typing import Any, Callable, Dict, List, Tuple
from urllib.parse import quote

import pandas

from analysis.claims import SECTION as CLAIMS
from analysis.errors import AnalysisError
from analysis.escaping import html_text
from analysis.formats import read_csv, read_shown
from analysis.report.elements import Anchors, Section, paragraph, prose, table_html
from analysis.report.svg import inlined

Entry = Dict[str, Any]
# What is in a file of the folder.
Read = Callable[[str], bytes]
NO_SENTENCE = "No analysis has put a finding into words; the numbers are below."


def title_of(name: str, section: str = "") -> str:
    """`some_paper` is for files; what the section says already is not said again."""
    words = re.sub(r"[-_]+", " ", name).split()
    said = re.findall(r"\w+", re.sub(r"[-_]+", " ", section).lower())
    repeated = len(list(takewhile(lambda pair: pair[0].lower() == pair[1], zip(words, said))))
    title = " ".join(words[repeated:] or words)
    return title[:1].upper() + title[1:]


def in_order(entries: List[Entry]) -> List[Entry]:
    """
    Whatever the order in which the analyses ended: the claims first, then what is of no paper, then
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


def findings(entries: List[Entry], sections: List[Section], anchors: Anchors) -> Section:
    """Every sentence of the manifest, each with the way to its numbers."""
    where = {section.title: section.anchor for section in sections}
    lines = []
    for entry in (entry for entry in entries if entry["kind"] == "sentence"):
        title = title_of(entry["section"])
        link = ""
        if title in where:
            link = f" <a class=where href=#{where[title]}>{html_text(title)}</a>"
        lines.append(f"<li>{prose(entry['caption'])}{link}</li>\n")
    html = f"<ul class=findings>\n{''.join(lines)}</ul>\n" if lines else paragraph(NO_SENTENCE)
    return Section("In short", anchors.new("in short"), html)


def sections(entries: List[Entry], read: Read, anchors: Anchors) -> List[Section]:
    """Those that the entries name, in their order; sentences stand elsewhere."""
    shown = [entry for entry in entries if entry["kind"] != "sentence"]
    made = []
    for name in dict.fromkeys(entry["section"] for entry in shown):
        anchor = anchors.new(name)
        inside = [
            _section(entry, read, anchors.new(name, entry["name"]))
            for entry in shown
            if entry["section"] == name
        ]
        made.append(Section(title_of(name), anchor, "", inside))
    return made


def _section(entry: Entry, read: Read, anchor: str) -> Section:
    caption = paragraph(entry["caption"], "caption")
    below = paragraph(entry.get("note", ""), "note") + _files(entry["files"])
    files = entry["files"]
    if entry["kind"] == "table":
        html = caption + table_html(_table(files, read), anchor) + below
    elif entry["kind"] == "figure":
        drawn = inlined(read(files["svg"]), f"{anchor}-figure", entry["caption"], files["svg"])
        html = (
            f"<figure>\n<div class=scroll tabindex=0>{drawn}</div>\n"
            f"<figcaption>{caption}</figcaption>\n</figure>\n{below}"
        )
    else:
        html = caption + below
    return Section(title_of(entry["name"], entry["section"]), anchor, html)


def _table(files: Dict[str, str], read: Read) -> pandas.DataFrame:
    """The table that people read; the whole one, of folders from before that was kept as a table."""
    name = files.get("json") or files["csv"]
    content = read(name)
    try:
        return read_shown(content) if "json" in files else read_csv(io.BytesIO(content))
    except ValueError as error:
        raise AnalysisError(f"{name}: cannot be read as a table ({error})") from error


def _files(files: Dict[str, str]) -> str:
    """For who wants the numbers; they lie beside the report."""
    links = ", ".join(
        f'<a href="{html_text(quote(name))}">{html_text(name)}</a>' for name in files.values()
    )
    return f"<p class=files>Files: {links}</p>\n" if links else ""
