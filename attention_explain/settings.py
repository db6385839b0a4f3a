"""
The environment variables the training configs read, with their defaults.

AllenNLP hands the environment to jsonnet as external variables, and jsonnet has no default for an
absent one. Importing the plugin therefore fills in what the user has not set.
"""

import os

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
