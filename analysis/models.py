"""
Files that belong together: the seeds of one model, whose configs differ in nothing but their seeds
and whose methods have the same parameters. Adversaries may name a base each: another seed of it. And how
a model was trained, in a few words that tell protocols apart: two papers' models of one name are two.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from analysis.errors import AnalysisError
from analysis.model_config import SEEDS, ModelConfig, without_base
from analysis.text_files import TextFile

# A name is made unique by this number of settings at most.
SETTINGS_IN_A_NAME = 2
# In all of the papers on single texts.
PUBLISHED_DECAY = 1e-5


File = TypeVar("File", bound=TextFile)


@dataclass(frozen=True, eq=False)
class Model(Generic[File]):
    """
    name : unlike that of any other model it was loaded with.
    files : one for each seed it was trained with.
    """

    name: str
    files: tuple[File, ...]

    @property
    def config(self) -> ModelConfig:
        """Of its first seed."""
        return self.files[0].model


def models_of(files: Sequence[File]) -> list[Model[File]]:
    """The models, in the order in which the first file of each comes."""
    check_distinct(files)
    grouped: dict[str, list[File]] = {}
    for file in files:
        grouped.setdefault(without_seeds(file), []).append(file)
    groups = [group for alike in grouped.values() for group in _seeds_apart(alike)]
    names = _unique_names([group[0] for group in groups])
    return [Model(name, tuple(group)) for name, group in zip(names, groups, strict=True)]


def _seeds_apart(files: Sequence[File]) -> list[list[File]]:
    """
    Of adversaries that differ in nothing but seed and base: all together, each with a seed of its
    own; but if a seed comes twice, with two bases, those of each base apart.
    """
    by_base: dict[str, list[File]] = {}
    for file in files:
        by_base.setdefault(_base(file), []).append(file)
    seeds = [{file.model.seed for file in several} for several in by_base.values()]
    if sum(map(len, seeds)) > len(set().union(*seeds)):
        return list(by_base.values())
    return [list(files)]


def _base(file: TextFile) -> str:
    adversary = file.model.adversary
    return "" if adversary is None else adversary.base


def check_distinct(files: Sequence[TextFile]) -> None:
    """The scores of one trained model twice would pass for two seeds."""
    seen: dict[Any, TextFile] = {}
    for file in files:
        trained = file.learned
        keys: list[Any] = [file.path.resolve()]
        if trained is not None:
            keys.append((trained, file.metadata.get("data_sha256"), without_seeds(file)))
        for key in keys:
            if key in seen:
                if key == keys[0]:
                    raise AnalysisError(f"{file.path}: given twice")
                raise AnalysisError(
                    f"{file.path}: holds the same model's scores as {seen[key].path}"
                )
            seen[key] = file


def without_seeds(file: TextFile) -> str:
    """The same for files that are seeds of one model, of whichever seed of a base."""
    return _text(_settings(file))


def _settings(file: TextFile) -> dict[str, Any]:
    """All that two seeds of a model have in common."""
    config = {key: value for key, value in file.metadata["config"].items() if key not in SEEDS}
    first = file.metadata.get("seed_of")
    if first is not None:
        own = _text(config["model"]["model_name"])
        config = json.loads(_text(config).replace(own, _text(first)))
    return {"config": without_base(config), "methods": file.declared}


def _unique_names(files: Sequence[TextFile]) -> list[str]:
    names = [file.model.name for file in files]
    unique = list(names)
    for name in {name for name in names if names.count(name) > 1}:
        alike = [position for position, other in enumerate(names) if other == name]
        differing = _differing(
            [
                _flat({**_settings(files[position]), "base": _base(files[position])})
                for position in alike
            ]
        )
        for position, settings in zip(alike, differing, strict=True):
            unique[position] = f"{name} ({settings})" if settings else files[position].path.stem
    if len(set(unique)) < len(unique):
        return [str(file.path) for file in files]
    return unique


def _differing(settings: Sequence[dict[str, Any]]) -> list[str]:
    """What tells each from the others, if little enough to be said in a name; else nothing."""
    paths = sorted({path for one in settings for path in one})
    apart = [path for path in paths if len({_text(one.get(path)) for one in settings}) > 1]
    if len(apart) > SETTINGS_IN_A_NAME:
        return ["" for _ in settings]
    return [
        ", ".join(f"{path.split('.')[-1]} {_shown(one.get(path))}" for path in apart)
        for one in settings
    ]


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    """Every setting by its path: `trainer.optimizer.lr`."""
    if isinstance(value, list) and any(isinstance(part, dict) for part in value):
        value = {str(position): part for position, part in enumerate(value)}
    if not isinstance(value, dict) or not value:
        return {path: value}
    flat: dict[str, Any] = {}
    for key, part in value.items():
        flat.update(_flat(part, f"{path}.{key}" if path else str(key)))
    return flat


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else "none" if value is None else _text(value)


def check_same_texts(files: Sequence[TextFile]) -> None:
    """The first file is what the others have to match."""
    first = files[0]
    _check_ids_differ(first)
    for file in files[1:]:
        both = f"{first.path} and {file.path}"
        if first.model.corpus != file.model.corpus:
            corpora = f"{first.model.corpus} and {file.model.corpus}"
            raise AnalysisError(f"{both} are about different corpora, {corpora}")
        if len(first.texts) != len(file.texts):
            numbers = f"{len(first.texts)} and {len(file.texts)}"
            raise AnalysisError(f"{both} are about different data, {numbers} texts")
        unlike = first.texts["id"].to_numpy() != file.texts["id"].to_numpy()
        if unlike.any():
            position = int(unlike.argmax())
            ids = " and ".join(f"'{one.texts['id'].iloc[position]}'" for one in (first, file))
            raise AnalysisError(f"{both} do not have the same ids: text {position + 1} is {ids}")
        if first.metadata.get("data_sha256") != file.metadata.get("data_sha256"):
            raise AnalysisError(f"{both} are about different data, though the ids are the same")


def _check_ids_differ(file: TextFile) -> None:
    repeated = file.texts["id"].duplicated()
    if repeated.any():
        name = file.texts["id"][repeated].iloc[0]
        raise AnalysisError(f"{file.path}: the id '{name}' is there more than once")


def protocol_of(config: dict[str, Any]) -> str:
    """The training in words: `8 epochs, batches of 32, rate 0.001, summed loss`, as known."""
    trainer, loader = config.get("trainer", {}), config.get("data_loader", {})
    optimizer = trainer.get("optimizer", {})
    optimizer = optimizer if isinstance(optimizer, dict) else {}
    sampler = loader.get("batch_sampler")
    batch = (sampler if isinstance(sampler, dict) else loader).get("batch_size")
    said: list[str] = []
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


def _attention_rate(optimizer: dict[str, Any]) -> list[str]:
    for names, options in optimizer.get("parameter_groups") or []:
        rate = options.get("lr", optimizer.get("lr"))
        if any("attention" in name for name in names) and rate != optimizer.get("lr"):
            return [f"attention's {rate:g}"]
    return []


def _regularised(config: dict[str, Any], optimizer: dict[str, Any]) -> list[str]:
    """Dropout anywhere in the model, and a weight decay that is not the papers'."""
    said = []
    dropouts = sorted(set(_dropouts(config.get("model", {}))))
    said += [f"dropout {' and '.join(f'{value:g}' for value in dropouts)}"] if dropouts else []
    decay = optimizer.get("weight_decay", PUBLISHED_DECAY)
    return said + ([f"weight decay {decay:g}"] if decay != PUBLISHED_DECAY else [])


def _dropouts(value: Any) -> list[float]:
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
