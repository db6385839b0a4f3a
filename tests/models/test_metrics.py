"""Metrics against the obvious."""

import pytest
import torch
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from attention_explain.models.metrics import Confusion, InstanceMean, RocAuc


def test_auc_equals_sklearns_over_batches_with_ties():
    generator = torch.Generator().manual_seed(0)
    scores = torch.randint(0, 10, (200,), generator=generator) / 10
    labels = torch.randint(0, 2, (200,), generator=generator)
    metric = RocAuc()
    for part in range(0, 200, 32):
        chosen = slice(part, part + 32)
        metric(torch.stack([1 - scores[chosen], scores[chosen]], dim=1), labels[chosen])
    assert metric.get_metric() == pytest.approx(roc_auc_score(labels, scores))
    assert metric.get_metric(reset=True) == pytest.approx(roc_auc_score(labels, scores))
    assert metric.get_metric() is None


def test_auc_of_several_classes_is_the_mean_of_each_against_the_rest():
    generator = torch.Generator().manual_seed(0)
    probs = torch.softmax(torch.randn(100, 4, generator=generator), dim=-1)
    labels = torch.randint(0, 4, (100,), generator=generator)
    metric = RocAuc()
    metric(probs, labels)
    expected = roc_auc_score(labels, probs, multi_class="ovr", average="macro")
    assert metric.get_metric() == pytest.approx(expected)


def test_auc_leaves_out_classes_without_a_curve():
    metric = RocAuc()
    metric(torch.tensor([[0.2, 0.8, 0.0], [0.7, 0.3, 0.0]]), torch.tensor([1, 0]))
    assert metric.get_metric() == 1.0
    single = RocAuc()
    single(torch.tensor([[0.2, 0.8]]), torch.tensor([1]))
    assert single.get_metric() is None


def test_instance_mean_leaves_out_what_is_undefined():
    metric = InstanceMean()
    metric(torch.tensor([1.0, torch.nan]))
    metric(torch.tensor([4.0]))
    assert metric.get_metric(reset=True) == 2.5
    assert metric.get_metric() == 0.0


def test_confusion_equals_sklearns_scores_over_batches():
    generator = torch.Generator().manual_seed(0)
    probs = torch.softmax(torch.randn(100, 3, generator=generator), dim=-1)
    labels = torch.randint(0, 3, (100,), generator=generator)
    metric = Confusion(3)
    for part in range(0, 100, 32):
        metric(probs[part : part + 32], labels[part : part + 32])
    predicted = probs.argmax(-1)
    scores = metric.get_metric(reset=True)
    assert scores["accuracy"] == pytest.approx(accuracy_score(labels, predicted))
    assert scores["f1"] == pytest.approx(f1_score(labels, predicted, average=None))
    assert scores["macro_f1"] == pytest.approx(f1_score(labels, predicted, average="macro"))
    assert metric.get_metric() == {"accuracy": 0.0, "f1": [0.0] * 3, "macro_f1": 0.0}
