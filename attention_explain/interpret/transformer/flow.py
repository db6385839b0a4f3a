"""Maximum flow through a graph of layers."""

from typing import List, Sequence

import numpy

# scipy's flows are of whole numbers of 32 bits: widths are rounded to multiples of 1 / UNITS.
UNITS = 10**9


def flow_from_source(
    source: numpy.ndarray, maps: numpy.ndarray, targets: Sequence[int]
) -> List[float]:
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
