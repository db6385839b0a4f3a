"""How a model was trained, in a few words that tell protocols apart: two papers' models of one name are two."""

from typing import Any, Dict, List

from analysis.model_config import ModelConfig


def protocol_of(config: Dict[str, Any]) -> str:
    """
    From a training config: `8 epochs, batches of 32, rate 0.001, summed loss`. What a config does not
    say is left out.
    """
    trainer, loader = config.get("trainer", {}), config.get("data_loader", {})
    optimizer = trainer.get("optimizer", {})
    optimizer = optimizer if isinstance(optimizer, dict) else {}
    sampler = loader.get("batch_sampler")
    batch = (sampler if isinstance(sampler, dict) else loader).get("batch_size")
    said: List[str] = []
    if "num_epochs" in trainer:
        patience = trainer.get("patience")
        said.append(
            f"{trainer['num_epochs']} epochs" + (f" (patience {patience})" if patience else "")
        )
    said += [f"batches of {batch}"] if batch else []
    said += [f"rate {optimizer['lr']:g}"] if "lr" in optimizer else []
    said += _attention_rate(optimizer)
    reduction = config.get("model", {}).get("loss_reduction")
    said += (
        [{"sum": "summed loss", "mean": "mean loss"}.get(reduction, str(reduction))]
        if reduction
        else []
    )
    said += _regularised(config, optimizer)
    said += ["last epoch"] if ModelConfig(config).keeps_last_epoch else []
    return ", ".join(said)


def _attention_rate(optimizer: Dict[str, Any]) -> List[str]:
    for names, options in optimizer.get("parameter_groups") or []:
        rate = options.get("lr", optimizer.get("lr"))
        if any("attention" in name for name in names) and rate != optimizer.get("lr"):
            return [f"attention's {rate:g}"]
    return []


def _regularised(config: Dict[str, Any], optimizer: Dict[str, Any]) -> List[str]:
    """Dropout anywhere in the model, and a weight decay that is not the papers'."""
    said = []
    dropouts = sorted(set(_dropouts(config.get("model", {}))))
    said += [f"dropout {' and '.join(f'{value:g}' for value in dropouts)}"] if dropouts else []
    decay = optimizer.get("weight_decay", PUBLISHED_DECAY)
    return said + ([f"weight decay {decay:g}"] if decay != PUBLISHED_DECAY else [])


# In all of the papers on single texts.
PUBLISHED_DECAY = 1e-5


def _dropouts(value: Any) -> List[float]:
    if isinstance(value, list):
        return [one for part in value for one in _dropouts(part)]
    if not isinstance(value, dict):
        return []
    own = [
        float(part) for name, part in value.items() if name.endswith("dropout") and _number(part)
    ]
    return [one for one in own if one > 0] + _dropouts(list(value.values()))


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
