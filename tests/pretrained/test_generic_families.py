"""Models without an adapter: encoders and decoders, checked against transformers one text at a time."""

import pytest
import torch

from attention_explain.archives import open_archive
from attention_explain.errors import InputError
from attention_explain.pretrained.families import Generic
from attention_explain.pretrained.folders import TransformerFolder
from tests.pretrained.really_removed import words_of
from tests.pretrained.test_explanations import Opened
from tests.tiny_transformers import (
    DECODERS,
    GENERIC,
    KNOWN_LAYERS,
    changed_config,
    save_tiny_transformer,
)

TEXTS = ["the Acting was superb, fine", "a dull film", "fine acting, fine was dull"]
# Some decoders compute their norms in single precision.
CLOSE = 1e-6
# Of each family, the states that its head reads; None where they are not those of the positions.
READS = {"funnel": None, "xlnet": "last", **dict.fromkeys(DECODERS, "last")}
NO_ATTENTION = ("funnel",)


@pytest.fixture(params=(*GENERIC, *DECODERS))
def family(request):
    return request.param


@pytest.fixture
def opened(folders, family):
    return Opened(folders[family])


@torch.no_grad()
def test_predictions_of_a_batch_are_those_of_single_texts(opened):
    batch = opened.batch(TEXTS)
    probs = opened.model.logits(opened.model.embed(batch.tokens), batch.inputs).softmax(-1)
    for text, found in zip(TEXTS, probs.tolist(), strict=True):
        assert found == pytest.approx(opened.plain.of_text(text), abs=CLOSE)


def test_leave_one_out_is_really_deleting_the_word(opened):
    for text, scores in zip(
        TEXTS, opened.scores("leave-one-out", TEXTS, measure="signed"), strict=True
    ):
        whole = opened.plain.of_text(text)[1]
        assert len(scores) == len(words_of(text))
        for position, score in enumerate(scores):
            kept = [other for other in range(len(scores)) if other != position]
            expected = whole - opened.plain.of_words(text, kept)[1]
            assert score == pytest.approx(expected, abs=CLOSE)


def gradients(plain, text):
    """Of the probability of 'pos' in plain transformers; embeddings; and the word of each position."""
    ids, units = plain.read(text)
    embeddings = plain.embedded(ids).detach().requires_grad_()
    (gradient,) = torch.autograd.grad(plain.of_embeddings(embeddings)[0, 1], embeddings)
    return gradient[0], embeddings[0].detach(), units


def test_gradients_are_those_of_transformers(opened):
    norms, products = opened.scores("gradient", TEXTS), opened.scores("gradient-x-input", TEXTS)
    for row, text in enumerate(TEXTS):
        gradient, embeddings, units = gradients(opened.plain, text)
        for word, (norm, product) in enumerate(zip(norms[row], products[row], strict=True)):
            own = [position for position, unit in enumerate(units) if unit == word]
            assert norm == pytest.approx(float(gradient[own].norm(dim=-1).max()), abs=CLOSE)
            total = float((gradient[own] * embeddings[own]).sum())
            assert product == pytest.approx(total, abs=CLOSE)


def test_attention_is_that_of_the_scaled_mean_that_the_head_reads(opened, family):
    reads = READS.get(family, "first")
    assert opened.model.family.pooling == reads
    if family in NO_ATTENTION:
        with pytest.raises(InputError, match="give no attention over the tokens"):
            opened.method("attention")
        return
    read = {"first": 0, "last": -1}[reads]
    if family == "big_bird":
        # In transformers 5 it gives none after it has changed this by itself, for short texts.
        opened.plain.model.base_model.set_attention_type("original_full")
    for text, scores in zip(TEXTS, opened.scores("attention", TEXTS), strict=True):
        ids, units = opened.plain.read(text)
        if hasattr(opened.plain.model, "set_attn_implementation"):
            opened.plain.model.set_attn_implementation("eager")
        if family == "big_bird":
            opened.plain.model.base_model.set_attention_type("original_full")
        maps = opened.plain.model(ids, output_attentions=True).attentions[-1]
        weights = maps[0].mean(dim=0)[read].tolist()
        expected = [
            max(weight for weight, unit in zip(weights, units, strict=True) if unit == word)
            for word in range(len(scores))
        ]
        assert scores == pytest.approx(expected, abs=1e-6)


