"""What a training config says about a model, in the words that tables are keyed by."""

import json
from dataclasses import dataclass
from typing import Any, Dict, Optional

from analysis.roles import Adversary, adversary_of, erasure_trained, role_of, strength_of, suffix_of

LAST_EPOCH = "+epochs_trained"
SEEDS = ("random_seed", "numpy_seed", "pytorch_seed")
# The papers' names of the scorers.
SCORERS = {"additive": "tanh", "scaled_dot": "dot"}
# Projections that need no scores.
UNSCORED = ("uniform", "guide")


@dataclass(frozen=True)
class ModelConfig:
    """A config of `allennlp train`, as a run folder or an attribution file has it."""

    config: Dict[str, Any]

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
    def encoder(self) -> str:
        encoder = self.config["model"]["encoder"]
        if type_of(encoder) == "lstm" and encoder.get("bidirectional"):
            return "bilstm"
        return type_of(encoder)

    @property
    def scorer(self) -> str:
        return (
            "-" if self.projection in UNSCORED else type_of(self._attention("scorer", "additive"))
        )

    @property
    def attention(self) -> str:
        """The scorer by the papers' name."""
        return SCORERS.get(self.scorer, self.scorer)

    @property
    def projection(self) -> str:
        return type_of(self._attention("projection", "softmax"))

    @property
    def sparsity(self) -> Optional[float]:
        """The lambda of sparsegen, else None."""
        projection = self._attention("projection", "softmax")
        return projection.get("lambda_") if isinstance(projection, dict) else None

    @property
    def keeps_last_epoch(self) -> bool:
        """Whether nothing was selected: the metric that chose the epoch just counts them."""
        return self.config.get("trainer", {}).get("validation_metric") == LAST_EPOCH

    @property
    def seed(self) -> Optional[int]:
        return self.config.get("pytorch_seed")

    @property
    def role(self) -> str:
        """What it was trained for, as `analysis.roles` has it."""
        return role_of(self.config, self.projection)

    @property
    def adversary(self) -> Optional[Adversary]:
        return adversary_of(self.config)

    @property
    def strength(self) -> Optional[float]:
        """Of the penalty on impermissible tokens, else None."""
        return strength_of(self.config)

    @property
    def erasure_trained(self) -> bool:
        """Whether it has seen texts with words masked."""
        return erasure_trained(self.config)

    @property
    def name(self) -> str:
        """What it is, whatever the seed: `bilstm tanh sparsemax`."""
        sparsity = "" if self.sparsity is None else f"({self.sparsity:g})"
        parts = (self.encoder, self.attention, self.projection + sparsity, suffix_of(self.config))
        return " ".join(part for part in parts if part not in ("-", ""))

    @property
    def without_seeds(self) -> str:
        """The same for two configs exactly if they differ in nothing but their seeds."""
        rest = {key: value for key, value in self.config.items() if key not in SEEDS}
        return json.dumps(rest, sort_keys=True)

    def _attention(self, part: str, default: str) -> Any:
        return self.config["model"].get("attention", {}).get(part, default)


def type_of(component: Any) -> str:
    """A component is named, or configured in an object."""
    return component if isinstance(component, str) else component["type"]
