"""
What importing the plugin sets: the environment variables that training configs read, where they have
none, and how the processor treats the smallest numbers.

AllenNLP hands the environment to jsonnet as external variables, and jsonnet has no default for an
absent one. Importing the plugin therefore fills in what the user has not set.
"""

import os

import torch

DATA_VARIABLE = "ATTENTION_EXPLAIN_DATA"
SEED_VARIABLE = "ATTENTION_EXPLAIN_SEED"
# Of models that are trained to attend otherwise, or guided by another one.
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
    """Gives every setting that the environment lacks its default."""
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)


def flush_denormals() -> None:
    """
    Takes numbers below 1e-38 for 0. Attention that is nearly all on one token is full of them, and a
    processor takes many times as long for each: adversaries would slow down sevenfold as they get far.
    """
    torch.set_flush_denormal(True)
