"""
Models in memory, made ready for the jobs of the commands: classifiers of transformers with their tokenizer, models
of AllenNLP with their dataset reader, and any other classifier in PyTorch through a small adapter.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import torch
from allennlp.common import Params
from allennlp.common.util import pad_sequence_to_length
from allennlp.data import DatasetReader, TextFieldTensors, Token, TokenIndexer, Vocabulary
from allennlp.data import Tokenizer as AllenNLPTokenizer
from allennlp.data.token_indexers.token_indexer import IndexedTokenList
from allennlp.models import Model
from allennlp.models.archival import Archive
from allennlp.nn.util import get_text_field_mask

from attention_explain.archives import READER, OpenedModel, label_vocabulary
from attention_explain.data.any_reader import warn_once
from attention_explain.data.attention_text import AttentionTextReader, TransformerTextReader
from attention_explain.data.example import TEXTS_OF_PAIRS
from attention_explain.data.tokenizers import WrittenWords
from attention_explain.errors import InputError
from attention_explain.files.records import read_json
from attention_explain.models.classifier import has_not
from attention_explain.models.explainable import explainable
from attention_explain.models.transformer_classifier import TransformerClassifier
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.passes import untouched
from attention_explain.pretrained.families import family_of
from attention_explain.pretrained.folders import SAID, TransformerFolder, labels_of
from attention_explain.pretrained.pieces import PieceIndexer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

IN_MEMORY = "texts in memory"


def check_weights(module: torch.nn.Module, name: str) -> None:
    """Raise if the weights are not on one device, or are not there."""
    devices = {str(each.device) for each in module.parameters()}
    if not devices:
        raise InputError(f"a {name} has no weights (parameters), so there is nothing to explain")
    if "meta" in devices:
        raise InputError(
            f"the weights of the {name} are on the device 'meta', which holds no numbers. Load the model "
            "without init_empty_weights, on a CPU or a GPU"
        )
    if len(devices) > 1:
        raise InputError(
            f"the weights of the {name} are on several devices ({', '.join(sorted(devices))}). Move the "
            "model to one of them with model.to(device)"
        )


def _opened(
    model: Model, reader: DatasetReader, config: Mapping[str, Any], given: torch.nn.Module
) -> OpenedModel:
    explained, name = explainable(model), type(given).__name__
    inside = set(given.modules())
    for module in explained.modules():
        # Only wrappers: the mode of the model itself is not changed.
        if module not in inside:
            module.training = False
    archive = Archive(explained, Params(dict(config)), reader, reader, None)
    return OpenedModel(archive, f"{name} in memory")


def open_model(model: Model, reader: DatasetReader) -> OpenedModel:
    """A model of AllenNLP with its dataset reader."""
    name = type(model).__name__
    check_weights(model, name)
    config = {
        "model": {"type": name},
        "dataset_reader": {"type": type(reader).__name__, "corpus": IN_MEMORY},
    }
    return _opened(model, reader, config, model)


# Classifiers of transformers -----------------------------------------------------------------------


@dataclass(frozen=True)
class TransformerInMemory(TransformerFolder):
    """A classifier of transformers and its tokenizer, seen as the folder that they could be saved to."""

    model: "PreTrainedModel"
    own_tokenizer: "PreTrainedTokenizerFast"

    def tokenizer(self, as_written: bool = False) -> "PreTrainedTokenizerFast":
        """The tokenizer as it is; this model always reads texts as they are written."""
        return self.own_tokenizer

    def classifier(self) -> "PreTrainedModel":
        """The model itself: weights are shared."""
        return self.model


def open_transformer_in_memory(model: "PreTrainedModel", tokenizer: Any) -> OpenedModel:
    """A classifier of transformers. Its weights are shared, unless they are in half precision."""
    name = type(model).__name__
    check_weights(model, name)
    family = family_of(getattr(model.config, "model_type", None))
    if family is None or not name.endswith("ForSequenceClassification"):
        raise InputError(
            f"a {name} is not a classifier of texts (a model of AutoModelForSequenceClassification)"
        )
    if tokenizer is None:
        raise InputError(f"a {name} needs its tokenizer: load(model, tokenizer=tokenizer)")
    if not getattr(tokenizer, "is_fast", False):
        raise InputError(
            f"the tokenizer, a {type(tokenizer).__name__}, does not tell which piece belongs to which "
            "word. Pass a fast one, from AutoTokenizer.from_pretrained(..., use_fast=True)"
        )
    if getattr(model.base_model, "attention_type", None) == "block_sparse":
        raise InputError(
            f"the attention of the {name} is sparse and depends on the padding. Call "
            "model.base_model.set_attention_type('original_full') first"
        )
    if next(model.parameters()).dtype in (torch.float16, torch.bfloat16):
        warn_once(f"{name}: is in half precision; a copy in single precision is explained")
        model = copy.deepcopy(model).float()
    stated = read_json(model.config.to_json_string(use_diff=False))
    labels = labels_of(stated, Path(f"the config of the {name}"))
    folder = TransformerInMemory(Path(name), model.config, family, labels, model, tokenizer)
    folder.check_pieces_have_embeddings(tokenizer)
    if folder.head in SAID:
        warn_once(f"{name}: {SAID[folder.head]}")
    # Constructors take what `TransformerFolder.opened` takes; configs can only name a folder.
    source: Any = folder
    with untouched(model, goes_back=False):
        reader = TransformerTextReader(
            tokenizer=WrittenWords(),
            token_indexers={"tokens": PieceIndexer(source, as_written=True)},
            disallowed_fields=list(TEXTS_OF_PAIRS),
            # Gold labels are read for a choice of one label only.
            read_labels=folder.head not in SAID,
        )
        classifier = TransformerClassifier(label_vocabulary(labels), source, own_head=True)
    config = {
        "model": {
            "type": "transformer_classifier",
            "model_name": model.config.name_or_path or name,
            "own_head": True,
        },
        "dataset_reader": {"type": READER, "corpus": IN_MEMORY},
    }
    return _opened(classifier, reader, config, model)


# Other classifiers ---------------------------------------------------------------------------------


@runtime_checkable
class TextClassifier(Protocol):
    """
    What `load` needs of a classifier in PyTorch: an object with these attributes and methods. It is checked
    with one text when it is loaded.

    Padding is at the end of a text and must not change the output. These are optional:

    - `attention(embeddings, mask)`: the weight of each token. Shape: (batch, tokens)
    - `states(embeddings, mask)`: the hidden state of each token. Shape: (batch, tokens, state_dim)
    - `symbols`: the ids of `pad`, `unk` and `mask`, as far as there are such symbols, for the methods and
      measures that replace words.
    - `max_tokens`: the number of tokens of the longest text that the model reads.

    # Parameters

    module : `torch.nn.Module`
        Everything that has weights.
    labels : `Sequence[str]`
        The names of the classes, in the order of the logits.
    """

    module: torch.nn.Module
    labels: Sequence[str]

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""

    def index(self, tokens: list[str]) -> list[int]:
        """The id of each token."""

    def embed(self, ids: torch.Tensor) -> torch.Tensor:
        """The embedding of each token alone. Shape: (batch, tokens) -> (batch, tokens, embedding_dim)"""

    def logits(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        The output for these embeddings; the mask is False at padding.
        Shape: (batch, tokens, embedding_dim), (batch, tokens) -> (batch, labels)
        """


