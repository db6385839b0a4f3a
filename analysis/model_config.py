"""
What a training config says about a model, in the words that tables are keyed by; among it the role
it was trained for: to predict and attend as it likes (`plain`), to attend elsewhere, to hide what
it attends to, with attention of another model, or without any, or to do without some of the words.
"""

import json
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

PLAIN, UNIFORM, GUIDED = "plain", "uniform", "guided"
ADVERSARY, DECEPTIVE, ERASED = "adversary", "deceptive", "erased"
# The callback that trains adversaries.
ADVERSARIAL = "adversarial_attention"


@dataclass(frozen=True)
class Adversary:
    """
    base : archive or run folder of the model that it is compared with.
    frozen : whether it is that model, all but its attention held fast.
    """

    base: str
    lambda_: float
    frozen: bool


def adversary_of(config: dict[str, Any]) -> Adversary | None:
    """From a training config; None if it trains no adversary."""
    given = _callback(config, ADVERSARIAL)
    if given is None:
        return None
    return Adversary(given["base"], float(given["lambda_"]), bool(given.get("frozen", False)))


def without_base(config: dict[str, Any]) -> dict[str, Any]:
    """The config, but for where the base of an adversary lies."""
    if adversary_of(config) is None:
        return config
    callbacks = [
        {name: value for name, value in one.items() if name != "base"}
        if isinstance(one, dict) and one.get("type") == ADVERSARIAL
        else one
        for one in config["trainer"]["callbacks"]
    ]
    return {**config, "trainer": {**config["trainer"], "callbacks": callbacks}}


def strength_of(config: dict[str, Any]) -> float | None:
    """Of the penalty on impermissible tokens, where there is one."""
    given = _callback(config, "deceptive_attention")
    return None if given is None else float(given["strength"])


def erasure_trained(config: dict[str, Any]) -> bool:
    """Whether half of the texts of each batch had words masked."""
    return _callback(config, "erasure_training") is not None


@dataclass(frozen=True)
class MaskedTexts:
    """
    What was masked in the texts of a model, train, dev and test alike.

    share : of each text's tokens.
    by : the method that called them important, and how its scores were ranked if not by magnitude; or
        `random`.
    """

    share: float
    by: str

    def __str__(self) -> str:
        by = f" by {self.by}" if self.share < 1 else ""
        return f"erased({self.share:g}{by})"


def erased_of(config: dict[str, Any]) -> MaskedTexts | None:
    """None for a model that has read its texts as they are."""
    reader = config.get("dataset_reader")
    given = reader.get("erased") if isinstance(reader, dict) else None
    if given is None:
        return None
    signed = " (signed)" if given.get("ranking") == "signed" else ""
    return MaskedTexts(float(given["share"]), given.get("by", "random") + signed)


def guides_of(config: dict[str, Any]) -> list[str]:
    """The files whose attention the model is given; none for a model that is given none."""
    reader = config.get("dataset_reader")
    guide = reader.get("guide") if isinstance(reader, dict) else None
    return [] if guide is None else [guide] if isinstance(guide, str) else list(guide)


def role_of(config: dict[str, Any], projection: str) -> str:
    """From a training config, and the name of its projection: one of the roles above."""
    if adversary_of(config) is not None:
        return ADVERSARY
    if strength_of(config) is not None:
        return DECEPTIVE
    if erased_of(config) is not None:
        return ERASED
    if guides_of(config) or projection == "guide":
        return GUIDED
    return UNIFORM if projection == "uniform" else PLAIN


def suffix_of(config: dict[str, Any]) -> str:
    """What a name says of it: `adversary(0.001)`; nothing for what the projection says already."""
    adversary, strength, erased = adversary_of(config), strength_of(config), erased_of(config)
    if erased is not None:
        return str(erased)
    if erasure_trained(config):
        return "erasure training"
    if adversary is not None:
        return f"{'frozen ' if adversary.frozen else ''}adversary({adversary.lambda_:g})"
    return "" if strength is None else f"deceptive({strength:g})"


def _callback(config: dict[str, Any], name: str) -> dict[str, Any] | None:
    callbacks = config.get("trainer", {}).get("callbacks") or []
    named = map(typed, callbacks)
    return next((one for one in named if one.get("type") == name), None)


LAST_EPOCH = "+epochs_trained"
SEEDS = ("random_seed", "numpy_seed", "pytorch_seed")
# The papers' names of the scorers.
SCORERS = {"additive": "tanh", "scaled_dot": "dot", "linear": "linear"}
# An encoder that gives what it gets.
PASSED_ON = "pass_through"
# Projections that need no scores.
UNSCORED = ("uniform", "guide")


