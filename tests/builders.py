"""Small models and texts for tests, built from configs as a user's are."""

from copy import deepcopy
from typing import Any, Dict, List, Optional, Sequence

import torch
from allennlp.common import Params
from allennlp.common.util import prepare_environment
from allennlp.data import Batch, Instance, Vocabulary
from allennlp.data.tokenizers import WhitespaceTokenizer
from allennlp.models import Model

import attention_explain.plugin  # noqa: F401  (registers everything)
from attention_explain.data.attention_text import AttentionTextReader
from attention_explain.models import AttentionClassifier

DIM = 6

ENCODERS: Dict[str, Dict[str, Any]] = {
    "bilstm": {"type": "lstm", "input_size": DIM, "hidden_size": 4, "bidirectional": True},
    "affine": {"type": "affine", "input_dim": DIM, "hidden_dim": 8},
    "cnn": {"type": "cnn", "input_dim": DIM, "channels": 2, "kernel_sizes": [1, 3, 5, 7]},
    "transformer": {"type": "transformer", "input_dim": DIM, "hidden_dim": 8, "num_heads": 2},
}
SCORERS_OF_PAIRS = ["additive", "scaled_dot"]
SCORERS = [*SCORERS_OF_PAIRS, "linear"]
PROJECTIONS: Dict[str, Any] = {
    "softmax": "softmax",
    "sparsemax": "sparsemax",
    "entmax15": "entmax15",
    "entmax_1.3": {"type": "entmax", "alpha": 1.3},
    "entmax_learned": {"type": "entmax", "alpha": 1.7, "learned": True},
    "sparsegen": {"type": "sparsegen", "lambda_": 0.4},
    "uniform": "uniform",
}

TEXTS = [
    "a dull film",
    "the acting was superb and the plot never drags for a moment",
    "fine",
    "not a good film at all but the music saves it",
]
LABELS = ["0", "1", "1", "0"]


def params(config: Any) -> Params:
    """AllenNLP takes a config apart while it builds from it: it gets a copy."""
    return Params({"type": config} if isinstance(config, str) else deepcopy(config))


def reader(**options: Any) -> AttentionTextReader:
    return AttentionTextReader(tokenizer=WhitespaceTokenizer(), **options)


def instances(
    texts: Sequence[str] = TEXTS,
    labels: Optional[Sequence[str]] = LABELS,
    **options: Any,
) -> List[Instance]:
    text_reader = reader(**options)
    made = [
        text_reader.text_to_instance(
            text=text, label=labels[number] if labels else None, id=f"text-{number}"
        )
        for number, text in enumerate(texts)
    ]
    for instance in made:
        text_reader.apply_token_indexers(instance)
    return made


def vocabulary(**options: Any) -> Vocabulary:
    return Vocabulary.from_instances(instances(**options))


def model(
    encoder: str = "bilstm",
    scorer: str = "additive",
    projection: str = "softmax",
    vocab: Optional[Vocabulary] = None,
    seed: int = 1,
    **options: Any,
) -> AttentionClassifier:
    """A small classifier in evaluation mode, with random weights."""
    prepare_environment(Params({"random_seed": seed, "numpy_seed": seed, "pytorch_seed": seed}))
    config = {
        "type": "attention_classifier",
        "text_field_embedder": {
            "token_embedders": {"tokens": {"type": "embedding", "embedding_dim": DIM}}
        },
        "encoder": ENCODERS[encoder],
        "attention": {"scorer": scorer, "projection": PROJECTIONS[projection]},
        # Four texts are few for any number of labels.
        "min_label_count": 1,
        **options,
    }
    made = Model.from_params(params(config), vocab=vocab or vocabulary())
    # Larger weights than at initialisation, so that attention is far from uniform.
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(2.0)
    return made.eval()


def batch(vocab: Vocabulary, made: Sequence[Instance]) -> Dict[str, Any]:
    group = Batch(made)
    group.index_instances(vocab)
    return group.as_tensor_dict()
