"""What training adds to AllenNLP: importing this registers it."""

from attention_explain.models.metrics import Confusion, InstanceMean, RocAuc
from attention_explain.training.adversarial_attention import AdversarialAttention
from attention_explain.training.deceptive_attention import DeceptiveAttention
from attention_explain.training.erasure_training import ErasureTraining
from attention_explain.training.fused_adam import FusedAdam
from attention_explain.training.stop_when_perfect import StopWhenPerfect

__all__ = [
    "AdversarialAttention",
    "Confusion",
    "DeceptiveAttention",
    "ErasureTraining",
    "FusedAdam",
    "InstanceMean",
    "RocAuc",
    "StopWhenPerfect",
]
