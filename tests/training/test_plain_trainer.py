"""
AllenNLP's own trainer, model and data, with this plugin loaded: it goes on from any checkpoint and ends
with the same parameters.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.common import Params
from allennlp.common.util import prepare_environment
from allennlp.data import DataLoader, Instance, Token, Vocabulary
from allennlp.data.data_loaders import SimpleDataLoader
from allennlp.data.fields import SequenceLabelField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer
from allennlp.models import SimpleTagger
from allennlp.training import Checkpointer, GradientDescentTrainer

import attention_explain  # noqa: F401
from attention_explain.errors import InputError
from attention_explain.training.exact_recovery import KEY

EPOCHS = 3
BATCHES = 3
# All points in time after which there is a checkpoint: epochs, and batches of the next one.
POINTS = [(epoch, batch) for epoch in range(EPOCHS) for batch in range(BATCHES + 1)][1:]
POINTS.append((EPOCHS, 0))


def instances() -> Iterator[Instance]:
    draw = random.Random(1)
    for _ in range(2 * BATCHES):
        words = [draw.choice("abcdef") for _ in range(draw.randint(2, 6))]
        text = TextField([Token(word) for word in words], {"tokens": SingleIdTokenIndexer()})
        tags = ["vowel" if word in "ae" else "consonant" for word in words]
        yield Instance({"tokens": text, "tags": SequenceLabelField(tags, text)})


def trainer(folder: Path, shuffle: bool, dropout: float, **options: Any) -> GradientDescentTrainer:
    prepare_environment(Params({}))
    texts = list(instances())
    vocabulary = Vocabulary.from_instances(texts)
    config = {
        "text_field_embedder": {
            "token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 4}}
        },
        "encoder": {
            "type": "lstm",
            "input_size": 4,
            "hidden_size": 5,
            "num_layers": 2,
            "dropout": dropout,
        },
    }
    model = SimpleTagger.from_params(Params(config), vocab=vocabulary)

    def loader(shuffled: bool) -> DataLoader:
        return SimpleDataLoader(list(texts), 2, shuffle=shuffled, vocab=vocabulary)

    return GradientDescentTrainer(
        model,
        torch.optim.SGD(model.parameters(), 0.1, momentum=0.9),
        loader(shuffle),
        validation_data_loader=loader(False),
        num_epochs=EPOCHS,
        serialization_dir=str(folder),
        checkpointer=Checkpointer(
            str(folder), save_every_num_batches=1, keep_most_recent_by_count=None
        ),
        **options,
    )


def parameters(trained: GradientDescentTrainer) -> dict[str, list[float]]:
    return {name: value.tolist() for name, value in trained.model.state_dict().items()}


def keep_only(point: tuple[int, int], folder: Path, best: bool, plain: bool = False) -> None:
    checkpointer = Checkpointer(str(folder))
    assert sorted(checkpointer._find_all_checkpoints()) == POINTS
    for other in POINTS:
        if other != point:
            checkpointer._remove_checkpoint(*other)
    if not best:
        (folder / "best.th").unlink()
    if plain:
        path = checkpointer._training_state_path(*point)
        state = torch.load(path)
        del state[KEY]
        torch.save(state, path)


@pytest.mark.parametrize("best", [True, False], ids=["best known", "best unknown"])
@pytest.mark.parametrize("point", POINTS, ids=lambda point: f"epoch {point[0]} batch {point[1]}")
def test_any_checkpoint_is_gone_on_from(tmp_path, point, best):
    unbroken = trainer(tmp_path, shuffle=True, dropout=0.5)
    metrics = unbroken.train()
    assert metrics["best_epoch"] == EPOCHS - 1
    keep_only(point, tmp_path, best)
    recovered = trainer(tmp_path, shuffle=True, dropout=0.5)
    again = recovered.train()
    assert parameters(recovered) == parameters(unbroken)
    for name in ("best_epoch", "best_validation_loss", "training_loss", "training_accuracy"):
        assert again[name] == metrics[name]


@pytest.mark.parametrize("point", POINTS, ids=lambda point: f"epoch {point[0]} batch {point[1]}")
def test_any_checkpoint_of_allennlp_alone_is_gone_on_from(tmp_path, point):
    """Nothing random but the order of the texts, which AllenNLP reads again from the beginning."""
    unbroken = trainer(tmp_path, shuffle=True, dropout=0.0)
    metrics = unbroken.train()
    keep_only(point, tmp_path, best=False, plain=True)
    recovered = trainer(tmp_path, shuffle=True, dropout=0.0)
    again = recovered.train()
    assert parameters(recovered) == parameters(unbroken)
    assert again["best_validation_loss"] == metrics["best_validation_loss"]
    assert (tmp_path / "recovered").exists()


def test_best_weights_that_are_lost_fail_at_the_end(tmp_path):
    """The first epoch is the best, by a metric that wants the largest loss."""
    trainer(tmp_path, True, 0.0, validation_metric="+loss").train()
    keep_only((2, 1), tmp_path, best=False)
    with pytest.raises(InputError, match=r"best\.th: is missing or was not written"):
        trainer(tmp_path, True, 0.0, validation_metric="+loss").train()


def test_a_trainer_without_a_folder_keeps_no_best_weights(tmp_path):
    first = trainer(tmp_path, True, 0.5)
    first._serialization_dir = None
    first.train()
    second = trainer(tmp_path, True, 0.5)
    second._serialization_dir = None
    second.train()
    assert parameters(second) == parameters(first)
    assert not (tmp_path / "best.th").exists()
