"""The site: its generated pages are complete, its check of docstrings works, its pages stay short."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from tests.commands_run import PROJECT

DOCS = PROJECT / "docs"
README_WORDS = 1200
DOCS_WORDS = 20_000
LINK = re.compile(r"(?<!`)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
OUTPUT = re.compile(r"^( *)```text\n.*?^\1```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


@pytest.fixture
def generate(monkeypatch) -> None:
    """Makes the modules of docs/generate importable."""
    monkeypatch.syspath_prepend(str(DOCS / "generate"))


def words(*pages: Path) -> int:
    """The words that somebody wrote: without marks of tables and without output that is shown."""
    texts = (OUTPUT.sub("", page.read_text(encoding="utf-8")) for page in pages)
    return sum(bool(re.search(r"\w", word)) for text in texts for word in text.split())


def anchors(page: Path) -> set:
    """The anchors of a page's headings."""
    titles = HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_readme_and_the_handwritten_pages_stay_short():
    assert words(PROJECT / "README.md") <= README_WORDS
    assert words(*DOCS.rglob("*.md")) <= DOCS_WORDS


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_of_the_root_pages_lead_somewhere(name):
    page = PROJECT / name
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        if "://" in target:
            continue
        linked = PROJECT / path if path else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), target


def test_the_files_that_contributing_names_exist():
    files = [f"/{path.relative_to(PROJECT)}" for path in PROJECT.glob("a*/**/*.py")]
    files += [f"/{path.relative_to(PROJECT)}" for path in PROJECT.glob("t*/**/*.*")]
    text = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/.-]+(?:\.py|/))`", text)
    assert len(named) > 10
    for name in named:
        if not (PROJECT / name).exists():
            assert any(f"/{name}" in file for file in files), name


def test_every_page_is_in_the_navigation():
    config = yaml.safe_load((PROJECT / "mkdocs.yml").read_text(encoding="utf-8"))

    def pages(entries):
        for entry in entries:
            for value in entry.values():
                yield from [value] if isinstance(value, str) else pages(value)

    assert {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} <= set(pages(config["nav"]))


def test_the_page_of_commands_has_every_command_and_option(generate):
    from command_page import command_page

    page = command_page()
    for heading in ("allennlp attribute", "allennlp study run", "python -m analysis table"):
        assert f"\n## `{heading}`\n" in page
    assert "| `--html FILE` |" in page and "| `-o, --output-file FILE` |" in page


def test_the_page_of_components_has_their_options_with_defaults(generate):
    from component_page import component_page

    page = component_page()
    assert "\n### `attention_classifier`\n" in page and "\n### `sparsemax`\n" in page
    section = page.split("\n### `integrated-gradients`\n")[1].split("\n### ")[0]
    assert "| `baseline` | `str` | `'zero'` | What every token of x0 is" in section
    assert "predictor" not in section


def test_names_without_a_docstring_are_found(generate, monkeypatch):
    from api_pages import undocumented_in

    module = ModuleType("my.module")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    code = '''
class Base:
    """Documented."""
    def inherited(self):
        """Documented."""
    def missing(self): ...
    def _private(self): ...
class Derived(Base):
    def inherited(self): ...
def function(): ...
from json import loads
'''
    exec(code, module.__dict__)
    names = ["the module", "Base.missing", "Derived", "function"]
    assert undocumented_in(module) == [f"my/module: {name}" for name in names]


def test_documented_parameters_become_a_list(generate):
    from docstrings import as_markdown

    docstring = """Rank tokens.

# Parameters

k : `int`, optional (default = `3`)
    How many.
ties : which comes first."""
    assert as_markdown(docstring).splitlines()[2:] == [
        "**Parameters**",
        "",
        "- **`k`**: `int`, optional (default = `3`)  ",
        "    How many.",
        "- **`ties`**: which comes first.",
    ]


def test_links_to_files_outside_of_docs_are_rewritten(generate):
    from types import SimpleNamespace

    from hooks import on_page_markdown

    page = SimpleNamespace(file=SimpleNamespace(src_uri="how-to/train.md"))
    text = "[a](../../RESULTS.md#x), [`b`](../../setup.py), [c](data.md), [d](https://e.org)"
    expected = "[a](../results.md#x), `b`, [c](data.md), [d](https://e.org)"
    assert on_page_markdown(text, page=page) == expected
    fenced = f"```text\n{text}\n```"
    assert on_page_markdown(fenced, page=page) == fenced


def test_pre_commit_runs_what_make_lint_runs():
    config = yaml.safe_load((PROJECT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = {hook["name"] for repo in config["repos"] for hook in repo["hooks"]}
    recipe = (PROJECT / "Makefile").read_text(encoding="utf-8").split("\nlint:")[1].split("\n\n")[0]
    checks = re.findall(r"\$\(BIN\)/(.+)", recipe)
    assert checks and {check.split(" .")[0].split(" --")[0] for check in checks} <= hooks
    assert all(hook["language"] == "system" for repo in config["repos"] for hook in repo["hooks"])
