"""
Figures inside the page, rebuilt from what figures are made of. What is not on the lists here stays
behind: nothing loads, nothing runs. Ids and rules of one figure would reach the others, so each
gets names of its own.
"""

import re
from collections.abc import Callable
from xml.etree import ElementTree

from analysis.errors import AnalysisError

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}"
# Ours are ten deep. What is nested without end would end the program.
DEEPEST = 100

ELEMENTS = ("svg", "g", "defs", "style", "clipPath", "pattern", "path", "rect", "use", "image")
# The properties of a declaration in a style; as attributes they mean the same.
PROPERTIES = (
    *("fill", "fill-opacity", "fill-rule", "opacity", "clip-path", "image-rendering"),
    *("stroke", "stroke-opacity", "stroke-width", "stroke-linecap", "stroke-linejoin"),
    *("stroke-miterlimit", "stroke-dasharray", "stroke-dashoffset"),
)

NAME = r"[A-Za-z_][\w.-]*"
# Without what begins an address, a string, an escape or a function.
WORDS = re.compile(r"[-+\w\s.,#%]*", re.ASCII)
CALLS = re.compile(r"[-+\w\s.,()]*", re.ASCII)
PART = re.compile(rf"url\(\s*['\"]?#({NAME})['\"]?\s*\)", re.ASCII)
ID = re.compile(NAME, re.ASCII)
PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\s]*")
RULES = re.compile(r"\s*(?:[^{}]*\{[^{}]*\}\s*)*")
SELECTOR = re.compile(r"\*|\.?" + NAME, re.ASCII)

# What an attribute becomes in the figure of that prefix; None if it has to go.
Form = Callable[[str, str], str | None]


def inlined(content: bytes, prefix: str, label: str, name: str) -> str:
    """
    The figure as an element of an HTML page.

    # Parameters

    prefix : `str`
        Begins every id of the figure, and is that of the figure itself.
    label : `str`
        Says what it shows, to who does not see it.
    name : `str`
        Of the file, for the error message.
    """
    try:
        drawn = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise AnalysisError(f"{name}: not an svg figure ({error})") from error
    if drawn.tag != f"{SVG}svg":
        raise AnalysisError(f"{name}: not an svg figure (it holds <{drawn.tag}>)")
    root = ElementTree.Element("svg")
    _rebuild(drawn, root, prefix, name)
    points = _points(drawn.get("width", ""))
    root.attrib.pop("width", None)
    # CSS may narrow it; the height follows from the view box.
    root.attrib.pop("height", None)
    if points is not None:
        root.set("width", f"{points * 4 / 3:.0f}")
    root.set("id", prefix)
    root.set("role", "img")
    root.set("aria-label", label)
    return ElementTree.tostring(root, encoding="unicode")


def _rebuild(
    source: ElementTree.Element, made: ElementTree.Element, prefix: str, name: str, depth: int = 0
) -> None:
    """Gives the new element what the other has of the lists."""
    if depth > DEEPEST:
        raise AnalysisError(f"{name}: not an svg figure of ours (nested deeper than {DEEPEST})")
    for key, value in source.attrib.items():
        # Without a namespace an HTML page understands it, too.
        key = key.removeprefix(XLINK)
        kept = ATTRIBUTES[key](value, prefix) if key in ATTRIBUTES else None
        if kept is not None:
            made.set(key, kept)
    if made.tag == "style":
        made.text = _rules(source.text or "", prefix)
        return
    for child in source:
        local = child.tag.removeprefix(SVG) if isinstance(child.tag, str) else None
        if local in ELEMENTS:
            _rebuild(child, ElementTree.SubElement(made, local), prefix, name, depth + 1)


def _if(allowed: re.Pattern) -> Form:
    return lambda value, prefix: value if allowed.fullmatch(value) else None


def _id(value: str, prefix: str) -> str | None:
    return f"{prefix}-{value}" if ID.fullmatch(value) else None


def _reference(value: str, prefix: str) -> str | None:
    """To a part of the figure, or a picture that is in it as a whole."""
    if value.startswith("#") and ID.fullmatch(value[1:]):
        return f"#{prefix}-{value[1:]}"
    return value if PICTURE.fullmatch(value) else None


def _property(value: str, prefix: str) -> str | None:
    part = PART.fullmatch(value.strip())
    if part:
        return f"url(#{prefix}-{part.group(1)})"
    return value.strip() if WORDS.fullmatch(value) else None


def _declarations(text: str, prefix: str) -> str:
    kept = []
    for declaration in text.split(";"):
        key, _, value = declaration.partition(":")
        allowed = _property(value, prefix) if key.strip() in PROPERTIES else None
        if allowed:
            kept.append(f"{key.strip()}: {allowed}")
    return "; ".join(kept)


def _rules(text: str, prefix: str) -> str:
    """Those for parts of this figure alone; none of a sheet that has anything but rules."""
    if not RULES.fullmatch(text):
        return ""
    made = []
    for selectors, declarations in re.findall(r"([^{}]*)\{([^{}]*)\}", text):
        each = [selector.strip() for selector in selectors.split(",")]
        if all(map(SELECTOR.fullmatch, each)):
            scoped = ", ".join(f"#{prefix} {selector}" for selector in each)
            made.append(f"{scoped}{{{_declarations(declarations, prefix)}}}")
    return "\n".join(made)


def _points(size: str) -> float | None:
    number = re.fullmatch(r"(\d+\.?\d*)(?:pt)?", size, re.ASCII)
    return float(number.group(1)) if number else None


ATTRIBUTES: dict[str, Form] = {
    "id": _id,
    "href": _reference,
    "style": _declarations,
    "d": _if(CALLS),
    "transform": _if(CALLS),
    **dict.fromkeys(PROPERTIES, _property),
    **dict.fromkeys(("x", "y", "width", "height", "viewBox", "class", "patternUnits"), _if(WORDS)),
    "preserveAspectRatio": _if(WORDS),
}
