"""What training adds to AllenNLP: importing this registers it."""

from attention_explain.training.metrics import Confusion, InstanceMean, RocAuc

__all__ = ["Confusion", "InstanceMean", "RocAuc"]
