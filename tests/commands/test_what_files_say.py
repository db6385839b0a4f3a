"""What output files say of their data and of the methods' own checks."""

import pyarrow
import pytest

from attention_explain.commands.job import instances_sha256
from attention_explain.commands.summaries import check_summaries
from attention_explain.data.pair_reader import turned
from tests.builders import instances
from tests.pairs import PAIRS, pair_instances


def test_data_are_others_if_anything_that_a_model_reads_is():
    (passage, question, answer), *others = PAIRS
    asked = [(passage, "who is there ?", answer), *others]
    made = [
        instances(),
        pair_instances(),
        pair_instances(asked),
        turned(pair_instances(), "query"),
        turned(pair_instances(), "both"),
        turned(pair_instances([("ada left", question, answer), *others]), "query"),
    ]
    assert len({instances_sha256(each) for each in made}) == len(made)
    assert instances_sha256(pair_instances()) == instances_sha256(pair_instances())


def test_a_text_that_a_method_skipped_has_no_part_in_what_its_check_gave():
    table = pyarrow.table({"lime.fit": [0.1, None, -0.3], "flow.share": [None, None, None]})
    table = table.set_column(1, "flow.share", table["flow.share"].cast(pyarrow.float64()))
    found = check_summaries(table)
    assert found["lime.fit"]["mean_absolute"] == pytest.approx(0.2)
    assert found["lime.fit"]["largest_absolute"] == pytest.approx(0.3)
    assert set(found["flow.share"].values()) == {None}
