"""Labels that few texts have: rejected, or warned of, before training."""

import logging

import pytest
from allennlp.common import Params
from allennlp.data import Vocabulary

from attention_explain.archives import open_archive
from attention_explain.errors import InputError
from attention_explain.models.classifier import check_label_counts
from tests.builders import instances, model
from tests.small_archive import small_archive


def vocabulary(**counts: int) -> Vocabulary:
    labels = [label for label, count in counts.items() for _ in range(count)]
    return Vocabulary.from_instances(instances(["a film"] * len(labels), labels))


def test_labels_with_too_few_texts_are_named_with_the_others():
    few = vocabulary(good=5, bad=4, goood=1)
    with pytest.raises(InputError) as caught:
        model(vocab=few, min_label_count=2)
    assert str(caught.value) == (
        "fewer than 2 texts of the training data have the label 'goood' (1); the others are "
        "'good' (5), 'bad' (4); fix the file, rename or drop the label with the reader's option "
        "`labels`, or allow it with the model's `min_label_count`"
    )
    with pytest.raises(InputError, match=r"fewer than 5 .* label 'bad' \(4\), 'goood' \(1\)"):
        model(vocab=few, min_label_count=5)
    assert model(vocab=few, min_label_count=1).labels == ["good", "bad", "goood"]


def test_many_labels_are_not_all_told():
    many = vocabulary(**{f"label-{number}": 1 for number in range(8)}, good=3)
    with pytest.raises(InputError, match=r"'label-4' \(1\) and 3 more; the others"):
        check_label_counts(many, 2)


@pytest.mark.parametrize("count, warned", [(2, True), (3, False)])
def test_labels_of_less_than_a_twentieth_of_the_commonest_are_warned_of(caplog, count, warned):
    with caplog.at_level(logging.WARNING):
        check_label_counts(vocabulary(good=60, bad=50, rare=count), 2)
    sentence = (
        "few texts of the training data have the label 'rare' (2); the others are 'good' (60)"
    )
    assert (sentence in caplog.text) == warned


def test_no_number_of_texts_is_below_one():
    with pytest.raises(InputError, match="min_label_count is 0"):
        model(min_label_count=0)


def test_an_archive_which_knows_no_counts_is_loaded(tmp_path):
    archive = small_archive(tmp_path, encoder="affine")
    assert open_archive(archive).model.labels


def test_vocabularies_of_documents_know_the_counts_too():
    texts = instances(["a film", "a play", "a song"], ["good", "good", "goood"])
    made = Vocabulary.from_params(Params({"type": "document_frequency"}), instances=texts)
    with pytest.raises(InputError, match=r"label 'goood' \(1\); the others are 'good' \(2\)"):
        check_label_counts(made, 2)
