"""
Post hoc counterfactuals: what a trained model would predict with other attention weights. Importing
this package registers them.
"""

import attention_explain.counterfactual.drop_top
import attention_explain.counterfactual.heads
import attention_explain.counterfactual.instance_adversary
import attention_explain.counterfactual.permutation
import attention_explain.counterfactual.removal_order
import attention_explain.counterfactual.replacement  # noqa: F401
