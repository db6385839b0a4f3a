"""Whatever is wrong with its input, a command ends with one message, and the folder is as it was."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.faults.bad_inputs import all_cases
from tests.faults.bad_inputs.case import Case, prepared
from tests.faults.commands import contents

pytestmark = pytest.mark.faults
CASES = all_cases()
# What a training leaves that could not begin: its folder, which is used again.
BEGUN = {"config.json", "meta.json", "out.log", "vocabulary"}
# What studies remember of the files that they have read.
CONTENTS = "contents.json"


def may_be_new(path: Path, case: Case) -> bool:
    """Logs, the folder of such a training or study, and what is not ours among temporary files."""
    first, *rest = path.parts
    if case.command[1:2] == ("train",) and first == "new":
        return not rest or rest[0] in BEGUN
    if case.command[:2] == ("workflow", "run"):
        return first == "runs" or rest == ["study"]
    if first == "temporary":
        return "attention_explain-archive" not in str(path)
    return path.suffix == ".log"


@pytest.fixture(scope="module")
def right(zygote, tmp_path_factory) -> Path:
    return prepared(zygote, tmp_path_factory.mktemp("right") / "right")


@pytest.fixture(scope="module")
def told(figures):
    """Tells of how many cases there were, by the program that had to reject them."""
    rejected = Counter()
    yield rejected
    rows = [{"command": name, "rejected in a sentence": count} for name, count in rejected.items()]
    figures["bad inputs"] = [
        *rows,
        {"command": "all", "rejected in a sentence": f"{rejected.total()} of {len(CASES)}"},
    ]


def test_there_are_enough_and_no_two_are_the_same():
    assert len({case.name for case in CASES}) == len(CASES) >= 300


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_bad_input_is_rejected_in_one_sentence(case: Case, zygote, right, tmp_path, told):
    folder = Path(shutil.copytree(right, tmp_path / "folder"))
    case.fault(folder)
    before = contents(folder)
    ended = zygote.run(case.command, folder)
    assert ended.code in (1, 2), ended.said
    assert "Traceback" not in ended.err + ended.out, ended.said
    # From argparse, after what the options are; from us, alone.
    assert len(ended.errors) == 1, ended.said
    assert len(ended.sentence.splitlines()) == 1 and len(ended.sentence) < 1000, ended.said
    assert case.told in ended.sentence, ended.said
    after = contents(folder)
    new = {name for name in after.keys() - before.keys() if not may_be_new(Path(name), case)}
    assert not new, ended.said
    # Logs grow.
    kept = {name: value for name, value in before.items() if not name.endswith((".log", CONTENTS))}
    assert {name: after.get(name) for name in kept} == kept
    told[" ".join(case.command[:2])] += 1
    shutil.rmtree(folder)
