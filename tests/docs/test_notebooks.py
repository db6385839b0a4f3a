"""The notebooks run, keep small outputs, and become pages of the site."""

import json

import pytest

from tests.commands_run import PROJECT

TUTORIALS = sorted((PROJECT / "docs" / "tutorials").glob("*.ipynb"))
each_notebook = pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)


@pytest.fixture
def notebooks(monkeypatch):
    """The module that runs notebooks."""
    monkeypatch.syspath_prepend(str(PROJECT / "docs" / "generate"))
    import notebooks

    return notebooks


def kinds(cells):
    """The kinds of outputs of each cell."""
    return [
        [sorted(output.get("data", [output["output_type"]])) for output in cell.get("outputs", [])]
        for cell in cells
    ]


def test_there_are_three():
    names = [path.stem for path in TUTORIALS]
    assert names == ["compare_models", "hugging_face", "own_bilstm"]


@each_notebook
def test_a_notebook_runs_and_has_its_outputs(path, notebooks):
    content = notebooks.read(path)
    stored = json.loads(json.dumps(content["cells"]))
    notebooks.run(content["cells"])
    assert kinds(content["cells"]) == kinds(stored)
    assert any(kinds(stored))


@each_notebook
def test_a_notebook_is_small_and_valid(path):
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["nbformat"] == 4 and path.stat().st_size < 100_000
    ids = [cell["id"] for cell in content["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in content["cells"]:
        assert cell["cell_type"] in ("markdown", "code") and isinstance(cell["source"], list)


@each_notebook
def test_a_notebook_is_a_page(path, notebooks):
    page = notebooks.as_markdown(path)
    assert page.startswith("# ") and page.count("```python") >= 5
    assert "import attention_explain as ax" in page


def test_outputs_are_shown_in_their_richest_form(notebooks):
    html, picture = [
        {"output_type": "execute_result", "data": {"text/plain": ["x"], **more}}
        for more in ({"text/html": ["<b>\n", "\n</b>"]}, {"image/png": "AAAA"})
    ]
    assert notebooks._output(html) == "<b>  </b>"
    assert notebooks._output(picture) == '<img alt="x" src="data:image/png;base64,AAAA">'
