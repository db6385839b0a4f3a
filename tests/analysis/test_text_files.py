"""Files that other programs wrote, with the names of our columns but not what belongs into them."""

import re

import pyarrow
import pyarrow.parquet
import pytest

from analysis.errors import AnalysisError
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import random_rows, write_attributions


@pytest.mark.parametrize(
    "name, value, sentence",
    [
        ("gradient", ["x"], "its column 'gradient' holds list<element: string>, not lists of num"),
        ("gradient", 1.0, "its column 'gradient' holds double, not lists of numbers"),
        ("tokens", None, "its column 'tokens' holds null, not lists of words"),
        ("tokens", [1, 2], "its column 'tokens' holds list<element: int64>, not lists of words"),
        ("probs", "x", "its column 'probs' holds string, not lists of numbers"),
    ],
)
def test_a_column_of_another_kind_is_named(tmp_path, name, value, sentence):
    path = write_attributions(tmp_path / "a.parquet", random_rows(3))
    table = pyarrow.parquet.read_table(path)
    position = table.column_names.index(name)
    table = table.set_column(position, name, pyarrow.array([value] * len(table)))
    pyarrow.parquet.write_table(table, path)
    with pytest.raises(AnalysisError, match=re.escape(f"a.parquet: {sentence}")):
        load_attributions(path)


def test_texts_without_tokens_are_counted(tmp_path):
    rows = random_rows(3)
    rows[1]["tokens"] = None
    path = write_attributions(tmp_path / "a.parquet", rows)
    with pytest.raises(AnalysisError, match="its column 'tokens' is null for 1 of its texts"):
        load_attributions(path)


def test_a_method_that_failed_everywhere_is_one_without_scores(tmp_path):
    rows = [{**row, "gradient": None} for row in random_rows(3)]
    file = load_attributions(write_attributions(tmp_path / "a.parquet", rows))
    assert not file.scores("gradient").known.any() and file.scores("attention").known.all()
