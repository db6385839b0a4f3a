"""
Contributions of the inputs of each layer of a transformer to its outputs, multiplied over the layers:
value zeroing and ALTI. No gradient and no class is involved.
"""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor
from torch.nn.functional import linear, normalize

from attention_explain.interpret.interpreter import declared_passes
from attention_explain.interpret.transformer_attention import TransformerAttention
from attention_explain.modules.layer_attention import LayerAttention, LayerParts, scaled
from attention_explain.passes import rows_at_once


class LayerContributions(TransformerAttention):
    """
    What the methods of this file share: a map c_ij of each layer, the contribution of its input j to
    its output i, with rows normalised to sum 1, multiplied from the position that the head reads (of
    an `attention_classifier`, from its attention) downwards. The residual connection is part of a
    contribution, so that no identity is added.
    """

    needs = ("layers", "blocks")
    pieces = "sum"
    sums_to = "1 - what goes to special symbols"
    # Whether the bias of the values belongs to the input that is weighed.
    value_bias: bool

    def __init__(self, predictor: Predictor) -> None:
        super().__init__(predictor, residual=0.0)

    def compare(
        self,
        parts: LayerParts,
        before_norm: torch.Tensor,
        attended: torch.Tensor,
        residual: torch.Tensor,
    ) -> torch.Tensor:
        """
        The contributions of some inputs to some outputs, not normalised.
        Shape: (batch, outputs, inputs)

        # Parameters

        parts : `LayerParts`
        before_norm : `torch.Tensor`
            The input of the attention norm. Shape: (batch, outputs, 1, hidden_dim)
        attended : `torch.Tensor`
            What attention adds to it from each input. Shape: (batch, outputs, inputs, hidden_dim)
        residual : `torch.Tensor`
            What the residual connection adds to it. Shape: (batch, outputs, inputs, hidden_dim)
        """
        raise NotImplementedError

    def layer_map(self, layer: LayerAttention, attending: slice) -> torch.Tensor:
        attention, inputs = layer.module, layer.inputs
        rows = inputs[:, attending]
        # Shape: (batch, heads, positions, hidden_dim / heads)
        values = attention.split_heads(attention.value_layer(inputs))
        weights = layer.weights(attending)
        mixed = attention.output_layer(attention.merge_heads(weights @ values))
        before_norm = (rows + mixed).unsqueeze(2)
        if not self.value_bias:
            values = attention.split_heads(linear(inputs, attention.value_layer.weight))
        positions = torch.arange(inputs.size(1), device=inputs.device)
        own = positions[attending].unsqueeze(-1) == positions

        numbers = len(inputs) * max(layer.layer.inner.out_features, inputs.size(-1))
        pairs = rows_at_once(numbers, inputs.device.type)
        width = min(pairs, inputs.size(1))
        height = pairs // width
        contributions = torch.zeros_like(weights[:, 0])
        for top in range(0, rows.size(1), height):
            for left in range(0, inputs.size(1), width):
                some, others = slice(top, top + height), slice(left, left + width)
                # Shape: (batch, heads, outputs, inputs, hidden_dim / heads)
                weighed = weights[:, :, some, others].unsqueeze(-1) * values[:, :, None, others]
                attended = linear(
                    weighed.permute(0, 2, 3, 1, 4).flatten(start_dim=3),
                    attention.output_layer.weight,
                )
                residual = own[some, others].unsqueeze(-1) * rows[:, some].unsqueeze(2)
                contributions[:, some, others] = self.compare(
                    layer.layer, before_norm[:, some], attended, residual
                )
        return contributions.masked_fill(~layer.mask.unsqueeze(1), 0.0)


@SaliencyInterpreter.register("value-zeroing")
class ValueZeroing(LayerContributions):
    """
    Value zeroing (Mohebbi et al. 2023): the contribution of input j to output i of a layer is the
    cosine distance between output i and the same output computed with the value vector of j set to 0
    in all heads. Each layer reads its original inputs; attention weights stay as they are. Rows are
    normalised to sum 1 and multiplied over the layers. Without special symbols the scores sum to 1.

    Registered as a `SaliencyInterpreter` with name "value-zeroing".
    """

    passes = declared_passes("value-zeroing")
    value_bias = True

    def compare(
        self,
        parts: LayerParts,
        before_norm: torch.Tensor,
        attended: torch.Tensor,
        residual: torch.Tensor,
    ) -> torch.Tensor:
        whole, without = (_above(parts, each) for each in (before_norm, before_norm - attended))
        # 1 - cosine, without the rounding of a difference from 1.
        return (normalize(whole, dim=-1) - normalize(without, dim=-1)).square().sum(dim=-1) / 2


def _above(parts: LayerParts, before_norm: torch.Tensor) -> torch.Tensor:
    """The output of a layer. Shape: (..., hidden_dim)"""
    states = parts.attention_norm(before_norm)
    return parts.feedforward_norm(states + parts.outer(parts.activation(parts.inner(states))))


@SaliencyInterpreter.register("alti")
class Alti(LayerContributions):
    """
    ALTI (Ferrando et al. 2022): the output y_i of a layer's attention block is a sum of vectors
    T_i(x_j) and biases, with T_i(x_j) the linear part of the layer norm, at its real deviation, of
    sum_h A_ij W_O W_V x_j, plus x_j if i = j. The contribution of input j to output i is
    max(0, ||y_i||_1 - ||y_i - T_i(x_j)||_1). The feed-forward block is left out. Rows are normalised
    to sum 1, except rows of zeros, and multiplied over the layers. Without special symbols and rows
    of zeros the scores sum to 1.

    Registered as a `SaliencyInterpreter` with name "alti".
    """

    passes = declared_passes("alti")
    value_bias = False

    def compare(
        self,
        parts: LayerParts,
        before_norm: torch.Tensor,
        attended: torch.Tensor,
        residual: torch.Tensor,
    ) -> torch.Tensor:
        output = parts.attention_norm(before_norm)
        terms = scaled(parts.attention_norm, attended + residual, before_norm)
        distance = (output - terms).abs().sum(dim=-1)
        return (output.abs().sum(dim=-1) - distance).clamp_min(0)
