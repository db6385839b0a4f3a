"""Training callbacks on pairs: the passage is attended, masked and guided; the question stays as it is."""

import json
from copy import deepcopy

import pyarrow
import pyarrow.parquet
import pytest
import torch
from allennlp.data import Batch

from attention_explain.archives import open_archive
from attention_explain.data.question_passage import QuestionPassageReader
from attention_explain.errors import InputError
from attention_explain.symbols import MASK_TOKEN
from attention_explain.training.base_model import BaseModel, BaseOutputs, Text, text_of
from tests.builders import ENCODERS
from tests.small_archive import PLANTED, small_archive
from tests.training.runs import adversary, parameters, started, trained

QUESTION = {"type": "planted", "preset": "question", "sizes": {"train": 24, "dev": 8, "test": 8}}
MASKED = {"tokens_to_add": {"tokens": [MASK_TOKEN]}}


def pair_options(encoder="affine", **more):
    # AllenNLP takes a config apart: what stands in it twice must be two things.
    query = {
        "encoder": deepcopy(ENCODERS[encoder]),
        "pooling": "last" if encoder == "bilstm" else "mean",
    }
    return {"type": "attention_pair_classifier", "query_encoder": query, **more}


def of_pairs(encoder="affine", reader=None, **more):
    model = pair_options(encoder, **more)
    return {"encoder": encoder, "reader": {**QUESTION, **(reader or {})}, "model": model}


@pytest.fixture(scope="module")
def pair_base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pair_base")
    return small_archive(folder, encoder="bilstm", reader=QUESTION, **pair_options("bilstm"))


@pytest.mark.parametrize("encoder", ["affine", "bilstm"])
def test_an_adversary_of_pairs_is_held_against_what_the_base_makes_of_them(
    tmp_path, pair_base, encoder
):
    options = {**of_pairs(encoder), "num_epochs": 1}
    callbacks = adversary(pair_base, lambda_=0.5, cache=str(tmp_path / "cache"))
    trainer, _ = started(tmp_path / "run", callbacks, **options)
    model = trainer.model.eval()
    instances = list(trainer._validation_data_loader.iter_instances())
    batch = Batch(instances)
    batch.index_instances(model.vocab)
    with torch.no_grad():
        output = model(**batch.as_tensor_dict())
    losses = []
    archive = open_archive(str(pair_base))
    labels = [archive.model.labels.index(label) for label in model.labels]
    for row, instance in enumerate(archive.validation_dataset_reader.read("dev")):
        archive.validation_dataset_reader.apply_token_indexers(instance)
        theirs = archive.model.forward_on_instance(instance)
        words = output["mask"][row]
        ours = output["attention"][row][words].double()
        base = torch.tensor(theirs["attention"]).double()
        kl = (ours * (ours / base).log()).sum()
        tvd = (output["probs"][row] - torch.tensor(theirs["probs"])[labels]).abs().sum() / 2
        losses.append(tvd - 0.5 * kl)
    assert output["adversarial_loss"].item() == pytest.approx(
        torch.stack(losses).mean().item(), abs=1e-5
    )


def test_an_adversary_trains_on_pairs_and_a_frozen_one_its_attention_alone(tmp_path, pair_base):
    options = of_pairs("bilstm")
    callback = adversary(pair_base, frozen=True, new_attention=True, cache=str(tmp_path / "cache"))
    loop = trained(tmp_path / "run", callback, **options)
    base = dict(open_archive(str(pair_base)).model.named_parameters())
    moved = {name for name, value in parameters(loop).items() if not torch.equal(value, base[name])}
    assert moved == {name for name in base if name.startswith("attention.")}