REQUIRED = ("module", "labels", "tokenize", "index", "embed", "logits")
SAMPLE = "This is a text of a few words, with which the adapter is checked."
# The largest difference of two logits that are called equal.
TOLERANCE = 1e-3


def open_adapter(adapter: TextClassifier) -> OpenedModel:
    """A classifier in PyTorch."""
    name = type(adapter.module).__name__
    check_weights(adapter.module, name)
    labels = list(adapter.labels)
    if (
        len(labels) < 2
        or len(set(labels)) < len(labels)
        or not all(isinstance(each, str) for each in labels)
    ):
        raise InputError(
            f"the labels of the adapter of a {name} are {labels!r}, but must be two or more different "
            "strings"
        )
    longest = getattr(adapter, "max_tokens", None)
    limits = {} if longest is None else {"max_tokens": longest, "too_long": "cut"}
    reader = AttentionTextReader(
        tokenizer=_AdaptedTokenizer(adapter),
        token_indexers={"tokens": _AdaptedIndexer(adapter)},
        **limits,
    )
    model = AdaptedClassifier(adapter, labels)
    with untouched(adapter.module, goes_back=False), torch.no_grad():
        _check_adapter(adapter, labels, name)
    config = {
        "model": {"type": name},
        "dataset_reader": {"type": "adapter", "corpus": IN_MEMORY},
    }
    return _opened(model, reader, config, adapter.module)


