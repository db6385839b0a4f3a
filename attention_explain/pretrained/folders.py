"""
Folders in Hugging Face's layout: their labels, tokenizers and weights. Whatever is wrong with one is
said in a sentence that names it. No folder runs code of its own, and pickled weights are read as
numbers or not at all.
"""

import os
import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import torch

from attention_explain.archive_reach import must_be_cached, not_cached
from attention_explain.errors import InputError
from attention_explain.files.records import read_json
from attention_explain.model_outputs import HEADS, IDENTITY, SIGMOID, SOFTMAX
from attention_explain.pretrained.families import (
    Family,
    allow_initialization,
    check_positions,
    family_of,
    quiet,
    single_precision,
)
from attention_explain.sentences import NO_NUMBERS

if TYPE_CHECKING:
    from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

CONFIG = "config.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
# One of these has the pieces.
TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
WEIGHTS = ("model.safetensors", "pytorch_model.bin")
# What of a model of the hub is fetched: neither weights of other libraries nor programs.
FETCHED = [
    *("*.json", "*.txt", "*.model", *WEIGHTS, "model-*.safetensors", "pytorch_model-*.bin"),
    "adapter_model.safetensors",
]
HUB = "hf://"
# What the outputs of a head are, by `problem_type` in a config.
PROBLEM_TYPES = {
    "single_label_classification": SOFTMAX,
    "multi_label_classification": SIGMOID,
    "regression": IDENTITY,
}
# What is said when a head is opened that chooses no label.
SAID = {
    SIGMOID: "a multi-label head: each label has a probability of its own (sigmoid). Scores and measures "
    "are of one label, by default the most probable; gold labels are not read",
    IDENTITY: "a regression head: scores and measures are in units of the output itself, which is no "
    "probability; gold values are not read",
}

# A folder's own files, and no code that they name.
SAFELY = {"local_files_only": True, "trust_remote_code": False}


def files_that_count(folder: Path) -> list[Path]:
    """Config, weights and tokenizer."""
    return sorted({file for pattern in FETCHED for file in folder.glob(pattern) if file.is_file()})


def transformer_folder(name: str | os.PathLike) -> Path:
    """A folder as it is, or with its adapter merged; else what the hub has under that name, fetched once."""
    # Imported here, because adapters are made from folders.
    from attention_explain.pretrained import adapters

    name = os.fspath(name)
    cached = must_be_cached(name)
    folder = Path(name).expanduser()
    if folder.is_dir():
        folder = adapters.whole(folder)
        if not (folder / CONFIG).is_file():
            raise InputError(f"{name}: is no folder of a transformer (it has no {CONFIG})")
        return folder
    from huggingface_hub import snapshot_download

    try:
        fetched = Path(
            snapshot_download(
                name.removeprefix(HUB), allow_patterns=FETCHED, local_files_only=cached
            )
        )
    except Exception as error:
        if cached:
            raise not_cached(name.removeprefix(HUB)) from error
        raise InputError(
            f"{name}: there is no such folder, and nothing of that name could be had from Hugging "
            f"Face's hub ({shortly(error)})"
        ) from error
    return adapters.whole(fetched, fetched=True)