def test_outputs_of_the_base_belong_to_a_question_and_its_candidates(tmp_path):
    lines = [
        {"passage": "ada up bob down", "question": "ada ?", "answer": "up"},
        {"passage": "ada up bob down", "question": "bob ?", "answer": "down"},
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    reader = {"type": "question_passage", "tokenizer": "just_spaces"}
    archive = small_archive(tmp_path / "base", "affine", reader, str(path), **pair_options())
    base = BaseModel(str(archive), labels=["down", "up"])
    words = ["ada", "up", "bob", "down"]
    texts = [
        Text("one", words, ["ada", "?"]),
        Text("one", words, ["bob", "?"]),
        Text("one", words, ["bob", "?"], ["up"]),
    ]
    assert len({text.key for text in texts}) == 3
    outputs = BaseOutputs(base)
    free, _ = outputs.batch(texts[:2], torch.ones(2, 4, dtype=torch.bool))
    assert not torch.allclose(free[0], free[1])
    bound, _ = outputs.batch(texts[2:], torch.ones(1, 4, dtype=torch.bool))
    assert bound.tolist() == [[0.0, 1.0]]


def test_a_pairs_own_candidates_are_what_the_base_is_told():
    reader = QuestionPassageReader()
    given = {"text": "Ada is up.", "query": "Where?", "id": "one"}
    free = text_of(reader.text_to_instance(**given)["metadata"].metadata)
    bound = text_of(reader.text_to_instance(candidates=["up"], **given)["metadata"].metadata)
    assert free == Text("one", ["Ada", "is", "up", "."], ["Where", "?"])
    assert bound == Text("one", ["Ada", "is", "up", "."], ["Where", "?"], ["up"])


def test_a_base_of_single_texts_is_none_for_pairs(tmp_path, base, pair_base):
    options = {"cache": str(tmp_path / "cache")}
    with pytest.raises(InputError, match="it reads single texts, and the model .* pairs"):
        started(tmp_path / "first", adversary(base, **options), **of_pairs())
    with pytest.raises(InputError, match="it reads pairs, and the model .* single texts"):
        started(tmp_path / "second", adversary(pair_base, **options), reader=PLANTED)


def test_frozen_training_says_that_a_dot_with_the_query_has_nothing_to_train(tmp_path):
    dot = {"attention": {"scorer": "scaled_dot"}}
    options = pair_options("bilstm", **dot)
    archive = small_archive(tmp_path / "base", "bilstm", QUESTION, **options)
    with pytest.raises(InputError, match="would train nothing"):
        started(tmp_path / "run", adversary(archive, frozen=True), **of_pairs("bilstm", **dot))


def test_deceptive_training_takes_attention_from_the_causes_of_pairs(tmp_path):
    callback = [{"type": "deceptive_attention", "strength": 1.0}]
    options = of_pairs(reader={"impermissible": "rationale"})
    loop = trained(tmp_path, callback, num_epochs=6, **options)
    first, last = (
        json.loads((tmp_path / f"metrics_epoch_{epoch}.json").read_text()) for epoch in (0, 5)
    )
    assert last["training_impermissible_mass"] < first["training_impermissible_mass"]
    assert loop.trainer._epochs_completed == 6


def test_deceptive_training_says_before_it_begins_that_pairs_have_no_mask(tmp_path):
    with pytest.raises(InputError, match="has no field 'impermissible'"):
        started(tmp_path, [{"type": "deceptive_attention", "strength": 1.0}], **of_pairs())


def test_erasure_training_masks_the_passage_and_never_the_question(tmp_path):
    trainer, _ = started(tmp_path, [{"type": "erasure_training"}], **of_pairs(), vocabulary=MASKED)
    mask = trainer.model.vocab.get_token_index(MASK_TOKEN)
    batch = Batch(list(trainer.data_loader.iter_instances()))
    batch.index_instances(trainer.model.vocab)
    tensors = batch.as_tensor_dict()
    seen = {}
    trainer.model.forward = lambda **inputs: seen.update(inputs)
    trainer.model.train()(**tensors)
    assert (seen["tokens"]["tokens"]["tokens"] == mask).any()
    assert torch.equal(seen["query"]["tokens"]["tokens"], tensors["query"]["tokens"]["tokens"])


def attributed(path, archive):
    """A file as `attribute` writes it, with the base's attention on the training texts."""
    opened = open_archive(str(archive))
    instances = list(opened.validation_dataset_reader.read("train"))
    for instance in instances:
        opened.validation_dataset_reader.apply_token_indexers(instance)
    outputs = opened.model.forward_on_instances(instances)
    columns = {name: [output[name] for output in outputs] for name in ("id", "tokens", "attention")}
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return str(path)


def test_guided_and_erased_pairs_take_the_attention_of_another_model(tmp_path, pair_base):
    files = attributed(tmp_path / "train.parquet", pair_base)
    guided = of_pairs("bilstm", {"guide": files}, attention={"projection": "guide"})
    loop = trained(tmp_path / "guided", [], data="train", **guided)
    instances = list(loop.trainer.data_loader.iter_instances())
    outputs = loop.model.eval().forward_on_instances(instances)
    for instance, output in zip(instances, outputs, strict=True):
        assert output["attention"] == pytest.approx(instance["guide"].tensor.tolist(), abs=1e-6)
    erased = {"erased": {"share": 0.25, "by": "attention", "files": files}}
    options = {"data": "train", "vocabulary": MASKED, **of_pairs("bilstm", erased)}
    loop = trained(tmp_path / "erased", [], **options)
    for plain, masked in zip(instances, loop.trainer.data_loader.iter_instances(), strict=True):
        before, after = plain["metadata"].metadata, masked["metadata"].metadata
        assert before["query"] == after["query"]
        first = plain["guide"].tensor.argmax()
        assert after["tokens"][first] == MASK_TOKEN != before["tokens"][first]
