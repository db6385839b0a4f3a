"""How long texts are and how many there are, compared with what was published, from files that have all of them."""

import pytest

from analysis.errors import AnalysisError
from analysis.papers.shared.study_files import load_study
from analysis.papers.wiegreffe_pinter.usefulness import table_1
from tests.analysis.attribution_files import config, write_attributions
from tests.analysis.papers.families import text_rows, write_training
from tests.analysis.papers.written import tables

PATHS = {"train_data_path": "a/train.jsonl", "test_data_path": "a/test.jsonl"}


def written(path, data, texts=40, kept=40, corpus="sst"):
    rows = text_rows(texts=texts)
    given = config(corpus=corpus, **PATHS)
    metadata = {"data": data, "texts": {"kept": kept, "dropped": {}, "cut": {}}}
    return write_attributions(path, rows, ["attention"], given, archive=str(path), **metadata)


def counted(texts):
    labels = [row["label"] for row in text_rows(texts=texts)]
    return f"{labels.count('0')} / {labels.count('1')}"


def test_test_texts_are_those_of_files_and_training_texts_those_of_guides(tmp_path):
    test = written(tmp_path / "test.parquet", "a/test.jsonl")
    guide = written(tmp_path / "guide" / "train.parquet", "a/train.jsonl", texts=30, kept=30)
    given = config(encoder="affine", projection="guide", corpus="sst")
    given["dataset_reader"]["guide"] = [str(guide)]
    run = write_training(tmp_path / "guided", given)
    table = tables(table_1, load_study([test, run]), tmp_path / "out")["wiegreffe-pinter-table-1"]
    rows = table.set_index("split")
    assert list(rows.index) == ["train", "test"]
    for split, texts in (("train", 30), ("test", 40)):
        lengths = [len(row["tokens"]) for row in text_rows(texts=texts)]
        assert rows.loc[split, "length"] == pytest.approx(sum(lengths) / texts)
        assert rows.loc[split, "texts"] == texts and rows.loc[split, "by class"] == counted(texts)
    assert rows["published texts"].tolist() == [6355, 1725]
    assert rows["published by class"].tolist() == ["3034 / 3321", "863 / 862"]


def test_a_part_of_the_texts_or_another_split_says_nothing(tmp_path):
    part = written(tmp_path / "part.parquet", "a/test.jsonl", texts=10)
    other = written(tmp_path / "dev.parquet", "a/dev.jsonl", corpus="other")
    with pytest.raises(AnalysisError, match="of all test texts"):
        table_1(load_study([part, other]), None)
    mine = written(tmp_path / "mine.parquet", "a/test.jsonl", corpus="mine")
    study = load_study([part, mine])
    (row,) = tables(table_1, study, tmp_path / "out")["wiegreffe-pinter-table-1"].to_dict("records")
    assert (row["corpus"], row["texts"]) == ("mine", 40) and row["published texts"] != row["texts"]