def _check_adapter(adapter: TextClassifier, labels: Sequence[str], name: str) -> None:
    """Raise if the adapter does not do what the protocol says, for one text."""

    def check(right: bool, method: str, problem: str) -> None:
        if not right:
            raise InputError(f"the adapter of a {name}: its '{method}' {problem}")

    tokens = adapter.tokenize(SAMPLE)
    check(
        isinstance(tokens, list) and len(tokens) > 1 and all(isinstance(t, str) for t in tokens),
        "tokenize",
        f"must return a list of strings, and returns {tokens!r} for {SAMPLE!r}",
    )
    ids = adapter.index(tokens)
    check(
        isinstance(ids, list) and len(ids) == len(tokens) and all(isinstance(i, int) for i in ids),
        "index",
        f"must return a list of {len(tokens)} integers for {len(tokens)} tokens, and returns {ids!r}",
    )
    device = next(adapter.module.parameters()).device
    embeddings = adapter.embed(torch.tensor([ids], device=device))
    check(
        torch.is_tensor(embeddings)
        and embeddings.dim() == 3
        and tuple(embeddings.shape[:2]) == (1, len(ids)),
        "embed",
        f"must return a tensor of shape (1, {len(ids)}, embedding_dim) for {len(ids)} tokens, and "
        f"returns {_shape(embeddings)}",
    )
    half = len(ids) // 2
    mask = torch.ones(1, len(ids), dtype=torch.bool, device=device)
    logits = adapter.logits(embeddings, mask)
    check(
        torch.is_tensor(logits) and tuple(logits.shape) == (1, len(labels)),
        "logits",
        f"must return a tensor of shape (1, {len(labels)}) for one text and {len(labels)} labels, and "
        f"returns {_shape(logits)}",
    )
    alone = adapter.logits(embeddings[:, :half], mask[:, :half])
    padded = mask.clone()
    padded[:, half:] = False
    together = adapter.logits(embeddings.expand(2, -1, -1), torch.cat([mask, padded]))
    check(
        torch.allclose(together, torch.cat([logits, alone]), atol=TOLERANCE, rtol=TOLERANCE),
        "logits",
        "gives a text another output in a batch with a longer text. Padding, where the mask is False, "
        "must not change the output",
    )
    for method in ("attention", "states"):
        if hasattr(adapter, method):
            values = getattr(adapter, method)(embeddings, mask)
            check(
                torch.is_tensor(values) and tuple(values.shape[:2]) == (1, len(ids)),
                method,
                f"must return a value per token, shape (1, {len(ids)}, ...), and returns "
                f"{_shape(values)}",
            )


def _shape(value: Any) -> str:
    return f"shape {tuple(value.shape)}" if torch.is_tensor(value) else f"a {type(value).__name__}"


class _AdaptedTokenizer(AllenNLPTokenizer):
    def __init__(self, adapter: TextClassifier) -> None:
        self._adapter = adapter

    def tokenize(self, text: str) -> list[Token]:
        return [Token(token) for token in self._adapter.tokenize(text)]


