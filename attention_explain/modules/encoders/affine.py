"""The encoder without context: each state knows its own token alone."""

from types import ModuleType
from typing import TYPE_CHECKING

import torch
from allennlp.modules import Seq2SeqEncoder

if TYPE_CHECKING:
    from attention_explain.interpret.relevance.epsilon import EpsilonRules
    from attention_explain.interpret.rescale.two_runs import TwoRuns


@Seq2SeqEncoder.register("affine")
class AffineEncoder(Seq2SeqEncoder):
    """
    tanh(W x + b) for each token by itself: Jain & Wallace's "average" encoder and Wiegreffe &
    Pinter's token-level MLP.

    Registered as a `Seq2SeqEncoder` with name "affine".
    """

    def __init__(self, input_dim: int, hidden_dim: int = 128) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(input_dim, hidden_dim)
        self.activation = torch.nn.Tanh()

    def forward(self, inputs: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.activation(self.layer(inputs))
        return states * mask.unsqueeze(-1)

    def get_input_dim(self) -> int:
        return self.layer.in_features

    def get_output_dim(self) -> int:
        return self.layer.out_features

    def is_bidirectional(self) -> bool:
        return False

    # What methods ask of it (see `capabilities`) --------------------------------------------------

    def reach(self) -> int:
        """0: a state depends on its own token only."""
        return 0

    def relevance_states(
        self, inputs: torch.Tensor, mask: torch.Tensor, rules: "EpsilonRules"
    ) -> torch.Tensor:
        """The states, computed with the rules of layer-wise relevance propagation."""
        states = rules.elementwise(self.activation, rules.linear(self.layer, inputs))
        return states * mask.unsqueeze(-1)

    def rescale_states(self, inputs: "TwoRuns", mask: torch.Tensor, rules: ModuleType) -> "TwoRuns":
        """The states of the text and of the baseline, computed with the rules of DeepLift."""
        states = rules.tanh(rules.linear(self.layer, inputs))
        return rules.linear_map(lambda values: values * mask.unsqueeze(-1), states)

    def take_out(self, shift: torch.Tensor) -> None:
        """Subtract `shift` from the inputs, by changing the bias of the first layer."""
        self.layer.bias -= self.layer.weight @ shift