@dataclass(frozen=True)
class TransformerFolder:
    """
    A folder whose config has been looked at.

    path : of the folder.
    config : of the model, as transformers reads it.
    family : where a model of this type has its parts.
    labels : those that the config names, in their order.
    """

    path: Path
    config: "PretrainedConfig"
    family: type[Family]
    labels: Sequence[str]

    @classmethod
    def opened(cls, name: "str | os.PathLike | TransformerFolder") -> "TransformerFolder":
        """Of a folder, or a name of the hub; an opened one is returned as it is."""
        if isinstance(name, TransformerFolder):
            return name
        from transformers import AutoConfig

        path = transformer_folder(name)
        try:
            stated = read_json((path / CONFIG).read_bytes())
        except ValueError as error:
            raise InputError(f"{path / CONFIG}: is not JSON ({error})") from error
        kind = stated.get("model_type") if isinstance(stated, dict) else None
        family = family_of(kind)
        if family is None:
            raise InputError(
                f"{path}: its {CONFIG} is of the model type {kind!r}, which has no classifier in the "
                "installed transformers (AutoModelForSequenceClassification)"
            )
        labels = labels_of(stated, path / CONFIG)
        check_named_files(path)
        check_no_code(path, stated)
        try:
            config = AutoConfig.from_pretrained(path, **SAFELY)
        except Exception as error:
            raise InputError(
                f"{path / CONFIG}: is no config of a {kind} ({shortly(error)})"
            ) from error
        # A config that was saved with a model says that its way to attend was chosen, but not which; it
        # would be the slow one.
        config._attn_implementation_autoset = False
        return cls(path, config, family, labels)

    def tokenizer(self) -> "PreTrainedTokenizerFast":
        """As transformers has it."""
        from transformers import AutoTokenizer

        save = "save it there with the tokenizer's save_pretrained"
        # transformers 5 makes an empty tokenizer of nothing but a model's config.
        if not any(file.is_file() for name in TOKENIZERS for file in self.path.glob(name)):
            raise InputError(f"{self.path}: has no tokenizer; {save}")
        try:
            with quiet():
                tokenizer = AutoTokenizer.from_pretrained(self.path, **SAFELY)
        except Exception as error:
            raise InputError(
                f"{self.path}: its tokenizer cannot be read ({shortly(error)}); {save}"
            ) from error
        if not tokenizer.is_fast:
            raise InputError(
                f"{self.path}: its tokenizer, a {type(tokenizer).__name__}, does not tell which "
                "piece is of which word; save a fast one there (tokenizer.json)"
            )
        self.check_pieces_have_embeddings(tokenizer)
        return tokenizer

    def check_pieces_have_embeddings(self, tokenizer: "PreTrainedTokenizerFast") -> None:
        """Raise if the tokenizer has more pieces than the model has embeddings."""
        pieces = tokenizer.get_vocab()
        last = max(pieces, key=pieces.get)
        if pieces[last] >= self.config.vocab_size:
            raise InputError(
                f"{self.path}: its tokenizer has {pieces[last] + 1} pieces (the last is {last!r}), but "
                f"the model has embeddings for {self.config.vocab_size}; save the tokenizer that the "
                "model was trained with, or train the model with more embeddings "
                "(model.resize_token_embeddings(len(tokenizer)))"
            )

    def most_positions(self, tokenizer: "PreTrainedTokenizerFast") -> int:
        """Of the longest text that the model reads, special symbols included."""
        # A tokenizer that knows no limit has a huge one.
        return min(self.family.most_positions(self.config), tokenizer.model_max_length)

    def classifier(self) -> "PreTrainedModel":
        """With its own head, as it was trained."""
        model, info = self._loaded(len(self.labels))
        if info["missing_keys"]:
            raise InputError(
                f"{self.path}: has no head that classifies ({', '.join(sorted(info['missing_keys']))} "
                "are not among its weights); it has to be trained first, by 'allennlp train' with "
                "the model 'transformer_classifier'"
            )
        for _, there, wanted in info["mismatched_keys"]:
            raise InputError(
                f"{self.path}: its weights have a head of {there[0]} classes, but its {CONFIG} "
                f"has {wanted[0]} labels ({', '.join(self.labels)})"
            )
        return model

    @property
    def head(self) -> str:
        """What the pipeline of transformers makes of the outputs: one of `HEADS`."""
        stated = getattr(self.config, "function_to_apply", None)
        if stated is not None:
            if stated not in HEADS:
                raise InputError(
                    f"{self.path / CONFIG}: function_to_apply is {stated!r}, but must be one of "
                    f"{', '.join(HEADS)}"
                )
            return stated
        kind = getattr(self.config, "problem_type", None)
        return PROBLEM_TYPES.get(str(kind), IDENTITY if len(self.labels) == 1 else SOFTMAX)

    def classifier_to_train(self, labels: Sequence[str]) -> "PreTrainedModel":
        """
        With a head for these labels: its own one, if it is for them, whatever their order; else a new
        one.
        """
        model, info = self._loaded(len(labels))
        own = not info["missing_keys"] and not info["mismatched_keys"]
        if own and set(labels) == set(self.labels):
            rows = [self.labels.index(label) for label in labels]
            last = self.family(model).labels_layer
            with torch.no_grad():
                last.weight.copy_(last.weight[rows].clone())
                if last.bias is not None:
                    last.bias.copy_(last.bias[rows].clone())
        elif own:
            # It would begin with what it knows of other labels.
            for module in self.family(model).head_modules():
                model._init_weights(module)
        model.config.id2label = dict(enumerate(labels))
        model.config.label2id = {label: number for number, label in enumerate(labels)}
        # Whatever head it had.
        model.config.problem_type = "single_label_classification"
        return model

    def untrained(self, labels: int) -> "PreTrainedModel":
        """Without weights: they come from elsewhere."""
        from transformers import AutoModelForSequenceClassification

        self.config.num_labels = labels
        model = AutoModelForSequenceClassification.from_config(self.config)
        check_positions(model)
        return model

    def save_with_words(self, words: Sequence[str], target: Path) -> None:
        """
        Save a copy whose tokenizer reads each of these words as one piece. Their embeddings are drawn from a
        normal distribution with the mean and the deviation of the others. The folder itself stays as it is.
        """
        from transformers import AddedToken, AutoTokenizer

        # Raises if the folder's tokenizer cannot be used.
        known = self.tokenizer().get_vocab()
        found = [word for word in words if known.keys() & {word, f"\u0120{word}", f"\u2581{word}"}]
        if found:
            raise InputError(
                f"{self.path}: its tokenizer knows the word {found[0]!r} already; take a folder without it"
            )
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(self.path, **SAFELY)
        tokenizer.add_tokens(
            [AddedToken(word, single_word=True, normalized=False) for word in words]
        )
        # A new head, if there is none, is the same in every copy.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            model, _ = self._loaded(len(self.labels))
            embeddings = model.get_input_embeddings().weight.detach()
            mean, deviation = embeddings.mean(dim=0), embeddings.std(dim=0)
            # Some models have more embeddings than their tokenizer has pieces.
            size = max(len(embeddings), len(tokenizer))
            with quiet():
                model.resize_token_embeddings(size, mean_resizing=False)
            rows = torch.tensor(tokenizer.convert_tokens_to_ids(list(words)))
            with torch.no_grad():
                drawn = torch.randn(len(rows), len(mean))
                model.get_input_embeddings().weight[rows] = mean + deviation * drawn
        unfinished = target.with_name(f".{target.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        with quiet():
            tokenizer.save_pretrained(unfinished)
            model.save_pretrained(unfinished)
        unfinished.rename(target)

    def _loaded(self, labels: int) -> tuple["PreTrainedModel", dict[str, Any]]:
        from transformers import AutoModelForSequenceClassification

        self._check_there_are_weights()
        self.config.num_labels = labels
        try:
            with quiet():
                model, info = AutoModelForSequenceClassification.from_pretrained(
                    self.path,
                    config=self.config,
                    weights_only=True,
                    output_loading_info=True,
                    # What does not fit is said by us.
                    ignore_mismatched_sizes=True,
                    **single_precision(),
                    **SAFELY,
                )
        except Exception as error:
            for shard in self._shards():
                _check_whole(shard)
            rejected = "Weights only" in "".join(map(str, _causes(error)))
            reason = NO_NUMBERS if rejected else f"is broken ({shortly(error)})"
            raise InputError(f"{self._weights_file()}: {reason}") from error
        check_positions(model)
        allow_initialization(model)
        unlike = [*info["missing_keys"], *(name for name, _, _ in info["mismatched_keys"])]
        wrong = [
            *sorted(name for name in unlike if not _is_of_the_head(name, model)),
            *sorted(name for name in info["unexpected_keys"] if re.search(r"\.\d+\.", name)),
        ]
        if wrong:
            raise InputError(
                f"{self.path}: its weights are of another model than its {CONFIG} says: "
                f"{wrong[0]} is missing, too much, or of another size"
            )
        # Also of weights that were saved in half precision.
        return model.float(), info

    def _check_there_are_weights(self) -> None:
        if self._weights_file() is None:
            raise InputError(
                f"{self.path}: has no weights ({' or '.join(WEIGHTS)}); weights of other libraries "
                "than torch are not read"
            )

    def _shards(self) -> list[Path]:
        """The weights in the format safetensors."""
        name = WEIGHTS[0]
        named = [*shards_of(self.path / f"{name}.index.json"), name]
        return [self.path / each for each in named if (self.path / each).is_file()]

    def _weights_file(self) -> Path | None:
        """Also where they are in several files, which an index names."""
        for name in WEIGHTS:
            for path in (self.path / name, self.path / f"{name}.index.json"):
                if path.is_file():
                    return path
        return None


def check_no_code(folder: Path, stated: dict[str, Any]) -> None:
    """Raises if the config or the tokenizer's config names code in the folder, which never runs here."""
    for file, found in (
        (CONFIG, stated),
        (TOKENIZER_CONFIG, _object_in(folder / TOKENIZER_CONFIG)),
    ):
        if found.get("auto_map"):
            raise InputError(
                f"{folder / file}: the model has code of its own (auto_map), which is never run. If "
                "transformers has this model by itself, remove the field 'auto_map'; otherwise it cannot "
                "be explained"
            )


def _check_whole(shard: Path) -> None:
    """Raises for a file of safetensors that was cut off."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(shard, "pt"):
            pass
    except SafetensorError as error:
        raise InputError(
            f"{shard}: is broken ({shortly(error)}); it may be cut off: download or copy it again"
        ) from error


def shards_of(index: Path) -> list[str]:
    """The files that an index of weights names; none if there is no index."""
    named = _object_in(index).get("weight_map")
    return sorted(set(map(str, named.values()))) if isinstance(named, dict) else []


def check_named_files(folder: Path) -> None:
    """
    Raises if an index of weights names a file that is missing or outside the folder, or the tokenizer's
    config one outside.
    """
    for name in WEIGHTS:
        for shard in shards_of(folder / f"{name}.index.json"):
            if _is_inside(shard) and not (folder / shard).is_file():
                raise InputError(
                    f"{folder / name}.index.json: names {shard!r}, which is missing; download or copy it"
                )
            if not _is_inside(shard):
                raise InputError(
                    f"{folder / name}.index.json: names {shard!r}, which is outside the folder; an "
                    "index must name files next to it"
                )
    file = folder / TOKENIZER_CONFIG
    for name, value in _object_in(file).items():
        # Old configs name files of the machine on which they were written; these are not read.
        outside = isinstance(value, str) and not (folder / value).resolve().is_relative_to(
            folder.resolve()
        )
        if name.endswith("_file") and outside and Path(value).exists():
            raise InputError(
                f"{file}: '{name}' is {value!r}, which is outside the folder; remove the field"
            )


def _object_in(file: Path) -> dict[str, Any]:
    """The JSON object in a file; empty if there is none, which is not for us to report."""
    try:
        stated = read_json(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return stated if isinstance(stated, dict) else {}


def _is_inside(name: str) -> bool:
    path = PurePath(name)
    return not path.is_absolute() and ".." not in path.parts


def labels_of(stated: dict[str, Any], file: Path) -> list[str]:
    """The labels that a config names; without names they are what transformers calls them."""
    named = stated.get("id2label")
    if named is None:
        count = stated.get("num_labels", 2)
        return [f"LABEL_{number}" for number in range(count)]
    numbers = [str(number) for number in range(len(named))] if isinstance(named, dict) else []
    if not numbers or set(named) != set(numbers):
        raise InputError(
            f"{file}: its id2label must name the classes 0, 1, ... in turn, but is {named!r}"
        )
    labels = [str(named[number]) for number in numbers]
    if len(set(labels)) < len(labels):
        raise InputError(f"{file}: its id2label gives two classes one name: {labels}")
    by_name = stated.get("label2id")
    for number, label in enumerate(labels):
        other = by_name.get(label, number) if isinstance(by_name, dict) else number
        if other != number:
            raise InputError(
                f"{file}: by its id2label {label!r} is class {number}, by its label2id class {other}"
            )
    return labels


def _is_of_the_head(name: str, model: "PreTrainedModel") -> bool:
    """BERT's pooler is, too: people who train another head often do not keep it."""
    return not name.startswith(f"{model.base_model_prefix}.") or ".pooler." in name


def shortly(error: BaseException) -> str:
    return textwrap.shorten(str(error), 200, placeholder=" ...")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
