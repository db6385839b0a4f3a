"""A BERT of a few numbers, saved as transformers saves its own: what a name of the hub stands for."""

from pathlib import Path

import torch
from transformers import BertConfig, BertModel, BertTokenizerFast

WORDS = ["a", "b", "dull", "film", "the", "act", "##ing", "was", "super", "##b", "fine"]
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
HIDDEN = 8


def save_tiny_bert(folder: Path) -> str:
    """The folder, as a `model_name`."""
    folder.mkdir(parents=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(PIECES) + "\n")
    BertTokenizerFast(str(vocabulary)).save_pretrained(folder)
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(PIECES),
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=12,
        max_position_embeddings=32,
    )
    BertModel(config).save_pretrained(folder)
    return str(folder)
