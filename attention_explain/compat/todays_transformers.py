"""
What AllenNLP 2.10.1 imports from transformers 4 and its hub client, and transformers 5 no longer has. It works with
both.
"""

import math
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, NoReturn

from attention_explain.compat.todays_packages import replace_everywhere


def supply_imports() -> None:
    """Supply the classes that AllenNLP imports from the top of its modules."""
    import huggingface_hub
    import transformers

    # The client for git repositories is only imported; see `fix_push_to_hub`.
    for name in ("HfFolder", "Repository"):
        if not hasattr(huggingface_hub, name):
            setattr(huggingface_hub, name, type(name, (), {}))
    transformers.AdamW = _adamw()
    # What version 5 calls its class, and writes into folders.
    if not hasattr(transformers, "TokenizersBackend"):
        transformers.TokenizersBackend = transformers.PreTrainedTokenizerFast


def _adamw() -> type:
    import torch

    class AdamW(torch.optim.Optimizer):
        """
        Adam with decoupled weight decay, as transformers 4 had it: epsilon is added before the bias correction, and
        the correction can be left out. The state is that of transformers.
        """

        def __init__(
            self,
            params: Iterable[Any],
            lr: float = 1e-3,
            betas: tuple[float, float] = (0.9, 0.999),
            eps: float = 1e-6,
            weight_decay: float = 0.0,
            correct_bias: bool = True,
        ) -> None:
            for name, number in {"lr": lr, "eps": eps, "weight_decay": weight_decay}.items():
                if number < 0:
                    raise ValueError(f"{name} is {number}, but must not be negative")
            if not all(0 <= beta < 1 for beta in betas):
                raise ValueError(f"betas are {betas}, but must be from 0 to below 1")
            super().__init__(
                params,
                {
                    "lr": lr,
                    "betas": betas,
                    "eps": eps,
                    "weight_decay": weight_decay,
                    "correct_bias": correct_bias,
                },
            )

        @torch.no_grad()
        def step(self, closure: Callable[[], Any] | None = None) -> Any:
            loss = None
            if closure is not None:
                with torch.enable_grad():
                    loss = closure()
            for group in self.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        self._update(parameter, group)
            return loss

        def _update(self, parameter: Any, group: dict[str, Any]) -> None:
            gradient, state = parameter.grad, self.state[parameter]
            if gradient.is_sparse:
                raise RuntimeError("AdamW does not support sparse gradients")
            if not state:
                state["step"] = 0
                state["exp_avg"] = torch.zeros_like(parameter)
                state["exp_avg_sq"] = torch.zeros_like(parameter)
            state["step"] += 1
            first, second = group["betas"]
            state["exp_avg"].mul_(first).add_(gradient, alpha=1 - first)
            state["exp_avg_sq"].mul_(second).addcmul_(gradient, gradient, value=1 - second)
            size = group["lr"]
            if group["correct_bias"]:
                size *= math.sqrt(1 - second ** state["step"]) / (1 - first ** state["step"])
            deviation = state["exp_avg_sq"].sqrt().add_(group["eps"])
            parameter.addcdiv_(state["exp_avg"], deviation, value=-size)
            if group["weight_decay"] > 0:
                parameter.add_(parameter, alpha=-group["lr"] * group["weight_decay"])

    return AdamW


def fix_pretrained_tokenizers() -> None:
    """
    Tokenizers no longer have `encode_plus`, `batch_encode_plus` and, for ids, `build_inputs_with_special_tokens`, and
    take `add_special_tokens` only where they are used. AllenNLP also gives it where they are built.
    """
    from allennlp.common import cached_transformers

    original = cached_transformers.get_tokenizer

    @wraps(original)
    def get_tokenizer(model_name: str, add_special_tokens: bool = True, **options: Any) -> Any:
        tokenizer = original(model_name, **options)
        kind = type(tokenizer)
        for name, method in TOKENIZER_METHODS.items():
            if not hasattr(kind, name):
                setattr(kind, name, method)
        return tokenizer

    cached_transformers.get_tokenizer = get_tokenizer


def _encode(self, *texts: Any, **options: Any) -> Any:
    return self(*texts, **options)


def _with_special_tokens(self, token_ids_0: list[int]) -> list[int]:
    """Of one text."""
    read = self("a", return_special_tokens_mask=True)
    ids, special = read["input_ids"], read["special_tokens_mask"]
    start = special.index(0)
    end = len(ids) - special[::-1].index(0)
    return [*ids[:start], *token_ids_0, *ids[end:]]


TOKENIZER_METHODS: dict[str, Callable] = {
    "encode_plus": _encode,
    "batch_encode_plus": _encode,
    "build_inputs_with_special_tokens": _with_special_tokens,
}


def fix_pretrained_models() -> None:
    """
    transformers 5 loads weights in the precision in which they are saved, where 4 loaded float32, and does not
    initialize weights again that it has loaded, as AllenNLP's `reinit_modules` asks for.
    """
    from allennlp.common import cached_transformers

    from attention_explain.pretrained import families

    class AutoModel:
        @staticmethod
        def from_config(*arguments: Any, **options: Any) -> Any:
            import transformers

            model = transformers.AutoModel.from_config(*arguments, **options)
            families.check_positions(model)
            return model

        @staticmethod
        def from_pretrained(*arguments: Any, **options: Any) -> Any:
            import transformers

            if not {"dtype", "torch_dtype"} & set(options):
                options |= families.single_precision()
            with families.quiet():
                model = transformers.AutoModel.from_pretrained(*arguments, **options)
            families.check_positions(model)
            families.allow_initialization(model)
            return model

    cached_transformers.AutoModel = AutoModel


def fix_push_to_hub() -> None:
    """
    AllenNLP uploads with a client for git repositories, with arguments that the hub's client no longer takes. The
    command ended in a traceback.
    """
    from allennlp.common import push_to_hf as original

    from attention_explain.errors import InputError

    @wraps(original)
    def push_to_hf(*arguments: Any, **options: Any) -> NoReturn:
        raise InputError(
            "AllenNLP's push-to-hf does not work with current versions of huggingface_hub; upload the run folder "
            "with 'hf upload'"
        )

    replace_everywhere(original, push_to_hf)
