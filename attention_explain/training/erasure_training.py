"""
A model that knows what erased texts look like: half of the training texts have words masked (masked
fine-tuning, Madsen et al. 2023).
"""

from typing import Any

import torch
from allennlp.data import TextFieldTensors
from allennlp.nn.util import get_text_field_mask
from allennlp.training.callbacks import TrainerCallback
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from attention_explain.errors import InputError
from attention_explain.symbols import symbol_ids
from attention_explain.training.adversarial_attention import AdversarialAttention

PURPOSE = "erasure_training puts one symbol where words were"


def drawn_erasures(texts: int, tokens: int, generator: torch.Generator) -> torch.Tensor:
    """
    Which positions are masked: in half of the texts (of an odd number, one more or one less, by
    chance) each position with a probability that is uniform between 0 and 1 and the text's own. On the
    host, so that a GPU masks the same. Shape: (texts, tokens)
    """
    # Not the second half: a batch may be in the order of its lengths.
    ranks = torch.rand(texts, generator=generator).argsort().argsort()
    erased = ranks < (texts / 2 + torch.rand(1, generator=generator)).floor()
    share = torch.rand(texts, 1, generator=generator)
    return erased.unsqueeze(-1) & (torch.rand(texts, tokens, generator=generator) < share)


def masked(
    tokens: TextFieldTensors, erased: torch.Tensor, mask_ids: dict[str, int]
) -> TextFieldTensors:
    """The texts with the mask at the positions `erased`. Shape: (texts, tokens)"""
    return {
        indexer: {
            name: ids.masked_fill(erased, mask_ids[indexer]) if name == "tokens" else ids
            for name, ids in tensors.items()
        }
        for indexer, tensors in tokens.items()
    }


@TrainerCallback.register("erasure_training")
class ErasureTraining(TrainerCallback):
    """
    Masks words of half of the texts of every training batch: of each a share that is drawn uniformly
    between none and all, again in every epoch. Validation and test are untouched, and so are boundary
    symbols and padding; metrics of training are those of the masked texts. The mask is a word of its
    own, which the vocabulary must have: `tokens_to_add: {tokens: ['@@MASK@@']}`;
    `lib.erasure_training(config)` adds both.

    Works with `deceptive_attention`, to which a masked word is as impermissible as it was; not with
    `adversarial_attention`, whose base has seen the whole texts.

    Registered as a `TrainerCallback` with name "erasure_training".

    # Parameters

    seed : `int`, optional (default = the training's own, `pytorch_seed`)
        Of the masks alone. Nothing else that is drawn in training changes by them.
    """

    def __init__(self, serialization_dir: str, seed: int | None = None) -> None:
        super().__init__(serialization_dir)
        self.seed = seed
        self._state: torch.Tensor | None = None
        self._hook: torch.utils.hooks.RemovableHandle | None = None

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        super().on_start(trainer, is_primary=is_primary, **kwargs)
        if not hasattr(trainer.model, "text_field_embedder"):
            raise InputError(
                f"erasure_training masks the texts of an attention_classifier, but the model is a "
                f"{type(trainer.model).__name__}"
            )
        if any(isinstance(each, AdversarialAttention) for each in trainer._callbacks):
            raise InputError(
                "erasure_training does not work with adversarial_attention, whose base has seen the "
                "texts without masks; train the base with it instead"
            )
        self._mask_ids = symbol_ids(trainer.model, "mask", PURPOSE)
        seed = torch.initial_seed() if self.seed is None else self.seed
        # Workers of distributed training have one seed, and texts of their own.
        self._generator = torch.Generator().manual_seed(seed + trainer._rank)
        if self._state is not None:
            self._generator.set_state(self._state)
        self._hook = trainer.model.register_forward_pre_hook(self._erase, with_kwargs=True)

    def _erase(
        self, model: torch.nn.Module, args: tuple[Any, ...], inputs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """What the model gets in place of its inputs."""
        if not model.training:
            return None
        words = inputs.get("attendable")
        words = get_text_field_mask(inputs["tokens"]) if words is None else words
        texts, length = words.shape
        erased = drawn_erasures(texts, length, self._generator)
        erased = erased.to(words.device, non_blocking=True)
        return args, {**inputs, "tokens": masked(inputs["tokens"], erased & words, self._mask_ids)}

    def on_end(
        self,
        trainer: GradientDescentTrainer,
        metrics: dict[str, Any] | None = None,
        epoch: int | None = None,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        if self._hook is not None:
            self._hook.remove()

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint has to store."""
        return {"generator": self._generator.get_state()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        self._state = state_dict["generator"]
