"""
The steps of a direction of an LSTM in half states and double cells.

With tanh(x) = 2 sigmoid(2 x) - 1 the factors then vanish into the weights: one sigmoid serves all gates,
and there is no tanh, which takes several times as long.
"""

import torch
from torch.nn.functional import linear

from attention_explain.modules.encoders.lstm import LstmLayer


class LstmSteps:
    """
    state_weights : what half a state adds to the gates. Shape: (hidden, 4 * hidden)
    """

    def __init__(self, layer: LstmLayer, direction: int) -> None:
        weights = layer.state_weights[direction]
        self.hidden = weights.size(-1)
        # The candidate is doubled.
        scale = weights.new_ones(4, self.hidden)
        scale[2] = 2
        scale = scale.view(-1)
        self._input_weights = layer.input_weights[direction] * scale.unsqueeze(-1)
        self._bias = layer.bias[direction] * scale
        self.state_weights = (2 * weights * scale.unsqueeze(-1)).t().contiguous()

    def input_gates(self, vectors: torch.Tensor) -> torch.Tensor:
        """The inputs' share of the gates. Shape: (..., input) -> (..., 4 * hidden)"""
        return linear(vectors, self._input_weights, self._bias)

    @staticmethod
    def advance(gates: torch.Tensor, half_states: torch.Tensor, double_cells: torch.Tensor) -> None:
        """
        New half states and double cells in place, and the gates are used up.
        Shape: (..., 4 * hidden), (..., hidden), (..., hidden)
        """
        enter, forget, candidate, leave = gates.sigmoid_().chunk(4, dim=-1)
        # c = forget c + enter (2 candidate - 1), doubled
        double_cells.mul_(forget).addcmul_(enter, candidate, value=4).sub_(enter, alpha=2)
        # h = leave (2 sigmoid(2 c) - 1), halved
        torch.sigmoid(double_cells, out=half_states).sub_(0.5).mul_(leave)
