"""
Docstrings as Markdown. Our docstrings follow AllenNLP: `# Parameters` opens a section, and
`name : type` with an indented description documents one parameter.
"""

import inspect
import re
from typing import Any, Dict, List, Tuple

import griffe

SECTION = re.compile(r"^# (\w[\w ]*)$")
ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \w+)*) : (.+)$")


def as_markdown(docstring: str) -> str:
    """Turn section titles into bold text and documented parameters into list items."""
    lines: List[str] = []
    in_entry = False
    for line in docstring.splitlines():
        section, entry = SECTION.match(line), ENTRY.match(line)
        if entry:
            if lines and lines[-1] and not in_entry:
                lines.append("")
            # The two spaces at the end break the line between a type and its description.
            ending = "  " if "`" in entry[2] and not entry[2].endswith(".") else ""
            lines.append(f"- **`{entry[1]}`**: {entry[2]}{ending}")
            in_entry = True
        elif section:
            lines.append(f"**{section[1]}**")
            in_entry = False
        elif in_entry and line.startswith("    "):
            if line.strip().startswith("- "):
                lines.append("")
            lines.append(line)
        else:
            in_entry = in_entry and not line
            lines.append(line)
    return "\n".join(lines)


def summary(documented: Any) -> str:
    """The docstring of a class or function up to its first section, without the registered name."""
    text = inspect.getdoc(documented) or ""
    kept: List[str] = []
    for paragraph in text.split("\n\n"):
        if SECTION.match(paragraph.split("\n")[0]) or ENTRY.match(paragraph.split("\n")[0]):
            break
        if not paragraph.startswith("Registered as a"):
            kept.append(paragraph)
    return "\n\n".join(kept)


def parameters(documented: type) -> Dict[str, Tuple[str, str]]:
    """The type and description of each documented parameter of a class, inherited ones included."""
    found: Dict[str, Tuple[str, str]] = {}
    for each in reversed(documented.__mro__):
        for docstring in (each.__dict__.get("__doc__"), _doc_of_init(each)):
            found.update(_entries(docstring or ""))
    return found


def _doc_of_init(documented: type) -> Any:
    init = documented.__dict__.get("__init__")
    return getattr(init, "__doc__", None)


def _entries(docstring: str) -> Dict[str, Tuple[str, str]]:
    found: Dict[str, Tuple[str, str]] = {}
    names: List[str] = []
    for line in inspect.cleandoc(docstring).splitlines():
        entry = ENTRY.match(line)
        if entry:
            names = entry[1].split(", ")
            found.update(dict.fromkeys(names, (entry[2], "")))
        elif names and line.startswith("    "):
            kind, text = found[names[0]]
            found.update(dict.fromkeys(names, (kind, f"{text} {line.strip()}".strip())))
        elif line:
            names = []
    return found


class DocstringsAsMarkdown(griffe.Extension):
    """Lets mkdocstrings render our docstrings as plain Markdown."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
