"""The package stands on neither side of the wall."""

import subprocess
import sys

from tests.commands_run import PROJECT


def test_it_imports_nothing_of_either_side():
    code = (
        "import pkgutil, sys, importlib\n"
        "from attention_explain import heatmaps\n"
        "for module in pkgutil.iter_modules(heatmaps.__path__, 'attention_explain.heatmaps.'):\n"
        "    importlib.import_module(module.name)\n"
        "either = {'torch', 'allennlp', 'analysis', 'pandas'}\n"
        "sys.exit(', '.join(either & set(sys.modules)) or 0)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
