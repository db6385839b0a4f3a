"""An `attention_classifier` over each kind of AllenNLP's pretrained embedders, and what it says of words."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from allennlp.common import Params
from allennlp.common.util import prepare_environment
from allennlp.data import Batch, DatasetReader, Instance, Vocabulary
from allennlp.models import Model

from attention_explain.models import AttentionClassifier
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.tiny_transformers import HIDDEN

# Of some words several pieces.
TEXTS = ["the acting was superb", "a dull film", "fine", "superb acting superb film fine"]
LABELS = ["1", "0", "1", "1"]

ENCODERS: dict[str, dict[str, Any]] = {
    "pass_through": {"type": "pass_through", "input_dim": HIDDEN},
    "lstm": {"type": "lstm", "input_size": HIDDEN, "hidden_size": 3, "bidirectional": True},
    "affine": {"type": "affine", "input_dim": HIDDEN, "hidden_dim": 5},
}
MATCHED = "pretrained_transformer"
MISMATCHED = "pretrained_transformer_mismatched"
# With its own indexer.
OURS = "transformer_words"


def predictor(
    folder: Path,
    kind: str = MISMATCHED,
    encoder: str = "pass_through",
    attention: Any = None,
    seed: int = 3,
    **options: Any,
) -> SaliencyPredictor:
    """Model and reader, in double precision and evaluation mode."""
    prepare_environment(Params({"random_seed": seed, "numpy_seed": seed, "pytorch_seed": seed}))
    named = {"type": kind, "model_name": str(folder)}
    indexer = {**named, "type": "transformer_pieces"} if kind == OURS else named
    tokenizer = dict(named) if kind == MATCHED else "just_spaces"
    reader = DatasetReader.from_params(
        Params(
            {
                "type": "attention_text",
                "tokenizer": tokenizer,
                "token_indexers": {"pieces": dict(indexer)},
            }
        )
    )
    config = {
        "type": "attention_classifier",
        "text_field_embedder": {"token_embedders": {"pieces": {**named, **options}}},
        "encoder": dict(ENCODERS[encoder]),
        "attention": attention or {},
        "min_label_count": 1,
    }
    made = instances(reader)
    model = Model.from_params(Params(config), vocab=Vocabulary.from_instances(made))
    with torch.no_grad():
        for part in (model.encoder, model.attention, model.decoder):
            for parameter in part.parameters():
                parameter.mul_(3.0)
    return SaliencyPredictor(model.double().eval(), reader)


def instances(
    reader: DatasetReader, texts: Sequence[Any] = TEXTS, labels: Sequence[str] = LABELS
) -> list[Instance]:
    """Of texts, or of lists of tokens."""
    made = [
        reader.text_to_instance(
            **{"text" if isinstance(text, str) else "tokens": text},
            label=label,
            id=f"text-{number}",
        )
        for number, (text, label) in enumerate(zip(texts, labels))
    ]
    for instance in made:
        reader.apply_token_indexers(instance)
    return made


@torch.no_grad()
def logits_of(predictor: SaliencyPredictor, tokens: list[str]) -> torch.Tensor:
    """
    What the model says of these tokens as a text of their own, by AllenNLP's own embedder. Of none, the
    decoder at a context of 0. Shape: (labels,)
    """
    model: AttentionClassifier = predictor._model
    if not tokens:
        return model.decoder.bias
    group = Batch(instances(predictor._dataset_reader, [tokens], ["1"]))
    group.index_instances(model.vocab)
    tensors = group.as_tensor_dict()
    mask = tensors["tokens"]["pieces"]["mask"]
    states = model.encoder(model.text_field_embedder(tensors["tokens"]), mask)
    weights = model.attention(states, tensors.get("attendable", mask))
    return model.decoder((weights.unsqueeze(-1) * states).sum(dim=1))[0]
