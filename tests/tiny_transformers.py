"""
Classifiers of a few numbers, one of each family, saved as transformers saves its own; nothing is
downloaded.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    BertTokenizerFast,
    DistilBertTokenizerFast,
    ElectraTokenizerFast,
    MPNetTokenizerFast,
    PreTrainedTokenizerFast,
    RobertaTokenizerFast,
)

from tests.tiny_bert import PIECES

WORDS = PIECES[5:]
LABELS = ("neg", "pos")
HIDDEN = 8
LONGEST = 24
SIZES = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "max_position_embeddings": LONGEST,
    # Larger than usual, so that words matter.
    "initializer_range": 0.5,
}
DISTILBERT = {
    "dim": HIDDEN,
    "n_layers": 2,
    "n_heads": 2,
    "hidden_dim": 12,
    "max_position_embeddings": LONGEST,
    "initializer_range": 0.5,
}


def word_pieces(kind: type) -> Callable[[Path], PreTrainedTokenizerFast]:
    def made(folder: Path) -> PreTrainedTokenizerFast:
        (folder / "vocab.txt").write_text("\n".join(PIECES) + "\n")
        return kind(str(folder / "vocab.txt"))

    return made


def mpnet_pieces(folder: Path) -> PreTrainedTokenizerFast:
    pieces = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    return MPNetTokenizerFast(str(folder / "vocab.txt"))


def byte_pairs(folder: Path) -> PreTrainedTokenizerFast:
    texts = ["a dull film", "the acting was superb", "fine acting"] * 4
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(texts, vocab_size=300, special_tokens=special, show_progress=False)
    trained.save_model(str(folder))
    return RobertaTokenizerFast(str(folder / "vocab.json"), str(folder / "merges.txt"))


TOKENIZERS: dict[str, Callable[[Path], PreTrainedTokenizerFast]] = {
    "bert": word_pieces(BertTokenizerFast),
    "distilbert": word_pieces(DistilBertTokenizerFast),
    "electra": word_pieces(ElectraTokenizerFast),
    "mpnet": mpnet_pieces,
    "roberta": byte_pairs,
}
OPTIONS: dict[str, dict[str, Any]] = {
    "bert": SIZES,
    "distilbert": DISTILBERT,
    # Whose embeddings are of another size than its states.
    "electra": {**SIZES, "embedding_size": 6},
    "mpnet": {**SIZES, "pad_token_id": 1},
    "roberta": {**SIZES, "pad_token_id": 1},
}
FAMILIES = tuple(OPTIONS)


def save_tiny_transformer(
    folder: Path, family: str = "bert", labels: Sequence[str] = LABELS, seed: int = 5, **sizes: int
) -> Path:
    """The folder of a classifier with random weights."""
    folder.mkdir(parents=True)
    tokenizer = TOKENIZERS[family](folder)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = AutoConfig.for_model(
        family,
        vocab_size=len(tokenizer),
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        **{**OPTIONS[family], **sizes},
    )
    model = AutoModelForSequenceClassification.from_config(config)
    with torch.no_grad():
        # Biases and layer norms are the same for all at first.
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter), alpha=0.3)
    model.save_pretrained(folder)
    return folder


def changed_config(folder: Path, **values: Any) -> None:
    """With other values, or without those that are None."""
    path = folder / "config.json"
    stated = {**json.loads(path.read_text()), **values}
    path.write_text(
        json.dumps({name: value for name, value in stated.items() if value is not None})
    )
