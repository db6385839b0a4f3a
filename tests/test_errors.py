"""One error for everything that a user can correct."""

import pickle
import re

import pytest

from analysis.errors import AnalysisError
from attention_explain.data.errors import DataError
from attention_explain.errors import InputError
from attention_explain.workflow.study import StudyError
from tests.commands_run import PROJECT


def test_source_raises_the_projects_own_error():
    raised = re.compile(r"raise (checks\.)?ConfigurationError")
    files = [*PROJECT.glob("attention_explain/**/*.py"), *PROJECT.glob("analysis/**/*.py")]
    found = [path for path in files if raised.search(path.read_text(encoding="utf-8"))]
    assert len(files) > 300 and found == []


@pytest.mark.parametrize("kind", [InputError, AnalysisError, DataError, StudyError])
def test_errors_survive_pickling_and_show_their_message(kind):
    error = pickle.loads(pickle.dumps(kind("train.jsonl, line 7: 'label' is missing")))
    assert type(error) is kind and isinstance(error, InputError)
    assert str(error) == error.message == "train.jsonl, line 7: 'label' is missing"
    # AllenNLP's data loader reports the repr of an error in a worker process.
    assert "'label' is missing" in repr(error)
