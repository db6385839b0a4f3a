"""Small pairs and classifiers of pairs for tests, built from configs as a user's are."""

import json
from typing import Any, List, Optional, Sequence, Tuple

import torch
from allennlp.common import Params
from allennlp.common.util import prepare_environment
from allennlp.data import Instance, Vocabulary
from allennlp.data.tokenizers import WhitespaceTokenizer
from allennlp.models import Model

from attention_explain.data.question_passage import QuestionPassageReader
from attention_explain.models import AttentionPairClassifier
from tests.builders import DIM, ENCODERS, PROJECTIONS, params

POOLINGS = {"bilstm": "last", "affine": "mean", "cnn": "max", "transformer": "mean"}

# Passage, question, answer.
PAIRS = [
    ("ada went up to the attic and bob slept in the cellar", "where is ada ?", "attic"),
    ("bob is in the porch", "where is he now that it rains ?", "porch"),
    ("cellar", "where ?", "cellar"),
    ("ada left the porch for the cellar while bob took the attic", "who ?", "cellar"),
]


def pair_reader(**options: Any) -> QuestionPassageReader:
    return QuestionPassageReader(tokenizer=WhitespaceTokenizer(), **options)


def pair_instances(pairs: Sequence[Tuple[str, str, str]] = PAIRS, **options: Any) -> List[Instance]:
    reader = pair_reader(**options)
    made = [
        reader.text_to_instance(text=passage, query=question, label=answer, id=f"pair-{number}")
        for number, (passage, question, answer) in enumerate(pairs)
    ]
    for instance in made:
        reader.apply_token_indexers(instance)
    return made


def pair_vocabulary(**options: Any) -> Vocabulary:
    return Vocabulary.from_instances(pair_instances(**options))


def pair_model(
    encoder: str = "bilstm",
    scorer: str = "additive",
    projection: str = "softmax",
    vocab: Optional[Vocabulary] = None,
    seed: int = 1,
    **options: Any,
) -> AttentionPairClassifier:
    """In evaluation mode, with random weights; the two texts have word vectors of their own."""
    prepare_environment(Params({"random_seed": seed, "numpy_seed": seed, "pytorch_seed": seed}))
    embedder = {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": DIM}}}
    config = {
        "type": "attention_pair_classifier",
        "text_field_embedder": embedder,
        "encoder": ENCODERS[encoder],
        "query_encoder": {
            "encoder": ENCODERS[encoder],
            "pooling": POOLINGS[encoder],
            "embedder": embedder,
        },
        "attention": {"scorer": scorer, "projection": PROJECTIONS[projection]},
        "min_label_count": 1,
        **options,
    }
    # AllenNLP takes a config apart: what stands in it twice must be two things.
    config = json.loads(json.dumps(config))
    made = Model.from_params(params(config), vocab=vocab or pair_vocabulary())
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(2.0)
    return made.eval()
