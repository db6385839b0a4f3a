"""
A model trained to predict what another one does while it attends elsewhere (Wiegreffe & Pinter
2019, section 4).
"""

from typing import Any

import torch
from allennlp.data import DataLoader, Vocabulary
from allennlp.models import Model
from allennlp.training.callbacks import TrainerCallback
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from attention_explain.data.example import ORIGIN_NAMESPACE
from attention_explain.errors import InputError
from attention_explain.modules.projections import jensen_shannon, total_variation
from attention_explain.named_components import check_choice
from attention_explain.training.base_model import (
    BaseModel,
    BaseOutputs,
    Text,
    cached_outputs,
    text_of,
    texts_of,
)
from attention_explain.training.objective import Objective, ObjectiveCallback, full_precision

ATTENTION = "attention."


def copy_parameters(base: BaseModel, model: Model, with_attention: bool = True) -> None:
    """Those of the base, which must have the model's architecture and vocabulary."""
    namespace = _other_namespace(base.model.vocab, model.vocab)
    if namespace is not None:
        raise InputError(
            f"{base.path}: frozen training needs the base's vocabulary, but namespace "
            f"'{namespace}' of the model's differs from it; read the same training data with the "
            "same settings"
        )
    theirs, ours = base.model.state_dict(), model.state_dict()
    names = sorted(set(theirs) ^ set(ours))
    names += [name for name in theirs if name in ours and theirs[name].shape != ours[name].shape]
    if names:
        raise InputError(
            f"{base.path}: frozen training needs the base's architecture, but '{names[0]}' differs"
        )
    kept = {} if with_attention else {name: ours[name] for name in ours if _of_attention(name)}
    model.load_state_dict({**theirs, **kept})


def other_than_attention(model: Model) -> list[torch.nn.Parameter]:
    """The parameters that stay as they are."""
    names = [name for name, _ in model.named_parameters()]
    if not any(map(_of_attention, names)):
        raise InputError(
            "frozen training would train nothing, because this attention has no parameters"
        )
    return [parameter for name, parameter in model.named_parameters() if not _of_attention(name)]


def _of_attention(name: str) -> bool:
    return name.startswith(ATTENTION)


def _other_namespace(first: Vocabulary, second: Vocabulary) -> str | None:
    # How the training texts were split changes nothing in a model that knows the same words.
    namespaces = sorted((first.get_namespaces() | second.get_namespaces()) - {ORIGIN_NAMESPACE})
    for namespace in namespaces:
        theirs, ours = (one.get_token_to_index_vocabulary(namespace) for one in (first, second))
        if theirs != ours:
            return namespace
    return None


FLOOR = 1e-8
REDUCTIONS = ("mean", "sum", "as_published")


def kl_from_base(
    attention: torch.Tensor, base: torch.Tensor, mask: torch.Tensor, floor: float = FLOOR
) -> torch.Tensor:
    """
    KL(attention || base) in nats over the tokens of `mask`, finite for every base: weights of the
    base below `floor` are raised to it, and the base is normalised again. No text is then further
    away than about -log(floor). Shape: (batch, tokens) -> (batch,)
    """
    base = base.clamp(min=floor).masked_fill(~mask, 0.0)
    base = base / base.sum(dim=-1, keepdim=True)
    # 0 log 0 = 0, and its gradient too: a sparse projection multiplies what it gets there by 0,
    # which would make NaN of an infinite one.
    given = attention > 0
    weights = torch.where(given, attention, 1.0)
    ratios = weights.log() - torch.where(given, base, 1.0).log()
    return torch.where(given, weights * ratios, 0.0).sum(dim=-1)


class AdversarialObjective(Objective):
    """
    TVD(y_a, y_b) - lambda KL(a_a || a_b), for the model's output and attention (a) and those of the
    base (b); trained on as a mean or a sum over the batch, reported as a mean over texts.
    """

    name = "adversarial_loss"
    measures = ("tvd", "tvd_as_published", "jsd", "kl", "decision_agreement", "adversarial_loss")

    def __init__(
        self,
        base: BaseOutputs,
        lambda_: float,
        floor: float = FLOOR,
        loss_reduction: str = "mean",
        class_weights: torch.Tensor | None = None,
    ) -> None:
        super().__init__()
        self._base = base
        self._lambda = lambda_
        self._floor = floor
        self._loss_reduction = loss_reduction
        self._class_weights = class_weights

    def __call__(self, output: dict[str, Any]) -> None:
        mask = output["mask"]
        base_probs, base_attention = self._base.batch(texts_of(output), mask)
        probs, attention = full_precision(output["probs"]), full_precision(output["attention"])
        tvd = total_variation(probs, base_probs)
        kl = kl_from_base(attention, base_attention, mask, self._floor)
        losses = tvd - self._lambda * kl
        output[self.name] = self._reduced(losses, output)
        self.record(
            tvd=tvd,
            # Their code halves the distance once more.
            tvd_as_published=tvd / 2,
            jsd=jensen_shannon(attention.detach(), base_attention),
            kl=kl,
            decision_agreement=(probs.argmax(-1) == base_probs.argmax(-1)).float(),
            adversarial_loss=losses,
        )

    def _reduced(self, losses: torch.Tensor, output: dict[str, Any]) -> torch.Tensor:
        if self._loss_reduction == "mean":
            return losses.mean()
        # Nothing is trained on texts without labels.
        if self._loss_reduction == "sum" or "label" not in output:
            return losses.sum()
        if self._class_weights is None:
            raise InputError("loss_reduction 'as_published' needs the model's `class_weights`")
        # Their code sums over the batch, with the distance halved once more; gives each text this
        # sum, times the weight of its class; and sums again.
        return losses.sum() / 2 * self._class_weights[output["label"]].sum()


