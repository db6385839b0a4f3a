"""The encoders `affine` and `cnn`, whose states depend on a window of tokens."""

from collections.abc import Sequence
from types import ModuleType

import torch
from allennlp.modules import Seq2SeqEncoder

from attention_explain.errors import InputError
from attention_explain.modules.epsilon_rules import EpsilonRules
from attention_explain.modules.two_runs import TwoRuns


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
        self, inputs: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
    ) -> torch.Tensor:
        """The states, computed with the rules of layer-wise relevance propagation."""
        states = rules.elementwise(self.activation, rules.linear(self.layer, inputs))
        return states * mask.unsqueeze(-1)

    def rescale_states(self, inputs: TwoRuns, mask: torch.Tensor, rules: ModuleType) -> TwoRuns:
        """The states of the text and of the baseline, computed with the rules of DeepLift."""
        states = rules.tanh(rules.linear(self.layer, inputs))
        return rules.linear_map(lambda values: values * mask.unsqueeze(-1), states)

    def subtract_shift(self, shift: torch.Tensor) -> None:
        """Subtract `shift` from the inputs, by changing the bias of the first layer."""
        self.layer.bias -= self.layer.weight @ shift


@Seq2SeqEncoder.register("cnn")
class CnnEncoder(Seq2SeqEncoder):
    """
    ReLU of convolutions of several widths, side by side; the output is as long as the input.

    Registered as a `Seq2SeqEncoder` with name "cnn".

    # Parameters

    input_dim : `int`
    channels : `int`, optional (default = `32`)
        Output channels of each kernel.
    kernel_sizes : `Tuple[int, ...]`, optional (default = `(1, 3, 5, 7)`)
        Odd, so that a window has a middle token.
    """

    def __init__(
        self,
        input_dim: int,
        channels: int = 32,
        kernel_sizes: tuple[int, ...] = (1, 3, 5, 7),
    ) -> None:
        super().__init__()
        _check_kernel_sizes(kernel_sizes)
        self.input_dim = input_dim
        self.convolutions = torch.nn.ModuleList(
            torch.nn.Conv1d(input_dim, channels, size, padding=size // 2) for size in kernel_sizes
        )
        self.activation = torch.nn.ReLU()
        self.output_dim = channels * len(kernel_sizes)

    def forward(self, inputs: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        mask = mask.unsqueeze(-1)
        # Padding must look to a window like the zeros beyond the end of the text.
        # Shape: (batch, input_dim, tokens)
        channels_first = (inputs * mask).transpose(1, 2)
        windows = torch.cat([layer(channels_first) for layer in self.convolutions], dim=1)
        return self.activation(windows).transpose(1, 2) * mask

    def get_input_dim(self) -> int:
        return self.input_dim

    def get_output_dim(self) -> int:
        return self.output_dim

    def is_bidirectional(self) -> bool:
        return False

    # What methods ask of it (see `capabilities`) --------------------------------------------------

    def reach(self) -> int:
        """The number of neighbours on each side that the widest window sees."""
        return max(layer.kernel_size[0] for layer in self.convolutions) // 2

    def relevance_states(
        self, inputs: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
    ) -> torch.Tensor:
        """The states, computed with the rules of layer-wise relevance propagation."""
        mask = mask.unsqueeze(-1)
        channels_first = (inputs * mask).transpose(1, 2)
        windows = [
            rules.linear_map(
                lambda values, layer=layer: torch.nn.functional.conv1d(
                    values, layer.weight, padding=layer.padding
                ),
                channels_first,
                bias=layer.bias.detach().unsqueeze(-1),
            )
            for layer in self.convolutions
        ]
        states = rules.elementwise(self.activation, torch.cat(windows, dim=1))
        return states.transpose(1, 2) * mask

    def rescale_states(self, inputs: TwoRuns, mask: torch.Tensor, rules: ModuleType) -> TwoRuns:
        """The states of the text and of the baseline, computed with the rules of DeepLift."""
        mask = mask.unsqueeze(-1)
        windows = rules.linear_map(
            lambda values: torch.cat(
                [
                    torch.nn.functional.conv1d(
                        (values * mask).transpose(1, 2),
                        layer.weight.detach(),
                        padding=layer.padding,
                    )
                    for layer in self.convolutions
                ],
                dim=1,
            ),
            inputs,
            bias=torch.cat([layer.bias.detach() for layer in self.convolutions]).unsqueeze(-1),
        )
        return rules.linear_map(lambda values: values.transpose(1, 2) * mask, rules.relu(windows))


def _check_kernel_sizes(kernel_sizes: Sequence[int]) -> None:
    if not kernel_sizes or any(size < 1 or size % 2 == 0 for size in kernel_sizes):
        raise InputError(
            f"kernel_sizes must be odd numbers of at least 1, but are {list(kernel_sizes)}"
        )
