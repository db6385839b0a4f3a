"""An epoch is chosen by what the validation data can tell."""

from unittest.mock import Mock

import pytest

from attention_explain.errors import InputError
from attention_explain.training.checks import check_selection
from tests.builders import reader


def trainer(*labels, metric="auc", distributed=False):
    texts = [reader().text_to_instance(text="a fine film", label=label) for label in labels]
    loader = Mock(data_path="dev.jsonl", iter_instances=lambda: iter(texts))
    tracker = Mock(tracked_metrics=[(1.0, metric)])
    return Mock(_validation_data_loader=loader, _metric_tracker=tracker, _distributed=distributed)


def test_no_epoch_is_chosen_by_a_curve_of_one_label():
    with pytest.raises(InputError, match="^dev.jsonl: all texts have the label 'good', so"):
        check_selection(trainer("good", "good"))


@pytest.mark.parametrize(
    "which",
    [
        trainer("good", "bad"),
        trainer("good", metric="accuracy"),
        trainer("good", distributed=True),
        trainer(None, None),
        Mock(_validation_data_loader=None, _metric_tracker=Mock(tracked_metrics=[])),
    ],
)
def test_all_else_is_as_good_as_it_is(which):
    check_selection(which)