@TrainerCallback.register("adversarial_attention")
class AdversarialAttention(ObjectiveCallback):
    """
    Trains the model against a base: its outputs are to be the same, its attention another. The
    loss of a text is TVD(y_a, y_b) - lambda KL(a_a || a_b) and does not see its label. What the
    base makes of each text is computed once and kept on disk.

    Metrics, in training, validation and test: `adversarial_loss`, `tvd` (half the sum of |p - q|),
    `tvd_as_published` (half of that), `kl`, `jsd`, `decision_agreement`. The epoch to keep is that
    of `validation_metric: "-adversarial_loss"`, or the last one, as published, with
    `"+epochs_trained"`.

    Registered as a `TrainerCallback` with name "adversarial_attention".

    # Parameters

    base : `str`
        The archive, or the folder of the training run, of the base model.
    lambda_ : `float`
        What distance of the attention is worth; 0 gives a model that imitates the base.
    frozen : `bool`, optional (default = `False`)
        Start from the base's parameters and train those of the attention alone (Meister et al.
        2021, appendix C.1). Needs the base's architecture and vocabulary.
    new_attention : `bool`, optional (default = `False`)
        Whether a frozen model's attention is re-initialised, and not that of the base. There KL has no
        slope, and a small lambda never leaves it.
    floor : `float`, optional (default = `1e-8`)
        The least weight that the base is taken to give a token in KL, which would be infinite
        where a sparse base gives none.
    cache : `str`, optional (default = the folder `base_outputs` next to the base)
        Where the base's outputs are kept.
    loss_reduction : `str`, optional (default = `"mean"`)
        `mean` or `sum` over the batch, or `as_published`: the sum, times half the sum of the class
        weights of the batch, so about B * B / 2 times the mean for B texts. Adam's steps are the
        same for all; but the larger the loss, the less weight decay counts. Metrics are
        means over texts in any case.
    """

    def __init__(
        self,
        serialization_dir: str,
        base: str,
        lambda_: float,
        frozen: bool = False,
        new_attention: bool = False,
        floor: float = FLOOR,
        cache: str | None = None,
        loss_reduction: str = "mean",
    ) -> None:
        super().__init__(serialization_dir)
        if not lambda_ >= 0:
            raise InputError(f"lambda_ is {lambda_}, but must be 0 or more")
        if not 0 < floor < 1:
            raise InputError(f"floor is {floor}, but must lie between 0 and 1")
        check_choice("loss_reduction", loss_reduction, REDUCTIONS)
        self.base = base
        self.lambda_ = lambda_
        self.frozen = frozen
        self.new_attention = new_attention
        self.floor = floor
        self.cache = cache
        self.loss_reduction = loss_reduction
        self._frozen_parameters: list[torch.nn.Parameter] = []
        self._recovered = False

    def make_objective(self, trainer: GradientDescentTrainer) -> AdversarialObjective:
        device = trainer.cuda_device
        cuda_device = -1 if device.index is None else device.index
        base = BaseModel(self.base, trainer.model.labels, cuda_device)
        outputs = BaseOutputs(base)
        if self.frozen:
            self._freeze(trainer, base)
        for loader in (trainer.data_loader, trainer._validation_data_loader):
            if loader is not None:
                outputs.add(cached_outputs(base, _texts(loader), self.cache))
        return AdversarialObjective(
            outputs, self.lambda_, self.floor, self.loss_reduction, trainer.model.class_weights
        )

    def _freeze(self, trainer: GradientDescentTrainer, base: BaseModel) -> None:
        # The checkpoint of a recovered run has the parameters, and attention has moved on.
        if not self._recovered:
            copy_parameters(base, trainer.model, with_attention=not self.new_attention)
        self._frozen_parameters = other_than_attention(trainer.model)
        # Distributed training waits for the gradient of every parameter it was told of.
        if not trainer._distributed:
            for parameter in self._frozen_parameters:
                parameter.requires_grad_(False)

    def on_backward(
        self,
        trainer: GradientDescentTrainer,
        batch_outputs: dict[str, torch.Tensor],
        backward_called: bool,
        **kwargs: Any,
    ) -> bool:
        called = super().on_backward(trainer, batch_outputs, backward_called, **kwargs)
        for parameter in self._frozen_parameters:
            parameter.grad = None
        return called

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint has to store."""
        return {"started": True}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        self._recovered = state_dict.get("started", False)


def _texts(loader: DataLoader) -> list[Text]:
    return [text_of(instance["metadata"].metadata) for instance in loader.iter_instances()]
