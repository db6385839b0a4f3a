"""A transformer that is not trained reads a text once, in whatever batch it comes again."""

import copy

import pytest
import torch
from allennlp.data import Batch

from attention_explain.pretrained.embedders import RememberedStates
from tests.pretrained.over_pieces import OURS, instances, predictor


def read(opened, positions, training=True):
    """The texts of these positions; how many of them the transformer was given."""
    model = opened._model.train(training)
    given = []
    hook = model.pieces.embedder.transformer_model.register_forward_pre_hook(
        lambda module, args, named: given.append(len(named["inputs_embeds"])), with_kwargs=True
    )
    group = Batch([instances(opened._dataset_reader)[position] for position in positions])
    group.index_instances(model.vocab)
    with hook:
        output = model(**group.as_tensor_dict())
    return output["logits"], sum(given)


def alone(opened, positions):
    """Each text by itself, and nothing of it remembered."""
    opened._model.eval()
    opened._model.pieces.remembered.in_training = False
    texts = [instances(opened._dataset_reader)[position] for position in positions]
    outputs = [opened._model.forward_on_instance(text) for text in texts]
    return torch.stack([torch.as_tensor(output["logits"]) for output in outputs]).double()


def test_a_text_is_read_once_and_the_outputs_are_the_same(folders):
    opened = predictor(folders["bert"], OURS, train_parameters=False)
    for positions, new in (([0, 1], 2), ([1, 2, 0, 3], 2), ([3, 3], 0)):
        logits, given = read(opened, positions)
        assert given == new
        torch.testing.assert_close(logits, alone(opened, positions))
    # What is above it learns all the same.
    logits.sum().backward()
    assert opened._model.decoder.weight.grad.abs().sum() > 0


def test_texts_of_validation_are_read_once_in_a_training_and_each_time_outside(folders):
    opened = predictor(folders["bert"], OURS, train_parameters=False)
    assert [read(opened, [0, 1], training=False)[1] for _ in range(2)] == [2, 2]
    read(opened, [2, 3])
    assert [read(opened, [0, 1], training=False)[1] for _ in range(2)] == [2, 0]
    torch.testing.assert_close(read(opened, [0, 1], training=False)[0], alone(opened, [0, 1]))


@pytest.mark.parametrize(
    "options", [{}, {"train_parameters": False, "last_layer_only": False}], ids=["trained", "mixed"]
)
def test_what_is_learned_is_read_each_time(folders, options):
    opened = predictor(folders["bert"], OURS, **options)
    assert [read(opened, [0, 1])[1] for _ in range(2)] == [2, 2]


def test_a_copy_of_the_model_begins_again(folders):
    opened = predictor(folders["bert"], OURS, train_parameters=False)
    read(opened, [0])
    opened._model = copy.deepcopy(opened._model)
    with torch.no_grad():
        for parameter in opened._model.pieces.embedder.parameters():
            parameter.mul_(2.0)
    logits, given = read(opened, [0])
    assert given == 1
    torch.testing.assert_close(logits, alone(opened, [0]))


def test_no_more_is_remembered_than_there_is_room_for():
    mask = torch.tensor([[True, True], [True, False]])
    embeddings = torch.rand(2, 2, 3)
    given = []

    def states_of(embeddings, mask):
        given.append(len(embeddings))
        return 2 * embeddings

    # Of the first text alone: 2 positions of 3 numbers of 4 bytes.
    remembered = RememberedStates(24)
    for _ in range(2):
        found = remembered(embeddings, mask, states_of)
        torch.testing.assert_close(found, 2 * embeddings * mask.unsqueeze(-1))
    assert given == [2, 1]
