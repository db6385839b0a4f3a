"""
Figures inside the page. Ids and rules of one would reach the others, so each gets names of its own;
and nothing that loads or runs comes along.
"""

import re
from typing import Optional
from xml.etree import ElementTree

from analysis.errors import AnalysisError

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
DROPPED = {"metadata", "script", "foreignObject", "title", "desc"}
REFERENCE = re.compile(r"url\(\s*['\"]?#([^'\")\s]+)['\"]?\s*\)")

ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


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
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise AnalysisError(f"{name}: not an svg figure ({error})") from error
    if root.tag != f"{{{SVG}}}svg":
        raise AnalysisError(f"{name}: not an svg figure (it holds <{root.tag}>)")
    _clean(root)
    for element in root.iter():
        _rename(element, prefix)
    for size in ("width", "height"):
        points = _points(root.attrib.pop(size, ""))
        if points is not None and size == "width":
            # CSS may narrow it; the height follows from the view box.
            root.set("width", f"{points * 4 / 3:.0f}")
    root.set("id", prefix)
    root.set("role", "img")
    root.set("aria-label", label)
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element) -> None:
    for child in list(element):
        if _local(child.tag) in DROPPED or _loads(child):
            element.remove(child)
        else:
            _clean(child)


def _loads(element: ElementTree.Element) -> bool:
    """Whether it is a rule that may fetch something."""
    return _local(element.tag) == "style" and bool(re.search(r"@|url\(", element.text or ""))


def _rename(element: ElementTree.Element, prefix: str) -> None:
    for key, value in list(element.attrib.items()):
        local = _local(key)
        if local.lower().startswith("on"):
            del element.attrib[key]
        elif local == "id":
            element.set(key, f"{prefix}-{value}")
        elif local == "href":
            if value.startswith("#"):
                element.set(key, f"#{prefix}-{value[1:]}")
            elif not value.startswith("data:image/"):
                del element.attrib[key]
        elif "url(" in value:
            renamed = REFERENCE.sub(rf"url(#{prefix}-\1)", value)
            # What is left of other addresses would be loaded.
            element.set(key, re.sub(r"url\((?!#)[^)]*\)", "none", renamed))
    if _local(element.tag) == "style" and element.text:
        element.text = re.sub(
            r"([^{}]+)\{", lambda found: _scoped(found.group(1), prefix) + "{", element.text
        )


def _scoped(selectors: str, prefix: str) -> str:
    return ", ".join(f"#{prefix} {selector.strip()}" for selector in selectors.split(","))


def _points(size: str) -> Optional[float]:
    found = re.fullmatch(r"([0-9.]+)(?:pt)?", size)
    return float(found.group(1)) if found else None


def _local(tag: object) -> str:
    """The name without its namespace; comments have none."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
