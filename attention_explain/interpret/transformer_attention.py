"""
Attention through the layers of a transformer: how much of each input token is in what the model reads
at last: by its attention over the hidden states, or, of a pretrained classifier, at the first position. No
gradient and no class is involved. Boundary symbols are passed through, but get no score.
"""

from collections.abc import Sequence
from functools import partial

import numpy
import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import MEMORY, TextBatch, most_tokens
from attention_explain.modules.layer_attention import LayerAttention, ThroughLayers, passed_down

# For each edge of the graph of `attention-flow`.
FLOW_BYTES = 100.0


class TransformerAttention(Interpreter):
    """
    What the methods of this file share: the layers' maps, each mixed with the residual connection.

    # Parameters

    residual : `float`
        The share of the residual connection: each map A becomes residual I + (1 - residual) A,
        rows normalised to sum 1.
    """

    class_specific = False
    needs: tuple[str, ...] = ("layers",)
    signed = False
    pieces = "max"
    passes = declared_passes("attention-rollout")
    goes_back = False

    def __init__(self, predictor: Predictor, residual: float) -> None:
        super().__init__(predictor)
        if not 0 <= residual < 1:
            raise InputError(f"residual must be at least 0 and less than 1, but is {residual}")
        self.residual = residual

    def layer_map(self, layer: LayerAttention, attending: slice) -> torch.Tensor:
        """
        One layer's map, before the residual, of some of the tokens that attend.
        Shape: (batch, tokens that attend, tokens attended to)
        """
        return layer.mean_weights(attending)

    def last_map(self, read: ThroughLayers) -> torch.Tensor:
        """How the model reads the last states. Shape: (batch, positions)"""
        return read.last

    def mixed_map(self, layer: LayerAttention, attending: slice) -> torch.Tensor:
        """The same with the residual. Shape: as of `layer_map`"""
        weights = normalized(self.layer_map(layer, attending))
        positions = torch.arange(weights.size(-1), device=weights.device)
        identity = (positions[attending].unsqueeze(-1) == positions).to(weights)
        return normalized(self.residual * identity + (1 - self.residual) * weights)

    def combine(
        self, last: torch.Tensor, layers: Sequence[LayerAttention], batch: TextBatch
    ) -> torch.Tensor:
        """
        # Parameters

        last : `torch.Tensor`. Shape: (batch, positions)
        layers : `Sequence[LayerAttention]`
            The first layer first.
        """
        for layer in reversed(layers):
            last = passed_down(last, layer, partial(self.mixed_map, layer))
        return last

    @torch.no_grad()
    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens)
        read = self.model.through_layers(embeddings, batch.inputs)
        return Attribution(self.combine(normalized(self.last_map(read)), read.layers, batch))


@SaliencyInterpreter.register("attention-rollout")
class AttentionRollout(TransformerAttention):
    """
    Attention rollout (Abnar & Zuidema 2020, section 3): the product of the layers' maps, heads
    averaged and the residual connection mixed in, here from the model's last attention downwards:
    a^T A_L ... A_1. Without boundary symbols the scores sum to 1.

    Registered as a `SaliencyInterpreter` with name "attention-rollout".

    # Parameters

    residual : `float`, optional (default = `0.5`)
        The share of the residual connection: each map A becomes residual I + (1 - residual) A.
    """

    sums_to = "1 - what goes to special symbols (of words that are read whole)"

    def __init__(self, predictor: Predictor, residual: float = 0.5) -> None:
        super().__init__(predictor, residual)


@SaliencyInterpreter.register("value-weighted-attention")
class ValueWeightedAttention(TransformerAttention):
    """
    Rollout of norms instead of weights (Kobayashi et al. 2020): token j counts for token i in a
    layer as || sum over heads a_ij f(x_j) ||, where f is the head's value and output layer without
    the output's bias; in the model's last attention, whose values are the states themselves, as
    a_i || h_i ||. Each row is normalised to sum 1; then as in `attention-rollout`. Kobayashi et al.
    look at single layers; that the layers are multiplied, and the residual connection counted by a
    fixed share, is Abnar & Zuidema's. Without boundary symbols the scores sum to 1.

    Registered as a `SaliencyInterpreter` with name "value-weighted-attention".

    # Parameters

    residual : `float`, optional (default = `0.5`)
        The share of the residual connection: each map A becomes residual I + (1 - residual) A.
    """

    sums_to = "1 - what goes to special symbols (of words that are read whole)"

    def __init__(self, predictor: Predictor, residual: float = 0.5) -> None:
        super().__init__(predictor, residual)

    def layer_map(self, layer: LayerAttention, attending: slice) -> torch.Tensor:
        return layer.value_weighted(attending)

    def last_map(self, read: ThroughLayers) -> torch.Tensor:
        return read.last * read.sizes


