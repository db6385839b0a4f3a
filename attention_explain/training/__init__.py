"""What training adds to AllenNLP: importing this registers it."""

from attention_explain.training.metrics import InstanceMean, RocAuc

__all__ = ["InstanceMean", "RocAuc"]
