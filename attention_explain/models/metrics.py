"""Metrics that AllenNLP lacks, or has in a form too slow or too strict for every batch."""

from typing import Any, Protocol

import torch
import torch.distributed
from allennlp.common.util import is_distributed
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric


class OutputMetric(Protocol):
    """
    What may be among a model's `extra_metrics`: it is called with each output of `forward`, to which
    it may add, and gives numbers by name.
    """

    def __call__(self, output: dict[str, Any]) -> None: ...

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        """The value of each metric by name."""


@Metric.register("instance_mean")
class InstanceMean(Metric):
    """
    The mean over instances of one number an instance; instances for which it is undefined (NaN)
    are left out.

    Registered as a `Metric` with name "instance_mean".
    """

    _sum_and_count: torch.Tensor

    def __init__(self) -> None:
        self.reset()

    def __call__(self, values: torch.Tensor) -> None:
        (values,) = self.detach_tensors(values)
        # Stays where it is: at each batch nobody has to wait for a GPU.
        sum_and_count = torch.stack(
            [values.nan_to_num().sum().double(), (~values.isnan()).sum().double()]
        )
        self._sum_and_count = self._sum_and_count.to(sum_and_count.device) + sum_and_count

    def get_metric(self, reset: bool = False) -> float:
        total, count = map(dist_reduce_sum, self._sum_and_count.tolist())
        if reset:
            self.reset()
        return total / count if count else 0.0

    def reset(self) -> None:
        self._sum_and_count = torch.zeros(2, dtype=torch.double)


@Metric.register("confusion")
class Confusion(Metric):
    """
    Accuracy, F1 of each class and their unweighted mean, all from one table of counts; 0 where
    nothing was counted.

    Registered as a `Metric` with name "confusion".
    """

    _counts: torch.Tensor

    def __init__(self, num_labels: int) -> None:
        self.num_labels = num_labels
        self.reset()

    def __call__(self, probs: torch.Tensor, labels: torch.Tensor) -> None:
        probs, labels = self.detach_tensors(probs, labels)
        cells = labels * self.num_labels + probs.argmax(dim=-1)
        # Not `bincount`, which asks a GPU for the largest cell first.
        counts = cells.new_zeros(self.num_labels**2).scatter_add_(0, cells, torch.ones_like(cells))
        # Rows are true labels, columns predicted ones.
        self._counts = self._counts.to(counts.device) + counts.view(self._counts.shape)

    def get_metric(self, reset: bool = False) -> dict[str, Any]:
        counts = dist_reduce_sum(self._counts.double()).cpu()
        if reset:
            self.reset()
        hits = counts.diagonal()
        f1 = 2 * hits / (counts.sum(dim=0) + counts.sum(dim=1)).clamp(min=1)
        return {
            "accuracy": (hits.sum() / counts.sum().clamp(min=1)).item(),
            "f1": f1.tolist(),
            "macro_f1": f1.mean().item(),
        }

    def reset(self) -> None:
        self._counts = torch.zeros(self.num_labels, self.num_labels, dtype=torch.long)


@Metric.register("roc_auc")
class RocAuc(Metric):
    """
    Area under the ROC curve: the probability that a positive instance scores above a negative one,
    ties counted half; for more than two classes the mean over classes, each against the rest.

    AllenNLP's `auc` recomputes everything at each call and, in distributed training, wants equal
    numbers on all workers. A class that is absent, or that is all there is, has no curve and is
    left out; None where none is left: AllenNLP's 0.5 there looks like a model that guesses.

    Registered as a `Metric` with name "roc_auc".
    """

    def __init__(self) -> None:
        self.reset()

    def __call__(self, probs: torch.Tensor, labels: torch.Tensor) -> None:
        probs, labels = self.detach_tensors(probs, labels)
        self._probs.append(probs.float())
        self._labels.append(labels)

    def get_metric(self, reset: bool = False) -> float | None:
        probs, labels = _gathered(self._probs), _gathered(self._labels)
        if reset:
            self.reset()
        if probs is None:
            return None
        # With two classes the two curves are one and the same.
        classes = [1] if probs.size(1) == 2 else range(probs.size(1))
        areas = [_area(probs[:, index], labels == index) for index in classes]
        defined = [area for area in areas if area is not None]
        return sum(defined) / len(defined) if defined else None

    def reset(self) -> None:
        self._probs: list[torch.Tensor] = []
        self._labels: list[torch.Tensor] = []


def _gathered(parts: list[torch.Tensor]) -> torch.Tensor | None:
    parts = [torch.cat(parts).cpu()] if parts else []
    if is_distributed():
        everyones: list[list[torch.Tensor]] = [[]] * torch.distributed.get_world_size()
        torch.distributed.all_gather_object(everyones, parts)
        parts = [part for worker in everyones for part in worker]
    return torch.cat(parts) if parts else None


def _area(scores: torch.Tensor, positive: torch.Tensor) -> float | None:
    """The Mann-Whitney statistic, which is the area under the curve."""
    positives = int(positive.sum())
    negatives = len(positive) - positives
    if positives == 0 or negatives == 0:
        return None
    # Half a second to load, and only training needs it.
    from scipy.stats import rankdata

    rank_sum = rankdata(scores.double().numpy())[positive.numpy()].sum()
    return float((rank_sum - positives * (positives + 1) / 2) / (positives * negatives))
