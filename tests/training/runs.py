"""Small training runs against a small base, built from configs as a user's are."""

import json
from copy import deepcopy
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import torch
from allennlp.commands.train import TrainModel
from allennlp.common import Params
from allennlp.common.util import prepare_environment
from allennlp.training.callbacks import TrainerCallback
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from tests.builders import DIM, ENCODERS
from tests.small_archive import PLANTED


def run_config(
    callbacks: list[dict[str, Any]],
    encoder: str = "affine",
    batch_size: int = 8,
    reader: dict[str, Any] | None = None,
    model: dict[str, Any] | None = None,
    data: str | None = None,
    vocabulary: dict[str, Any] | None = None,
    **trainer: Any,
) -> dict[str, Any]:
    """A config of `allennlp train`; batches are the texts in their order. `data` is for all splits."""
    return {
        "dataset_reader": reader or PLANTED,
        "train_data_path": data or "train",
        "validation_data_path": data or "dev",
        "test_data_path": data or "test",
        "evaluate_on_test": True,
        "datasets_for_vocab_creation": ["train"],
        "vocabulary": vocabulary or {},
        "model": {
            "type": "attention_classifier",
            "text_field_embedder": {
                "token_embedders": {"tokens": {"type": "embedding", "embedding_dim": DIM}}
            },
            "encoder": ENCODERS[encoder],
            **(model or {}),
        },
        "data_loader": {"batch_size": batch_size, "shuffle": False},
        "trainer": {
            "num_epochs": 1,
            "optimizer": {"type": "sgd", "lr": 0.5},
            "cuda_device": -1,
            "callbacks": callbacks,
            **trainer,
        },
    }


def built(folder: Path, *arguments: Any, seed: int = 5, **options: Any) -> TrainModel:
    """What `allennlp train` builds, for a config as above."""
    params = Params(deepcopy(run_config(*arguments, **options)))
    seeds = ("random_seed", "numpy_seed", "pytorch_seed")
    prepare_environment(Params(dict.fromkeys(seeds, seed)))
    folder.mkdir(parents=True, exist_ok=True)
    return TrainModel.from_params(params, serialization_dir=str(folder), local_rank=0)


def trained(folder: Path, *arguments: Any, **options: Any) -> TrainModel:
    """After training, without checkpoints."""
    loop = built(folder, *arguments, **options)
    loop.trainer._checkpointer = None
    loop.run()
    return loop


def epoch_metrics(folder: Path) -> list[dict[str, Any]]:
    """What a training run has written of each epoch."""
    paths = (folder / f"metrics_epoch_{epoch}.json" for epoch in count())
    return [json.loads(path.read_text()) for path in takewhile(Path.exists, paths)]


def started(
    folder: Path, *arguments: Any, **options: Any
) -> tuple[GradientDescentTrainer, TrainerCallback]:
    """The trainer, and its first callback after `on_start`."""
    trainer = built(folder, *arguments, **options).trainer
    callback = trainer._callbacks[0]
    callback.on_start(trainer)
    return trainer, callback


def adversary(base: Path, lambda_: float = 0.1, **options: Any) -> list[dict[str, Any]]:
    """The callback, as configs have it."""
    return [{"type": "adversarial_attention", "base": str(base), "lambda_": lambda_, **options}]


def parameters(loop: TrainModel) -> dict[str, torch.Tensor]:
    return {name: value.detach().clone() for name, value in loop.model.named_parameters()}
