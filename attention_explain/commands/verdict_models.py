"""Which models a verdict may be about: seeds of one model, and adversaries that were trained against it."""

from pathlib import Path
from typing import Any, Dict, Optional, Sequence, Tuple

from attention_explain.errors import InputError
from attention_explain.training.run_start import ARCHIVE

# Two configs of which nothing else differs are of two seeds of a model.
SEEDS = ("random_seed", "numpy_seed", "pytorch_seed")
# The callback that trains adversaries.
ADVERSARIAL = "adversarial_attention"


def check_seed(
    model: str, weights: str, config: Dict[str, Any], seen: Dict[str, Tuple[str, Dict[str, Any]]]
) -> None:
    """Adds it to those that were seen, by their weights."""
    if weights in seen:
        raise InputError(f"{model} is the same model as {seen[weights][0]}")
    without = {name: value for name, value in _without_base(config).items() if name not in SEEDS}
    for first, other in seen.values():
        place = difference(other, without)
        if place is not None:
            raise InputError(
                f"{model} is no other seed of {first}: its config differs in '{place}'; a verdict is "
                "about one model, trained with one or more seeds"
            )
    seen[weights] = (model, without)


def check_base(adversary: str, config: Dict[str, Any], models: Sequence[str]) -> None:
    """That it is held against one of the models, at the very place."""
    callbacks = config.get("trainer", {}).get("callbacks") or []
    bases = [
        one["base"] for one in callbacks if isinstance(one, dict) and one.get("type") == ADVERSARIAL
    ]
    if not bases:
        raise InputError(
            f"--adversary {adversary}: was not trained with the callback '{ADVERSARIAL}'"
        )
    if not any(_run(bases[0]) == _run(model) for model in models):
        raise InputError(
            f"--adversary {adversary}: was trained against {bases[0]}, which is not the model of this "
            f"verdict ({', '.join(models)})"
        )


def _run(model: str) -> Path:
    """The folder of the training run, whether it was named itself or by its archive."""
    path = Path(model).expanduser()
    return (path.parent if path.name == ARCHIVE else path).resolve()


def _without_base(config: Dict[str, Any]) -> Dict[str, Any]:
    """Each seed of an adversary may have been trained against another seed of its base."""
    callbacks = [
        {name: value for name, value in one.items() if name != "base"}
        if isinstance(one, dict) and one.get("type") == ADVERSARIAL
        else one
        for one in config.get("trainer", {}).get("callbacks") or []
    ]
    return {**config, "trainer": {**config.get("trainer", {}), "callbacks": callbacks}}


def difference(one: Any, other: Any) -> Optional[str]:
    """The first place in which two configs are not the same; None if there is none."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in [*one, *(name for name in other if name not in one)]:
            inner = difference(one.get(name), other.get(name))
            if inner is not None:
                return f"{name}.{inner}".rstrip(".")
        return None
    return None if one == other else ""
