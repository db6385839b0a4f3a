"""
Settings that importing the plugin makes: default environment variables for training configs, and the treatment of
denormal numbers.

AllenNLP passes the environment to jsonnet as external variables, and jsonnet has no defaults for missing ones.
"""

import os

import torch

DATA_VARIABLE = "ATTENTION_EXPLAIN_DATA"
SEED_VARIABLE = "ATTENTION_EXPLAIN_SEED"
# For adversarial models and for models that are guided by another one.
BASE_VARIABLE = "ATTENTION_EXPLAIN_BASE"
LAMBDA_VARIABLE = "ATTENTION_EXPLAIN_LAMBDA"
STRENGTH_VARIABLE = "ATTENTION_EXPLAIN_STRENGTH"
GUIDE_VARIABLE = "ATTENTION_EXPLAIN_GUIDE"

DEFAULTS = {
    DATA_VARIABLE: "data",
    SEED_VARIABLE: "1",
    BASE_VARIABLE: "runs/base",
    LAMBDA_VARIABLE: "0.001",
    STRENGTH_VARIABLE: "1",
    GUIDE_VARIABLE: "runs/guide",
}


def set_defaults() -> None:
    """Set the default of every variable that is missing in the environment."""
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)


def flush_denormals() -> None:
    """
    Treat numbers below 1e-38 as 0. Attention that is nearly all on one token has many of them, and a processor takes
    many times as long for each: the training of adversaries would slow down sevenfold.
    """
    torch.set_flush_denormal(True)
