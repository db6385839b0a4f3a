"""
Classifiers of a few numbers, one of each family, saved as transformers saves its own; nothing is
downloaded.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import (
    AddedToken,
    ByteLevelBPETokenizer,
    Tokenizer,
    decoders,
    models,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import (
    CONFIG_MAPPING,
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


INPUTS = ["input_ids", "attention_mask"]
SPECIAL = {
    "bos_token": "<s>",
    "pad_token": "<pad>",
    "eos_token": "</s>",
    "unk_token": "<unk>",
    "cls_token": "<s>",
    "sep_token": "</s>",
    "mask_token": "<mask>",
}


def sentence_pieces(folder: Path) -> PreTrainedTokenizerFast:
    """As of XLM-R: a space belongs to the word behind it."""
    symbols = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    words = {f"{mark}{word.removeprefix('##')}" for word in WORDS for mark in ("", "\u2581")}
    letters = set("".join(WORDS)) - {"#"} | {"\u2581", ","}
    pieces = [*symbols, *sorted(words | letters)]
    scores = [(piece, -1.0 - 0.01 * number) for number, piece in enumerate(pieces)]
    made = Tokenizer(models.Unigram(scores, unk_id=3))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    return PreTrainedTokenizerFast(tokenizer_object=made, model_input_names=INPUTS, **SPECIAL)


def bytes_alone(folder: Path) -> PreTrainedTokenizerFast:
    """As of GPT-2: bytes, and nothing around a text, nor anything to pad it with."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    texts = ["a dull film", "the acting was superb", "fine acting"] * 4
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=[AddedToken("<|endoftext|>")],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    end = {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>", "unk_token": "<|endoftext|>"}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_input_names=INPUTS, **end)


TOKENIZERS: dict[str, Callable[[Path], PreTrainedTokenizerFast]] = {
    "bert": word_pieces(BertTokenizerFast),
    "distilbert": word_pieces(DistilBertTokenizerFast),
    "electra": word_pieces(ElectraTokenizerFast),
    "mpnet": mpnet_pieces,
    "roberta": byte_pairs,
    "xlm-roberta": sentence_pieces,
    "camembert": sentence_pieces,
    "albert": sentence_pieces,
    "deberta": byte_pairs,
    "deberta-v2": sentence_pieces,
    "xlnet": bytes_alone,
    "gpt2": bytes_alone,
    "llama": sentence_pieces,
    "mistral": sentence_pieces,
    "qwen2": bytes_alone,
    "qwen3": bytes_alone,
}
OPTIONS: dict[str, dict[str, Any]] = {
    "bert": SIZES,
    "distilbert": DISTILBERT,
    # Whose embeddings are of another size than its states.
    "electra": {**SIZES, "embedding_size": 6},
    "mpnet": {**SIZES, "pad_token_id": 1},
    "roberta": {**SIZES, "pad_token_id": 1},
    "xlm-roberta": {**SIZES, "pad_token_id": 1},
    "camembert": {**SIZES, "pad_token_id": 1},
}
FAMILIES = tuple(OPTIONS)
# Of which nothing but embeddings and outputs is known; those of encoders.
RELATIVE = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "pad_token_id": 0}
GENERIC_OPTIONS: dict[str, dict[str, Any]] = {
    "albert": {**SIZES, "embedding_size": 6, "pad_token_id": 1},
    "big_bird": {**SIZES, "block_size": 2, "num_random_blocks": 1},
    "convbert": {**SIZES, "embedding_size": 6, "num_attention_heads": 4, "conv_kernel_size": 3},
    "deberta": {**SIZES, **RELATIVE, "max_relative_positions": 8},
    "deberta-v2": {
        **SIZES,
        **RELATIVE,
        # Of the tokenizer: the embedding of padding is 0, and so would be that of another symbol.
        "pad_token_id": 1,
        "position_buckets": 4,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
        "position_biased_input": False,
    },
    "funnel": {
        "block_sizes": [1, 1],
        "d_model": HIDDEN,
        "n_head": 2,
        "d_head": 4,
        "d_inner": 12,
        "initializer_std": 0.5,
    },
    "modernbert": {
        **SIZES,
        "initializer_cutoff_factor": 2.0,
        "global_attn_every_n_layers": 2,
        "local_attention": 4,
        "pad_token_id": 0,
    },
    "rembert": {**SIZES, "input_embedding_size": 6},
    "xlnet": {
        "d_model": HIDDEN,
        "n_layer": 2,
        "n_head": 2,
        "d_inner": 12,
        "initializer_range": 0.5,
    },
}
DECODER = {**SIZES, "num_key_value_heads": 1, "pad_token_id": None}
DECODER_OPTIONS: dict[str, dict[str, Any]] = {
    "gpt2": {
        "n_embd": HIDDEN,
        "n_layer": 2,
        "n_head": 2,
        "n_positions": LONGEST,
        "bos_token_id": 0,
        "eos_token_id": 0,
        "initializer_range": 0.5,
    },
    "llama": DECODER,
    "mistral": {**DECODER, "sliding_window": 4},
    "qwen2": DECODER,
    "qwen3": {**DECODER, "head_dim": 4},
}
GENERIC = tuple(GENERIC_OPTIONS)
# Of which the layers are known as well.
KNOWN_LAYERS = ("modernbert", "deberta-v2")
DECODERS = tuple(name for name in DECODER_OPTIONS if name in CONFIG_MAPPING)
ALL_OPTIONS = {**OPTIONS, **GENERIC_OPTIONS, **DECODER_OPTIONS}


def save_tiny_transformer(
    folder: Path, family: str = "bert", labels: Sequence[str] = LABELS, seed: int = 5, **sizes: Any
) -> Path:
    """The folder of a classifier with random weights."""
    folder.mkdir(parents=True)
    tokenizer = TOKENIZERS.get(family, word_pieces(BertTokenizerFast))(folder)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = AutoConfig.for_model(
        family,
        vocab_size=len(tokenizer),
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        **{**ALL_OPTIONS[family], **sizes},
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
