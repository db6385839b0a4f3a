"""Promises of imports, with packages made for it."""

import pickle
import sys
from typing import Dict

import pytest

from attention_explain.commands.startup.deferred import Promise, imports_deferred

SLOW = {
    "slow/__init__.py": "__version__ = '3.1'\nVALUES = {'one': 1}\ndef double(x):\n    return 2 * x\n",
    "slow/things.py": "class Thing:\n    kind = 'slow'\n    def __init__(self, size=0):\n        self.size = size\n",
}


@pytest.fixture
def importing(tmp_path, monkeypatch):
    """Writes and imports a module `eager`, whose imports of `slow` are promised."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "slow").mkdir()

    def imported(source: str, importer: str = "eager"):
        for name, text in {**SLOW, f"{importer}.py": source}.items():
            (tmp_path / name).write_text(text)
        with imports_deferred(lambda who, what: who == "eager" and what.startswith("slow")):
            return __import__(importer)

    yield imported
    for name in [name for name in sys.modules if name.split(".")[0] in ("slow", "eager", "other")]:
        del sys.modules[name]


USES: Dict[str, str] = {
    "import slow\nresult = lambda: slow.double(2) == 4": "called through the module",
    "from slow import double\nresult = lambda: double(2) == 4": "called",
    "from slow import VALUES\nresult = lambda: VALUES['one'] == 1": "indexed",
    "import slow\nresult = lambda: slow.__version__ >= '3.0'": "compared",
    "from slow import VALUES\nresult = lambda: list(VALUES) == ['one'] and bool(VALUES)": "iterated",
    "import slow.things as t\nresult = lambda: t.Thing(3).size == 3": "a module under another name",
    "import slow.things\nresult = lambda: slow.things.Thing.kind == 'slow'": "an attribute of a class",
    "from slow import VALUES\nresult = lambda: f'{VALUES}' == \"{'one': 1}\"": "printed",
}


@pytest.mark.parametrize("source", USES, ids=USES.values())
def test_a_promise_is_kept_when_it_is_used_and_not_before(importing, source):
    module = importing(source)
    assert "slow" not in sys.modules
    assert module.result() is True
    assert "slow" in sys.modules


def test_annotations_do_not_load_and_base_classes_do(importing):
    source = (
        "from typing import Dict, Optional\nfrom slow.things import Thing\n"
        "known: Dict[str, Thing] = {}\ndef make(size: Optional[Thing] = None) -> Thing: ...\n"
    )
    module = importing(source)
    assert "slow" not in sys.modules and isinstance(module.Thing, Promise)
    exec("class Derived(Thing): pass", vars(module))
    assert module.Derived.__mro__[1] is sys.modules["slow.things"].Thing


def test_nothing_is_an_instance_of_what_was_never_loaded(importing):
    module = importing(
        "import slow.things\nis_thing = lambda x: isinstance(x, (slow.things.Thing, str))"
    )
    assert module.is_thing("a string") and not module.is_thing(1)
    assert "slow" not in sys.modules
    from slow.things import Thing

    assert module.is_thing(Thing()) and not module.is_thing(1)
    assert issubclass(type("Other", (Thing,), {}), module.slow.things.Thing)


def test_a_pickled_promise_is_what_it_promised(importing):
    module = importing("from slow.things import Thing")
    kept = pickle.loads(pickle.dumps(module.Thing))
    assert kept is sys.modules["slow.things"].Thing


def test_imports_of_others_and_within_functions_are_real(importing):
    importing("import slow", importer="other")
    assert "slow" in sys.modules
    module = importing("def use():\n    import slow\n    return slow\n")
    assert module.use() is sys.modules["slow"]


def test_what_is_not_installed_is_missed_at_once(importing):
    with pytest.raises(ModuleNotFoundError, match="slow_and_absent"):
        importing("import slow_and_absent")


def test_imports_are_as_they_were_afterwards():
    before = __import__
    with pytest.raises(ZeroDivisionError), imports_deferred(lambda who, what: True):
        raise ZeroDivisionError
    assert __import__ is before
