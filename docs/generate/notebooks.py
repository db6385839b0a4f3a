"""
The notebooks in docs/tutorials: runs their cells and keeps the outputs (`python docs/generate/notebooks.py`), and
makes a page of the site from each.
"""

import ast
import io
import json
from base64 import b64encode
from contextlib import redirect_stdout
from html import escape
from pathlib import Path
from typing import Any, Dict, List

TUTORIALS = Path(__file__).parents[1] / "tutorials"
# Characters of an output in HTML; longer ones are shown as text.
MOST_HTML = 20_000


def read(path: Path) -> Dict[str, Any]:
    """The content of a notebook."""
    return json.loads(path.read_text(encoding="utf-8"))


def run(cells: List[Dict[str, Any]]) -> None:
    """Run all code cells in order, in one namespace, and replace their outputs."""
    namespace: Dict[str, Any] = {"__name__": "notebook"}
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed, value = io.StringIO(), None
        with redirect_stdout(printed):
            exec(compile(tree, f"cell {number}", "exec"), namespace)
            if isinstance(last, ast.Expr):
                value = eval(
                    compile(ast.Expression(last.value), f"cell {number}", "eval"), namespace
                )
        cell["execution_count"] = number
        cell["outputs"] = []
        if printed.getvalue():
            text = printed.getvalue().splitlines(keepends=True)
            cell["outputs"].append({"output_type": "stream", "name": "stdout", "text": text})
        if value is not None:
            cell["outputs"].append(
                {
                    "output_type": "execute_result",
                    "execution_count": number,
                    "metadata": {},
                    "data": _shown(value),
                }
            )


def _shown(value: Any) -> Dict[str, Any]:
    """The forms in which a notebook shows a value."""
    data: Dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_png_"):
        data["image/png"] = b64encode(value._repr_png_()).decode()
    elif hasattr(value, "_repr_html_"):
        html = value._repr_html_()
        if html is not None and len(html) <= MOST_HTML:
            data["text/html"] = html.splitlines(keepends=True)
    return data


def as_markdown(path: Path) -> str:
    """The page of a notebook."""
    parts = []
    for cell in read(path)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += map(_output, cell["outputs"])
    return "\n\n".join(parts) + "\n"


def _output(output: Dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    data = output["data"]
    text = "".join(data["text/plain"])
    if "image/png" in data:
        return f'<img alt="{escape(text)}" src="data:image/png;base64,{data["image/png"]}">'
    if "text/html" in data:
        # In one line: Markdown ends HTML at an empty line.
        return " ".join("".join(data["text/html"]).split("\n"))
    return f"```text\n{text}\n```"


if __name__ == "__main__":
    for notebook in sorted(TUTORIALS.glob("*.ipynb")):
        content = read(notebook)
        run(content["cells"])
        notebook.write_text(
            json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
