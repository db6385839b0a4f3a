"""Models that are run as a whole, whose layers are known: the parts together give what transformers gives."""

import pytest
import torch
from transformers import AutoModelForSequenceClassification

from attention_explain.errors import InputError
from tests.pretrained.test_explanations import TEXTS, Opened
from tests.tiny_transformers import save_tiny_transformer

NARROW = {"local_attention": 2, "global_attn_every_n_layers": 3, "num_hidden_layers": 4}
UNSHARED = {"share_att_key": False, "position_buckets": -1, "max_relative_positions": 3}
VARIANTS = {
    "modernbert": ("modernbert", {}),
    "narrow windows": ("modernbert", NARROW),
    "mean and biases": ("modernbert", {"classifier_pooling": "mean", "norm_bias": True}),
    "deberta": ("deberta-v2", {}),
    "own projections of distances": ("deberta-v2", UNSHARED),
    "one kind of scores": ("deberta-v2", {"pos_att_type": ["p2c"], "norm_rel_ebd": "none"}),
    "no distances": ("deberta-v2", {"relative_attention": False, "position_biased_input": True}),
}


@pytest.mark.parametrize("variant", VARIANTS)
@torch.no_grad()
def test_the_parts_of_a_padded_batch_give_the_maps_and_logits_of_single_texts(tmp_path, variant):
    family, options = VARIANTS[variant]
    folder = save_tiny_transformer(tmp_path / "folder", family, **options)
    opened = Opened(folder)
    eager = AutoModelForSequenceClassification.from_pretrained(folder, attn_implementation="eager")
    eager.double().eval()
    batch = opened.batch(TEXTS)
    embeddings = opened.model.embed(batch.tokens)
    logits, maps = opened.model.with_maps(embeddings, batch.inputs)
    read = opened.model.through_layers(embeddings, batch.inputs)
    for row, text in enumerate(TEXTS):
        ids, _ = opened.plain.read(text)
        expected = eager(ids, attention_mask=torch.ones_like(ids), output_attentions=True)
        torch.testing.assert_close(logits[row], expected.logits[0], atol=1e-6, rtol=0)
        there = slice(ids.size(1))
        for layer, own, theirs in zip(read.layers, maps, expected.attentions, strict=True):
            weights = theirs[0].double()
            torch.testing.assert_close(own[row, :, there, there], weights, atol=1e-6, rtol=0)
            some = layer.weights(slice(1, 3))[row, ..., there]
            torch.testing.assert_close(some, weights[:, 1:3], atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    "family, method",
    [
        *(("modernbert", name) for name in ("value-zeroing", "alti", "decompx", "attn-lrp")),
        ("deberta-v2", "attn-lrp"),
    ],
)
def test_methods_without_a_rule_for_a_part_say_so(folders, family, method):
    with pytest.raises(InputError, match=f"has no rules for .* of the type '{family}'"):
        Opened(folders[family]).method(method)


@pytest.mark.parametrize(
    "options", [{"conv_kernel_size": 3, "conv_act": "gelu"}, {"embedding_size": 6}]
)
def test_a_model_with_other_parts_is_used_from_outside(tmp_path, options):
    opened = Opened(save_tiny_transformer(tmp_path / "folder", "deberta-v2", **options))
    assert opened.scores("gradient", TEXTS[:1])
    with pytest.raises(InputError, match="are not known here"):
        opened.method("lrp")