@SaliencyInterpreter.register("attention-flow")
class AttentionFlow(TransformerAttention):
    """
    Attention flow (Abnar & Zuidema 2020, section 3): the maximum flow to each input token, one at a
    time, through the graph of the layers, whose edges are as wide as the maps' weights. The source
    is the model's last attention, an edge a_i to each state. Exact up to the rounding of a width
    to 1e-9. Not fast: n flows through n^2 edges a layer, half a second for 200 tokens and 2 layers.

    Registered as a `SaliencyInterpreter` with name "attention-flow".

    # Parameters

    residual : `float`, optional (default = `0.5`)
        The share of the residual connection: each map A becomes residual I + (1 - residual) A.
    memory : `float`, optional (default = `2`)
        In GB. The graph of a long text does not fit into it: such a text is skipped.
    """

    passes = declared_passes("attention-flow")

    def __init__(self, predictor: Predictor, residual: float = 0.5, memory: float = MEMORY) -> None:
        super().__init__(predictor, residual)
        self.memory = memory
        layers = self.model.number_of_layers()
        # A word of several pieces has as many nodes; few have.
        self.max_tokens = most_tokens(lambda tokens: layers * tokens**2, FLOW_BYTES, memory)

    def combine(
        self, last: torch.Tensor, layers: Sequence[LayerAttention], batch: TextBatch
    ) -> torch.Tensor:
        # Shape: (layers, batch, tokens, tokens)
        maps = torch.stack([self.mixed_map(layer, slice(None)) for layer in layers])
        scores = torch.zeros_like(last)
        seen_positions = batch.seen_positions
        for row, length in enumerate(batch.mask.sum(dim=-1).tolist()):
            text = maps[:, row, :length, :length].cpu().numpy()
            targets = seen_positions[row].nonzero().squeeze(-1)
            flows = flow_from_source(last[row, :length].cpu().numpy(), text, targets.tolist())
            scores[row, targets] = torch.as_tensor(flows, dtype=scores.dtype, device=scores.device)
        return scores


def normalized(weights: torch.Tensor) -> torch.Tensor:
    """
    Rows that sum to 1; a row of zeros stays one. Shape: (..., tokens)
    """
    total = weights.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, weights / total, 0.0)


# scipy's flows are of whole numbers of 32 bits: widths are rounded to multiples of 1 / UNITS.
UNITS = 10**9


def flow_from_source(
    source: numpy.ndarray, maps: numpy.ndarray, targets: Sequence[int]
) -> list[float]:
    """
    The maximum flow from the source to each target alone.

    # Parameters

    source : the width of the edge to each node of the top layer, at most 1 in sum. Shape: (tokens,)
    maps : the widths of the edges from each node of a layer to those of the layer below, the bottom
        layer first. Shape: (layers, tokens, tokens)
    targets : nodes of the bottom layer.
    """
    # Slow to load, and only attention flow needs them.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    layers, tokens, _ = maps.shape
    nodes = numpy.arange(tokens)
    # The source is node 0; then the layers from the top, their nodes in order; then one target. The
    # lowest map gives the edges to the target, and of it one column is used at a time.
    heads, tails, widths = [numpy.zeros(tokens, int)], [1 + nodes], [source]
    for number, weights in enumerate(maps[:0:-1]):
        layer = 1 + number * tokens + nodes
        heads.append(layer.repeat(tokens))
        tails.append(numpy.tile(layer + tokens, tokens))
        widths.append(weights.ravel())
    target_node = 1 + layers * tokens
    heads.append(target_node - tokens + nodes)
    tails.append(numpy.full(tokens, target_node))
    widths.append(numpy.ones(tokens))
    units = numpy.rint(numpy.concatenate(widths) * UNITS).astype(numpy.int32)
    edges = numpy.concatenate(heads), numpy.concatenate(tails)
    graph = csr_array((units, edges), shape=(target_node + 1, target_node + 1))
    flows = []
    for target in targets:
        # Sorted by their heads, the edges to the target are the last.
        graph.data[-tokens:] = numpy.rint(maps[0, :, target] * UNITS)
        flows.append(maximum_flow(graph, 0, target_node).flow_value / UNITS)
    return flows
