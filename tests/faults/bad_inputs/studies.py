"""Studies."""

from typing import Callable, Iterator, Tuple

from tests.faults.bad_inputs.case import DAMAGE, Case, changed, setting


def study_changes() -> Iterator[Tuple[str, Callable[[bytes], bytes]]]:
    yield from ((name, change) for name, change in DAMAGE.items() if name != "flipped")
    yield "no title", setting("title", to=...)
    for key in ("seeds", "corpora", "tables"):
        yield f"no {key}", setting(key, to=...)
        for value in (3, None, {}, ["x"], "x"):
            yield f"{key} is {value}", setting(key, to=value)
    yield "an unknown key", setting("colour", to="red")
    run = ("corpora", "mine", "base")
    for value in (3, None, [], "x"):
        yield f"a corpus is {value}", setting("corpora", "mine", to=value)
        yield f"a run is {value}", setting(*run, to=value)
        yield f"a config is {value}", setting(*run, "config", to=value)
        yield f"attributions are {value}", setting(*run, "attributions", to=value)
    yield "no run", setting("corpora", "mine", to={})
    yield "a run without a config", setting(*run, "config", to=...)
    yield "a run with an unknown key", setting(*run, "colour", to="red")
    yield "an unknown split", setting(*run, "split", to="trian")
    yield "a reference to nothing", setting(*run, "config", "base", to="<run:bass>")
    yield "a reference to itself", setting(*run, "config", "base", to="<run:base>")
    table = {"command": "table", "arguments": ["jain-wallace"], "from": ["attributions/all"]}
    for key, value in {
        "command": "tabel",
        "arguments": [],
        "from": ["attributions/none"],
        "only": ["bass"],
        "colour": "red",
    }.items():
        yield f"a table with {key} {value}", setting("tables", to=[{**table, key: value}])


def study_cases() -> Iterator[Case]:
    for name, change in study_changes():
        fault = changed("study.jsonnet", change)
        yield Case(f"plan, study: {name}", ("workflow", "plan", "study.jsonnet"), fault)
