"""
What mkdocs runs while it builds the site: generates the reference pages, adds the pages of the project's
root, and checks docstrings and links to files outside docs/.
"""

import logging
import posixpath
import re
from pathlib import Path
from typing import Any, Dict

from api_pages import PACKAGES, PUBLIC_API, api_pages, undocumented
from command_page import command_page
from component_page import component_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from notebooks import TUTORIALS, as_markdown

ROOT = Path(__file__).parents[2]
# A warning fails a strict build.
log = logging.getLogger("mkdocs.hooks")
API = "reference/api"
REFERENCE = "Reference"
# Pages of the project's root that the site shows, by their name there.
ROOT_PAGES = {
    "RESULTS.md": "results.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the pages of the API to the navigation."""
    pages = [{name: f"{API}/{name}.md"} for name in (PUBLIC_API, *PACKAGES)]
    for section in config.nav:
        if REFERENCE in section:
            section[REFERENCE].append({"Python API": pages})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add all generated pages."""
    for missing in undocumented():
        log.warning("No docstring: %s", missing)
    pages = {
        "reference/commands.md": command_page(),
        "reference/components.md": component_page(),
        **{f"tutorials/{path.stem}.md": as_markdown(path) for path in TUTORIALS.glob("*.ipynb")},
        **{f"{API}/{name}": text for name, text in api_pages().items()},
    }
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    for name, path in ROOT_PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, path, content=text))
        for image in _images(text):
            files.append(File.generated(config, image, abs_src_path=str(ROOT / image)))
    return files


def on_page_markdown(markdown: str, page: Any, **kwargs: Any) -> str:
    """Rewrite the links that leave docs/, which work in a checkout but not on the site."""
    shown = {path: name for name, path in ROOT_PAGES.items()}
    source = page.file.src_uri
    original = shown.get(source, f"docs/{source}")

    def rewritten(match: re.Match) -> str:
        image, text, target = match.groups()
        path, _, anchor = target.partition("#")
        if not path or "://" in target or target.startswith("mailto:"):
            return match[0]
        found = posixpath.normpath(posixpath.join(posixpath.dirname(original), path))
        if found.startswith("docs/"):
            inside = found.removeprefix("docs/").replace(".ipynb", ".md")
        elif found in ROOT_PAGES:
            inside = ROOT_PAGES[found]
        elif found == "README.md":
            inside = "index.md"
        elif not (ROOT / found).exists():
            log.warning("%s links to %s, but there is no %s", original, target, found)
            return match[0]
        elif image:
            inside = found
        else:
            # A file of the source: the site names it, a checkout links to it.
            return text
        relative = posixpath.relpath(inside, posixpath.dirname(source) or ".")
        return f"{image}[{text}]({relative}{'#' + anchor if anchor else ''})"

    return _outside_code(LINK, rewritten, markdown)


def _outside_code(pattern: re.Pattern, replacement: Any, markdown: str) -> str:
    """Replace matches, but leave fenced code alone."""
    pieces, end = [], 0
    for fence in FENCE.finditer(markdown):
        pieces.append(pattern.sub(replacement, markdown[end : fence.start()]))
        pieces.append(fence[0])
        end = fence.end()
    pieces.append(pattern.sub(replacement, markdown[end:]))
    return "".join(pieces)


def _images(markdown: str) -> Dict[str, None]:
    """The image files that a page of the root shows, outside docs/."""
    return {
        target: None
        for image, _, target in LINK.findall(markdown)
        if image and "://" not in target and not target.startswith("docs/")
    }
