"""
What a model was trained for, read from its config: to predict and attend as it likes (`plain`), to
attend elsewhere, to hide what it attends to, with attention of another model, or without any.
"""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

PLAIN, UNIFORM, GUIDED = "plain", "uniform", "guided"
ADVERSARY, DECEPTIVE = "adversary", "deceptive"


@dataclass(frozen=True)
class Adversary:
    """
    base : archive or run folder of the model that it is held against.
    frozen : whether it is that model, all but its attention held fast.
    """

    base: str
    lambda_: float
    frozen: bool


def adversary_of(config: Dict[str, Any]) -> Optional[Adversary]:
    given = _callback(config, "adversarial_attention")
    if given is None:
        return None
    return Adversary(given["base"], float(given["lambda_"]), bool(given.get("frozen", False)))


def strength_of(config: Dict[str, Any]) -> Optional[float]:
    """Of the penalty on impermissible tokens, where there is one."""
    given = _callback(config, "deceptive_attention")
    return None if given is None else float(given["strength"])


def erasure_trained(config: Dict[str, Any]) -> bool:
    """Whether half of the texts of each batch had words masked."""
    return _callback(config, "erasure_training") is not None


def guides_of(config: Dict[str, Any]) -> List[str]:
    """The files whose attention the model is given; none for a model that is given none."""
    reader = config.get("dataset_reader")
    guide = reader.get("guide") if isinstance(reader, dict) else None
    return [] if guide is None else [guide] if isinstance(guide, str) else list(guide)


def role_of(config: Dict[str, Any], projection: str) -> str:
    if adversary_of(config) is not None:
        return ADVERSARY
    if strength_of(config) is not None:
        return DECEPTIVE
    if guides_of(config) or projection == "guide":
        return GUIDED
    return UNIFORM if projection == "uniform" else PLAIN


def suffix_of(config: Dict[str, Any]) -> str:
    """What a name says of it: `adversary(0.001)`; nothing for what the projection says already."""
    adversary, strength = adversary_of(config), strength_of(config)
    if erasure_trained(config):
        return "erasure training"
    if adversary is not None:
        return f"{'frozen ' if adversary.frozen else ''}adversary({adversary.lambda_:g})"
    return "" if strength is None else f"deceptive({strength:g})"


def _callback(config: Dict[str, Any], name: str) -> Optional[Dict[str, Any]]:
    callbacks = config.get("trainer", {}).get("callbacks") or []
    named = ({"type": one} if isinstance(one, str) else one for one in callbacks)
    return next((one for one in named if one.get("type") == name), None)
