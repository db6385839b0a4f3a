"""By what the epoch of a training is chosen, and whether the validation data can tell epochs apart."""

from allennlp.training import GradientDescentTrainer

from attention_explain.errors import InputError

# Undefined where all texts have one label; such a one stays the same in every epoch, and the first is kept.
OF_TWO_LABELS = "auc"


def check_selection(trainer: GradientDescentTrainer) -> None:
    """Raises where the epoch is to be chosen by a curve that the validation data has not."""
    loader = trainer._validation_data_loader
    metrics = [name for _, name in trainer._metric_tracker.tracked_metrics]
    # A process of several sees a part of the texts.
    if loader is None or OF_TWO_LABELS not in metrics or trainer._distributed:
        return
    labels = set()
    for instance in loader.iter_instances():
        if "label" in instance.fields:
            labels.add(str(instance["label"].label))
        if len(labels) > 1:
            return
    if labels:
        raise InputError(
            f"{getattr(loader, 'data_path', 'the validation data')}: all texts have the label {labels.pop()!r}, so that the "
            f"epoch cannot be chosen by '{OF_TWO_LABELS}'; give texts of other labels, or another validation_metric"
        )