@dataclass(frozen=True)
class ModelConfig:
    """A config of `allennlp train`, as a run folder or an attribution file has it."""

    config: dict[str, Any]

    @property
    def corpus(self) -> str:
        """What the reader calls its data, else the reader's own name."""
        reader = self.config["dataset_reader"]
        if isinstance(reader, str):
            return reader
        return reader.get("corpus") or "-".join(
            part for part in (reader["type"], reader.get("preset")) if part
        )

    @property
    def names_corpus(self) -> bool:
        """Whether the reader's options name its data; otherwise `corpus` is the reader's own name."""
        reader = self.config["dataset_reader"]
        return isinstance(reader, dict) and bool(reader.get("corpus") or reader.get("preset"))

    @property
    def encoder(self) -> str:
        """
        As below; where attention reads the states of a pretrained transformer as they are, that one:
        `frozen all-MiniLM-L6-v2`, or without `frozen` if it was trained, too.
        """
        part = self._transformer_below if self.registered_encoder == PASSED_ON else None
        if part is None:
            return self.registered_encoder
        frozen = "frozen " if part.get("train_parameters") is False else ""
        return frozen + PurePath(part["model_name"]).name

    @property
    def registered_encoder(self) -> str:
        """
        Its registered name; `bilstm` for an LSTM both ways. Of a model without attention over an
        encoder's states, what the model is: the name of a transformer's folder, or its type.
        """
        model = self.config["model"]
        if not self._attends_to_states:
            return PurePath(model.get("model_name", "")).name or type_of(model)
        encoder = model["encoder"]
        if type_of(encoder) == "lstm" and encoder.get("bidirectional"):
            return "bilstm"
        return type_of(encoder)

    @property
    def scorer(self) -> str:
        """Its registered name; a dash for attention that needs no scores."""
        return (
            "-"
            if self.projection in (*UNSCORED, "-")
            else type_of(self._attention("scorer", "additive"))
        )

    @property
    def attention(self) -> str:
        """The scorer by the papers' name."""
        return SCORERS.get(self.scorer, self.scorer)

    @property
    def projection(self) -> str:
        """Its registered name."""
        return type_of(self._attention("projection", "softmax"))

    @property
    def sparsity(self) -> float | None:
        """The lambda of sparsegen, else None."""
        projection = self._attention("projection", "softmax")
        return projection.get("lambda_") if isinstance(projection, dict) else None

    @property
    def keeps_last_epoch(self) -> bool:
        """Whether nothing was selected: the metric that chose the epoch just counts them."""
        return self.config.get("trainer", {}).get("validation_metric") == LAST_EPOCH

    @property
    def seed(self) -> int | None:
        """That of torch; None if the config has none."""
        return self.config.get("pytorch_seed")

    @property
    def role(self) -> str:
        """What it was trained for, as `analysis.model_config` has it."""
        return role_of(self.config, self.projection)

    @property
    def adversary(self) -> Adversary | None:
        """What it is compared with, if it was trained as an adversary; else None."""
        return adversary_of(self.config)

    @property
    def strength(self) -> float | None:
        """Of the penalty on impermissible tokens, else None."""
        return strength_of(self.config)

    @property
    def erased(self) -> MaskedTexts | None:
        """What was masked in all of its texts, else None."""
        return erased_of(self.config)

    @property
    def erasure_trained(self) -> bool:
        """Whether it has seen texts with words masked."""
        return erasure_trained(self.config)

    @property
    def name(self) -> str:
        """What it is, whatever the seed: `bilstm tanh sparsemax`."""
        return self.with_encoder(self.encoder)

    @property
    def registered_name(self) -> str:
        """The same with what is registered alone, which folders of runs are called by."""
        return self.with_encoder(self.registered_encoder)

    def with_encoder(self, encoder: str) -> str:
        sparsity = "" if self.sparsity is None else f"({self.sparsity:g})"
        parts = (encoder, self.attention, self.projection + sparsity, suffix_of(self.config))
        return " ".join(part for part in parts if part not in ("-", ""))

    @property
    def without_seeds(self) -> str:
        """The same for two configs exactly if they differ in nothing but their seeds."""
        rest = {key: value for key, value in self.config.items() if key not in SEEDS}
        return json.dumps(rest, sort_keys=True)

    @property
    def _attends_to_states(self) -> bool:
        return "encoder" in self.config["model"]

    @property
    def _transformer_below(self) -> dict[str, Any] | None:
        """The embedder that is a pretrained transformer, if there is no other."""
        embedders = self.config["model"].get("text_field_embedder", {}).get("token_embedders", {})
        parts = list(embedders.values())
        named = len(parts) == 1 and isinstance(parts[0], dict) and "model_name" in parts[0]
        return parts[0] if named else None

    def _attention(self, part: str, default: str) -> Any:
        if not self._attends_to_states:
            return "-"
        return self.config["model"].get("attention", {}).get(part, default)


def type_of(component: Any) -> str:
    """A component is named, or configured in an object."""
    return typed(component)["type"]


def typed(component: Any) -> dict[str, Any]:
    """A component's object, also of one that is only named."""
    return {"type": component} if isinstance(component, str) else component
