"""AttnLRP: layer-wise relevance propagation that also goes through the weights of self-attention."""

import math
from typing import Any

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter

from attention_explain.interpret.interpreter import declared_passes
from attention_explain.interpret.lrp import LayerwiseRelevance
from attention_explain.modules.epsilon_rules import EpsilonRules, stabilizer
from attention_explain.modules.layer_attention import SelfAttentionParts
from attention_explain.passes import rows_at_once


class AttentionRules(EpsilonRules):
    """The epsilon rules, with relevance for queries and keys too."""

    def attend(
        self,
        attention: SelfAttentionParts,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        mask: torch.Tensor,
    ) -> torch.Tensor:
        """Self-attention under the rules of AttnLRP. Shape: (batch, heads, positions, dim)"""
        return _AttentionRule.apply(
            attention, mask, self.epsilon, self.absorbed, queries, keys, values
        )


@SaliencyInterpreter.register("attn-lrp")
class AttnLrp(LayerwiseRelevance):
    """
    AttnLRP (Achtibat et al. 2024): as `lrp`, but the weights of self-attention get relevance too. A
    product of two matrices gives half to each factor by the epsilon rule; a softmax s of scores z
    gives R_i = z_i (R'_i - s_i sum R'). Deviations of layer norms are constants, activations hand on
    what they get. The attention over hidden states of an `attention_classifier` is a constant, as in
    `lrp`.

    The relevances, with what biases, stabilisers and the softmax absorb, sum to the logit: each text
    reports `conservation_error` and `unassigned` as in `lrp`.

    Registered as a `SaliencyInterpreter` with name "attn-lrp".

    # Parameters

    epsilon : `float`, optional (default = `0.001`)
        The stabiliser that keeps a sum away from zero, above 0.
    """

    needs = ("parts", "layers", "products")
    sums_to = "the logit, less the shares of biases, stabilisers, softmax and special symbols"
    passes = declared_passes("attn-lrp")
    rules = AttentionRules


class _AttentionRule(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        attention: SelfAttentionParts,
        mask: torch.Tensor,
        epsilon: float,
        absorbed: torch.Tensor,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
    ) -> torch.Tensor:
        ctx.attention, ctx.mask, ctx.epsilon = attention, mask, epsilon
        ctx.save_for_backward(queries, keys, values)
        return attention.mix(queries, keys, values, mask)

    @staticmethod
    def backward(ctx: Any, relevance: torch.Tensor) -> tuple[Any, ...]:
        attention, epsilon = ctx.attention, ctx.epsilon
        queries, keys, values = ctx.saved_tensors
        mask = ctx.mask[:, None, None, :]
        batch, heads, positions, dim = queries.shape
        bias = None if attention.bias is None else attention.bias(positions)
        of_queries, of_keys, of_values = (torch.zeros_like(each) for each in ctx.saved_tensors)
        together = rows_at_once(batch * heads * positions, queries.device.type)
        for first in range(0, positions, together):
            some = slice(first, first + together)
            # Shape: (batch, heads, positions that attend, positions)
            products = queries[:, :, some] @ keys.transpose(-1, -2) / math.sqrt(dim)
            scores = (products if bias is None else products + bias[:, some]).requires_grad_()
            with torch.enable_grad():
                weights = attention.projection(scores, mask)
            mixed = weights.detach() @ values
            rate = relevance[:, :, some] / (2 * (mixed + stabilizer(mixed, epsilon)))
            of_values += values * (weights.detach().transpose(-1, -2) @ rate)
            if not weights.requires_grad:
                # Uniform weights do not depend on the scores.
                continue
            # What a weight gets is weight * slope, so that the rule of the softmax is the score times
            # its gradient; and this holds for other projections too.
            slope = rate @ values.transpose(-1, -2)
            (gradient,) = torch.autograd.grad(weights, scores, slope)
            of_products = products * gradient
            rate = of_products / (2 * (products + stabilizer(products, epsilon)) * math.sqrt(dim))
            of_queries[:, :, some] = queries[:, :, some] * (rate @ keys)
            of_keys += keys * (rate.transpose(-1, -2) @ queries[:, :, some])
        handed_on = of_queries + of_keys + of_values
        absorbed = (relevance - handed_on).flatten(start_dim=1).sum(dim=1)
        return None, None, None, absorbed, of_queries, of_keys, of_values