class _AdaptedIndexer(TokenIndexer):
    def __init__(self, adapter: TextClassifier) -> None:
        super().__init__()
        self._adapter = adapter

    def count_vocab_items(self, token: Token, counter: dict[str, dict[str, int]]) -> None:
        """The ids are the adapter's own."""

    def tokens_to_indices(self, tokens: list[Token], vocabulary: Vocabulary) -> IndexedTokenList:
        ids = self._adapter.index([token.text for token in tokens])
        return {"token_ids": ids, "mask": [True] * len(ids)}

    def get_empty_token_list(self) -> IndexedTokenList:
        return {"token_ids": [], "mask": []}

    def as_padded_tensor_dict(
        self, tokens: IndexedTokenList, padding_lengths: dict[str, int]
    ) -> dict[str, torch.Tensor]:
        padding = getattr(self._adapter, "symbols", {}).get("pad", 0)
        values = {"token_ids": padding, "mask": False}
        return {
            name: torch.tensor(
                pad_sequence_to_length(
                    tokens[name], padding_lengths[name], lambda value=value: value
                )
            )
            for name, value in values.items()
        }


class AdaptedClassifier(Model):
    """
    A classifier in PyTorch as methods see it.

    # Parameters

    adapter : `TextClassifier`
    labels : `List[str]`
    """

    read_fields = ("tokens", "attendable")

    def __init__(self, adapter: TextClassifier, labels: list[str]) -> None:
        super().__init__(label_vocabulary(labels))
        self.module = adapter.module
        self.labels = labels
        self._adapter = adapter

    def embed(self, tokens: TextFieldTensors) -> torch.Tensor:
        """Shape: (batch, tokens, embedding_dim)"""
        return self._adapter.embed(tokens["tokens"]["token_ids"])

    def inputs(
        self, tokens: TextFieldTensors, attendable: torch.Tensor | None = None
    ) -> TextInputs:
        """The masks of the texts."""
        mask = get_text_field_mask(tokens)
        return TextInputs(mask, mask if attendable is None else attendable)

    def logits(
        self, embeddings: torch.Tensor, inputs: TextInputs, detach_attention: bool = False
    ) -> torch.Tensor:
        """A text without tokens is read as one embedding of 0. Shape: (batch, labels)"""
        if detach_attention:
            raise InputError(
                "detach_attention is for a model whose attention is over hidden states, not for a "
                f"{type(self.module).__name__}"
            )
        return self._adapter.logits(*_never_empty(embeddings, inputs.mask))

    def with_attention(
        self, embeddings: torch.Tensor, inputs: TextInputs
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Shape: (batch, labels), (batch, tokens)"""
        given = _never_empty(embeddings, inputs.mask)
        weights = self._adapter.attention(*given)  # type: ignore[attr-defined]
        return self._adapter.logits(*given), weights.masked_fill(~inputs.mask, 0.0)

    def encode(self, embeddings: torch.Tensor, inputs: TextInputs) -> torch.Tensor:
        """Shape: (batch, tokens, state_dim)"""
        return self._adapter.states(embeddings, inputs.mask)  # type: ignore[attr-defined]

    def forward(self, tokens: TextFieldTensors, **others: Any) -> dict[str, torch.Tensor]:
        """The logits and the probabilities."""
        logits = self.logits(self.embed(tokens), self.inputs(tokens))
        return {"logits": logits, "probs": logits.softmax(dim=-1)}

    def lacks(self, need: str) -> str | None:
        """Why the model cannot support a method with this requirement, or None if it can."""
        if need == "embeddings" or (
            need in ("attention", "states") and hasattr(self._adapter, need)
        ):
            return None
        return has_not(self.module, need)

    def stage_of(self, parameter: str) -> str:
        """Every parameter belongs to the encoder, since the stages are not known."""
        return "encoder"

    def symbol_embedding(self, symbol: str, purpose: str) -> torch.Tensor:
        """Of `pad`, `unk` or `mask`. Shape: (embedding_dim,)"""
        symbols = getattr(self._adapter, "symbols", {})
        if symbol not in symbols:
            raise InputError(f"{purpose}, but the 'symbols' of the adapter do not have '{symbol}'")
        device = next(self.parameters()).device
        with torch.no_grad():
            return self._adapter.embed(torch.tensor([[symbols[symbol]]], device=device))[0, 0]


def _never_empty(embeddings: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A text without tokens becomes one embedding of 0, since few models read nothing."""
    empty = ~mask.any(dim=1)
    first = torch.arange(mask.size(1), device=mask.device) == 0
    return embeddings.masked_fill(empty[:, None, None], 0.0), mask | (empty.unsqueeze(-1) & first)
