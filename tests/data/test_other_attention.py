"""Attention from files: every text gets its own, or the run ends before it begins."""

import numpy
import pyarrow
import pyarrow.parquet
import pytest
import torch

from attention_explain.commands.attribute import attribute_from_file
from attention_explain.data.attribution_scores import OtherAttention
from attention_explain.data.errors import DataError
from attention_explain.errors import InputError
from tests.builders import batch, instances, model, vocabulary
from tests.small_archive import PLANTED, small_archive
from tests.training.runs import built

GUIDED = {"attention": {"projection": "guide"}}
SPLITS = ("train", "dev", "test")
BOUNDED = {**PLANTED, "boundary_symbols": True}


def write(path, rows):
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return str(path)


@pytest.fixture(scope="module")
def guide(tmp_path_factory):
    """Attribution files of a base model, one a split."""
    folder = tmp_path_factory.mktemp("guide")
    base = small_archive(folder / "base", encoder="bilstm", reader=BOUNDED)
    paths = []
    for split in SPLITS:
        paths.append(str(folder / f"{split}.parquet"))
        attribute_from_file(str(base), split, paths[-1], interpreters=["attention"])
    return paths


def test_a_guided_model_attends_as_the_file_says(tmp_path, guide):
    loop = built(tmp_path, [], reader={**BOUNDED, "guide": guide}, model=GUIDED)
    metrics = loop.run()
    loop.finish(metrics)
    assert {"training_f1", "validation_f1", "test_f1"} < set(metrics)
    assert not any(name.startswith("attention.") for name, _ in loop.model.named_parameters())
    for loader, path in zip((loop.trainer.data_loader, loop.evaluation_data_loader), guide[::2]):
        rows = pyarrow.parquet.read_table(path).to_pylist()
        outputs = loop.model.forward_on_instances(list(loader.iter_instances()))
        for row, output in zip(rows, outputs, strict=True):
            assert output["id"] == row["id"]
            numpy.testing.assert_array_equal(
                numpy.float32(output["attention"]), numpy.float32(row["attention"])
            )


def test_a_text_without_a_guide_is_named_before_training(tmp_path, guide):
    with pytest.raises(DataError, match=r"dev\.parquet: has no text with id '"):
        built(tmp_path, [], reader={**BOUNDED, "guide": guide[1]}, model=GUIDED)


def test_the_text_of_another_data_set_with_the_same_id_is_no_guide(tmp_path, guide):
    rows = pyarrow.parquet.read_table(guide[0]).to_pylist()
    for row in rows:
        row["tokens"] = ["other"] * len(row["tokens"])
    other = write(tmp_path / "other.parquet", rows)
    with pytest.raises(DataError, match=r"text '.*' has other tokens \(\d+: other"):
        built(tmp_path / "run", [], reader={**BOUNDED, "guide": other}, model=GUIDED)


@pytest.mark.parametrize(
    "row, sentence",
    [
        ({"id": "a", "tokens": ["x", "y"]}, "has no column 'attention'"),
        (
            {"id": "a", "tokens": ["x", "y"], "attention": [1.0]},
            "not a valid attention over its 2 tokens",
        ),
        ({"id": "a", "tokens": ["x", "y"], "attention": [0.9, 0.3]}, "is not a valid attention"),
        ({"id": "a", "tokens": ["x", "y"], "attention": None}, "of text 'a' is missing"),
        ({"id": "a", "tokens": ["x", "y"], "attention": [1.5, -0.5]}, "is not a valid attention"),
    ],
)
def test_weights_that_are_no_attention_are_rejected(tmp_path, row, sentence):
    good = {"id": "b", "tokens": ["x"], **({"attention": [1.0]} if "attention" in row else {})}
    path = write(tmp_path / "other.parquet", [good, row])
    with pytest.raises(DataError, match=r"other\.parquet: .*" + sentence):
        OtherAttention(path).weights("a", ["x", "y"])


def test_one_id_may_be_of_several_texts_where_splits_are_read_together(tmp_path):
    rows = [
        {"id": "line-1", "tokens": ["x", "y"], "attention": [0.25, 0.75]},
        {"id": "line-1", "tokens": ["z"], "attention": [1.0]},
    ]
    paths = [write(tmp_path / f"{number}.parquet", [row]) for number, row in enumerate(rows)]
    attention = OtherAttention(paths)
    assert attention.weights("line-1", ["x", "y"]).tolist() == [0.25, 0.75]
    assert attention.weights("line-1", ["z"]).tolist() == [1.0]


def test_a_file_that_is_no_attribution_file_is_rejected(tmp_path):
    (tmp_path / "guide.parquet").write_text("nothing")
    reader = {**PLANTED, "guide": str(tmp_path / "guide.parquet")}
    with pytest.raises(DataError, match="not a readable parquet file"):
        built(tmp_path / "run", [], reader=reader, model=GUIDED)


def test_a_guide_for_a_model_that_takes_none_is_rejected(tmp_path, guide):
    loop = built(tmp_path, [], reader={**BOUNDED, "guide": guide})
    with pytest.raises(InputError, match="only if its projection is 'guide'"):
        loop.run()


def test_a_guided_model_without_a_guide_is_rejected():
    vocab = vocabulary()
    classifier = model(vocab=vocab, **GUIDED)
    with pytest.raises(InputError, match="none came with these"):
        classifier(**batch(vocab, instances()))


def test_padding_gets_no_weight_from_a_guide():
    attention = model(**GUIDED).attention
    states = torch.zeros(1, 3, 8)
    mask = torch.tensor([[True, True, False]])
    weights = attention(states, mask, guide=torch.tensor([[0.4, 0.6, 0.9]]))
    assert weights.tolist() == [[pytest.approx(0.4), pytest.approx(0.6), 0.0]]
