"""Validation texts that are also training texts are counted, on the terminal."""

from unittest.mock import Mock

import pytest

from attention_explain.training.checks import warn_of_shared_texts
from tests.builders import reader
from tests.training.runs import trained


def loader(path, *texts):
    instances = [reader().text_to_instance(text=text, label="1") for text in texts]
    return Mock(data_path=path, iter_instances=lambda: iter(instances))


def trainer(dev, distributed=False):
    train = loader("train.jsonl", "a fine film", "a dull film")
    return Mock(data_loader=train, _validation_data_loader=dev, _distributed=distributed)


def test_shared_texts_are_counted(caplog):
    warn_of_shared_texts(trainer(loader("dev.jsonl", "a fine film", "a film", "a fine film")))
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert record.getMessage() == (
        "dev.jsonl: 2 of 3 validation texts are also in the training data (train.jsonl), which makes "
        "the validation metrics too good; remove them from one of the files"
    )


@pytest.mark.parametrize(
    "which",
    [
        trainer(loader("dev.jsonl", "another film")),
        trainer(None),
        trainer(loader("dev.jsonl", "a fine film"), distributed=True),
    ],
)
def test_nothing_is_said_of_other_trainings(which, caplog):
    warn_of_shared_texts(which)
    assert not caplog.records


def test_a_training_counts_them(tmp_path, caplog):
    data = tmp_path / "data.jsonl"
    data.write_text("".join(f'{{"text": "word {i}", "label": "{i % 2}"}}\n' for i in range(8)))
    trained(tmp_path / "run", [], reader={"type": "attention_text"}, data=str(data))
    assert "8 of 8 validation texts are also in the training data" in caplog.text
