"""RemovalMethod training: what is masked, what never is, and that nothing else of the training changes."""

import pytest
import torch
from allennlp.common import Params
from allennlp.models.archival import load_archive

from attention_explain.errors import InputError
from attention_explain.modules import projections
from attention_explain.symbols import MASK_TOKEN
from attention_explain.training.erasure_training import drawn_erasures, masked
from tests.builders import batch, instances, vocabulary
from tests.commands_run import PROJECT
from tests.small_archive import PLANTED
from tests.training.runs import adversary, built, epoch_metrics, parameters, run_config, trained
from tests.waits import device_waits

ERASURE = [{"type": "erasure_training"}]
MASKED = {"tokens_to_add": {"tokens": [MASK_TOKEN]}}
WITH_SYMBOLS = {**PLANTED, "boundary_symbols": True}


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def erasing(folder, callbacks=ERASURE, **options):
    """A trainer whose callbacks have started, and its first callback."""
    trainer = built(folder, callbacks, vocabulary=MASKED, **options).trainer
    for callback in trainer._callbacks:
        callback.on_start(trainer)
    return trainer, trainer._callbacks[0]


def seen_by(classifier, inputs):
    """The ids that the model embeds."""
    seen = []
    original = classifier.embed
    classifier.embed = lambda tokens: seen.append(tokens["tokens"]["tokens"]) or original(tokens)
    try:
        classifier(**inputs)
    finally:
        del classifier.embed
    return seen[0]


@pytest.mark.parametrize("texts, counts", [(8, {4}), (7, {3, 4}), (2, {1}), (1, {0, 1})])
def test_half_of_the_texts_are_masked_and_none_more_often_than_others(texts, counts):
    draw = generator()
    # With this number of tokens a text that is chosen has some masked, but for a share below 1 / 2000.
    rows = [drawn_erasures(texts, 20_000, draw).any(dim=-1) for _ in range(150)]
    assert {int(row.sum()) for row in rows} == counts
    often = torch.stack(rows).float().mean(dim=0)
    # Five standard errors.
    assert (often - 0.5).abs().max() < 5 * 0.5 / 150**0.5


def test_the_share_of_a_text_is_uniform_and_its_positions_are_alike():
    erased = drawn_erasures(20_000, 50, generator()).float()
    chosen = erased[erased.any(dim=-1)]
    shares = chosen.mean(dim=-1)
    # A tenth of the texts in each tenth of the shares, but for the grid of 1 / 50.
    found = torch.histc(shares, bins=5, min=0, max=1.0001) / len(shares)
    assert (found - 0.2).abs().max() < 0.03
    assert (chosen.mean(dim=0) - 0.5).abs().max() < 0.03


def test_only_words_are_masked_and_only_in_training(tmp_path):
    trainer, _ = erasing(tmp_path, reader=WITH_SYMBOLS)
    classifier = trainer.model
    mask = classifier.vocab.get_token_index(MASK_TOKEN)
    assert mask == classifier.vocab.get_vocab_size() - 1
    everywhere = 0
    for _ in range(2):
        for inputs in trainer.data_loader:
            ids = inputs["tokens"]["tokens"]["tokens"]
            seen = seen_by(classifier.train(), inputs)
            changed = seen != ids
            assert (seen[changed] == mask).all()
            assert not (changed & ~inputs["attendable"]).any()
            assert int(changed.any(dim=-1).sum()) <= 4
            everywhere += int(changed.sum())
            assert seen_by(classifier.eval(), inputs).equal(ids)
            assert not (ids == mask).any()
    assert everywhere > 0
    trainer._callbacks[0].on_end(trainer)
    assert seen_by(classifier.train(), inputs).equal(ids)


def test_padding_is_not_masked():
    vocab = vocabulary()
    tokens = batch(vocab, instances())["tokens"]
    words = tokens["tokens"]["tokens"] != 0
    everything = masked(tokens, torch.ones_like(words) & words, {"tokens": 77})
    assert everything["tokens"]["tokens"].equal(torch.where(words, 77, 0))


