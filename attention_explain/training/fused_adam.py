"""AllenNLP's `adam` with the step of all parameters in one kernel."""

from typing import Any

import torch
from allennlp.training.optimizers import Optimizer, make_parameter_groups


@Optimizer.register("fused_adam")
class FusedAdam(Optimizer, torch.optim.Adam):
    """
    Registered as an `Optimizer` with name `fused_adam`. The same steps as `adam`, to rounding. An
    ordinary step goes through a vocabulary's worth of word vectors a dozen times, which on the CPU
    takes as long as the rest of these small models.
    """

    def __init__(
        self,
        model_parameters: list[tuple[str, torch.nn.Parameter]],
        parameter_groups: list[tuple[list[str], dict[str, Any]]] | None = None,
        lr: float = 0.001,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-08,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
    ) -> None:
        super().__init__(
            params=make_parameter_groups(model_parameters, parameter_groups),
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            amsgrad=amsgrad,
            fused=True,
        )