def test_integrated_gradients_are_those_of_transformers(opened):
    steps = 5
    found = opened.scores("integrated-gradients", TEXTS, steps=steps, rule="midpoint")
    for text, scores in zip(TEXTS, found, strict=True):
        ids, units = opened.plain.read(text)
        path = opened.plain.embedded(ids).detach()
        path[:, [unit is None for unit in units]] = 0.0
        start = opened.plain.embedded(ids).detach() - path
        total = torch.zeros_like(path)
        for step in range(steps):
            there = (start + path * (step + 0.5) / steps).requires_grad_()
            total += torch.autograd.grad(opened.plain.of_embeddings(there)[0, 1], there)[0]
        products = (total * path).sum(dim=-1)[0] / steps
        for word, score in enumerate(scores):
            own = [position for position, unit in enumerate(units) if unit == word]
            assert score == pytest.approx(float(products[own].sum()), abs=CLOSE)


@pytest.mark.parametrize("name", ["lrp", "deeplift", "attention-rollout", "attention-x-gradient"])
def test_methods_that_look_into_layers_say_that_they_do_not_know_them(opened, family, name):
    if family in KNOWN_LAYERS:
        pytest.skip("its layers are known")
    with pytest.raises(InputError, match="layers of the model, but those of the type"):
        opened.method(name)


def test_a_text_without_words_is_the_symbol_that_begins_texts(folders):
    opened = Opened(folders["gpt2"])
    whole, start = opened.plain.of_text("fine")[1], opened.plain.of_text("<|endoftext|>")[1]
    assert opened.scores("leave-one-out", ["fine"], measure="signed")[0] == pytest.approx(
        [whole - start], abs=CLOSE
    )


def test_symbols_at_the_end_that_are_padding_are_passed_over(tmp_path):
    """As transformers does, where a tokenizer ends texts by the symbol that the model takes for padding."""
    folder = save_tiny_transformer(tmp_path / "llama", "llama")
    changed_config(folder, pad_token_id=2, eos_token_id=2)
    opened = Opened(folder)
    assert opened.model.family.trailing == 1
    (scores,) = opened.scores("leave-one-out", TEXTS[:1], measure="signed")
    whole, without = (
        opened.plain.of_text(TEXTS[0])[1],
        opened.plain.of_words(TEXTS[0], range(1, 6))[1],
    )
    assert scores[0] == pytest.approx(whole - without, abs=CLOSE)


def test_a_head_that_reads_the_mean_has_the_mean_of_attention(tmp_path):
    folder = save_tiny_transformer(tmp_path / "modernbert", "modernbert")
    changed_config(folder, classifier_pooling="mean")
    opened = Opened(folder)
    assert opened.model.family.pooling == "mean"
    for text, scores in zip(TEXTS, opened.scores("attention", TEXTS), strict=True):
        ids, units = opened.plain.read(text)
        read = {"attention_mask": torch.ones_like(ids), "output_attentions": True}
        if hasattr(opened.plain.model, "set_attn_implementation"):
            opened.plain.model.set_attn_implementation("eager")
        maps = opened.plain.model(ids, **read).attentions[-1]
        weights = maps[0].mean(dim=0).mean(dim=0).tolist()
        first = [weight for weight, unit in zip(weights, units, strict=True) if unit == 0]
        assert scores[0] == pytest.approx(max(first), abs=1e-6)


def test_a_model_that_reads_embeddings_otherwise_is_an_error(folders, monkeypatch):
    """Not a wrong explanation."""
    run = Generic._run
    monkeypatch.setattr(
        Generic,
        "_run",
        lambda self, embeddings, mask, **more: run(self, 2 * embeddings, mask, **more),
    )
    with pytest.raises(InputError, match="another output than from its token ids"):
        open_archive(folders["gpt2"])


def test_a_model_that_takes_no_embeddings_is_an_error(folders, monkeypatch):
    def fails(self, embeddings, mask, **more):
        raise NotImplementedError("no inputs_embeds")

    monkeypatch.setattr(Generic, "_run", fails)
    with pytest.raises(
        InputError, match=r"\('gpt2'\) cannot be explained: it fails.*no inputs_embeds"
    ):
        open_archive(folders["gpt2"])


@torch.no_grad()
@pytest.mark.parametrize("name", ["gpt2", "deberta-v2"])
def test_a_head_for_the_same_labels_in_another_order_is_kept(folders, name):
    folder = TransformerFolder.opened(folders[name])
    ids = torch.tensor([[5, 6, 7]])
    own = folder.classifier().eval()(ids).logits
    turned = TransformerFolder.opened(folders[name]).classifier_to_train(["pos", "neg"]).eval()
    torch.testing.assert_close(turned(ids).logits, own.flip(-1))
