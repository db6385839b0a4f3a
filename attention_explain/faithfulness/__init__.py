"""
Measures of how faithful a saliency method is to the model, and the two controls that set the scale:
random rankings and a search for the best one. Importing this registers them.
"""

import attention_explain.faithfulness.comprehensiveness
import attention_explain.faithfulness.curves
import attention_explain.faithfulness.decision_flip
import attention_explain.faithfulness.infidelity
import attention_explain.faithfulness.input_shift
import attention_explain.faithfulness.leave_one_out_correlation
import attention_explain.faithfulness.parameter_randomization
import attention_explain.faithfulness.removal
import attention_explain.faithfulness.sensitivity
import attention_explain.faithfulness.soft  # noqa: F401
