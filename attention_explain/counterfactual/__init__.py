"""
Post hoc counterfactuals: what a trained model would predict with other attention weights. Importing
this package registers them.
"""

from attention_explain.counterfactual import (  # noqa: F401
    heads,
    instance_adversary,
    replacement,
)
