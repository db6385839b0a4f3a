"""
The environment variables the training configs read, with their defaults.

AllenNLP hands the environment to jsonnet as external variables, and jsonnet has no default for an
absent one. Importing the plugin therefore fills in what the user has not set.
"""

import os

DATA_VARIABLE = "ATTENTION_EXPLAIN_DATA"
SEED_VARIABLE = "ATTENTION_EXPLAIN_SEED"

DEFAULTS = {
    DATA_VARIABLE: "data",
    SEED_VARIABLE: "1",
}


def set_defaults() -> None:
    """Gives every setting that the environment lacks its default."""
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