def test_the_same_seed_gives_the_same_model_and_another_one_other_masks(tmp_path):
    found = [
        parameters(
            trained(
                tmp_path / name,
                [{"type": "erasure_training", **option}],
                vocabulary=MASKED,
                seed=seed,
            )
        )
        for name, seed, option in (
            ("first", 5, {}),
            ("again", 5, {}),
            ("given", 5, {"seed": 5}),
            ("other", 5, {"seed": 6}),
        )
    ]
    first, again, given, other = ([*found.values()] for found in found)
    assert all(one.equal(two) and one.equal(three) for one, two, three in zip(first, again, given))
    assert not all(one.equal(two) for one, two in zip(first, other))


def test_masks_are_drawn_apart_from_everything_else(tmp_path):
    trainer, _ = erasing(tmp_path)
    inputs = next(iter(trainer.data_loader))
    before = torch.random.get_rng_state()
    trainer.model.train()(**inputs)
    assert torch.random.get_rng_state().equal(before)


def test_a_recovered_training_goes_on_with_its_masks(tmp_path):
    trainer, callback = erasing(tmp_path / "one")
    inputs = next(iter(trainer.data_loader))
    classifier = trainer.model.train()
    seen_by(classifier, inputs)
    kept = callback.state_dict()
    expected = seen_by(classifier, inputs)
    other = built(tmp_path / "two", ERASURE, vocabulary=MASKED).trainer
    other._callbacks[0].load_state_dict(kept)
    other._callbacks[0].on_start(other)
    assert seen_by(other.model.train(), inputs).equal(expected)


def test_the_mask_is_learned_and_is_part_of_the_archive(tmp_path):
    loop = built(tmp_path, ERASURE, vocabulary=MASKED)
    start = mask_vector(loop.model)
    loop.finish(loop.run())
    Params(run_config(ERASURE, vocabulary=MASKED)).to_file(str(tmp_path / "config.json"))
    opened = load_archive(str(tmp_path)).model
    assert mask_vector(opened).equal(mask_vector(loop.model))
    assert not mask_vector(opened).equal(start)


def mask_vector(classifier):
    weight = classifier.text_field_embedder.token_embedder_tokens.weight
    return weight[classifier.vocab.get_token_to_index_vocabulary()[MASK_TOKEN]].detach().clone()


def test_on_a_gpu_no_step_waits(tmp_path, monkeypatch):
    monkeypatch.setattr(projections, "on_host", lambda values: False)
    trainer, _ = erasing(tmp_path)
    inputs = next(iter(trainer.data_loader))
    classifier = trainer.model.train()
    classifier(**inputs)
    ids = inputs["tokens"]["tokens"]["tokens"]
    with device_waits([*classifier.parameters(), *classifier.buffers(), ids]) as waits:
        classifier(**inputs)["loss"].backward()
    assert waits == []


def test_deceptive_attention_works_with_it(tmp_path):
    words = [{"type": "deceptive_attention", "strength": 1.0, "words": ["a", "the"]}]
    trained(tmp_path, ERASURE + words, vocabulary=MASKED)
    assert "validation_impermissible_mass" in epoch_metrics(tmp_path)[-1]


def test_what_cannot_work_is_rejected(tmp_path, base):
    with pytest.raises(InputError, match="does not work with adversarial_attention"):
        erasing(tmp_path / "adversary", ERASURE + adversary(base))
    trainer = built(tmp_path / "no mask", ERASURE).trainer
    with pytest.raises(InputError, match="namespace 'tokens' lacks '@@MASK@@'"):
        trainer._callbacks[0].on_start(trainer)


def test_one_line_of_a_config_adds_it(tmp_path):
    path = tmp_path / "erasure.jsonnet"
    lib = PROJECT / "training_configs" / "lib" / "lib.libsonnet"
    path.write_text(
        f"local lib = import '{lib}';\n"
        "lib.erasure_training(lib.experiment(lib.data.planted(), lib.encoders.bilstm, "
        "lib.attention.tanh, lib.training.jain_wallace))"
    )
    params = Params.from_file(path).as_dict(quiet=True)
    assert params["vocabulary"] == {"type": "document_frequency", **MASKED}
    assert params["trainer"]["callbacks"] == ERASURE
