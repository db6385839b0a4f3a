"""
Is a saliency method true to the model? Measures, one a file, and the controls at both ends of the
scale. Importing this registers them.
"""

import attention_explain.faithfulness.comprehensiveness
import attention_explain.faithfulness.decision_flip
import attention_explain.faithfulness.deletion_curve
import attention_explain.faithfulness.erasures
import attention_explain.faithfulness.infidelity
import attention_explain.faithfulness.input_shift
import attention_explain.faithfulness.insertion_curve
import attention_explain.faithfulness.leave_one_out_correlation
import attention_explain.faithfulness.parameter_randomization
import attention_explain.faithfulness.sensitivity
import attention_explain.faithfulness.soft_comprehensiveness
import attention_explain.faithfulness.soft_sufficiency
import attention_explain.faithfulness.sufficiency  # noqa: F401
