"""
Saliency interpreters, a file for each method or two of a kind: importing this registers them, and
what encoders have for the methods that look inside them.
"""

import attention_explain.interpret.attention_and_chance
import attention_explain.interpret.attention_gradient
import attention_explain.interpret.attn_lrp
import attention_explain.interpret.coalitions
import attention_explain.interpret.decompx
import attention_explain.interpret.deeplift
import attention_explain.interpret.encoders
import attention_explain.interpret.gradient
import attention_explain.interpret.input_to_hidden
import attention_explain.interpret.integrated_gradients
import attention_explain.interpret.layer_contributions
import attention_explain.interpret.lrp
import attention_explain.interpret.occlusion
import attention_explain.interpret.transformer_attention  # noqa: F401
