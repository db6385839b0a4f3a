"""
Post hoc counterfactuals: what a trained model would have said with other attention, one experiment
a file. Importing this registers them.
"""

import attention_explain.counterfactual.drop_top
import attention_explain.counterfactual.heads
import attention_explain.counterfactual.instance_adversary
import attention_explain.counterfactual.other_model
import attention_explain.counterfactual.permutation
import attention_explain.counterfactual.random_attention
import attention_explain.counterfactual.removal_order
import attention_explain.counterfactual.uniform  # noqa: F401
