"""Passes that make only what the head reads are transformers' own, for every family."""

import pytest
import torch

from attention_explain.archives import open_archive
from attention_explain.models import transformer_classifier as first_position
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.pretrained.folders import TransformerFolder
from tests.tiny_transformers import FAMILIES

LENGTHS = (6, 2, 9, 4, 9, 1)
MASK = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(1)
INPUTS = TextInputs(MASK, MASK)


@pytest.fixture(params=FAMILIES)
def family(folders, request):
    folder = TransformerFolder.opened(folders[request.param])
    return folder.family(folder.classifier().double().eval())


@pytest.fixture
def embeddings(family):
    torch.manual_seed(1)
    size = family.model.get_input_embeddings().embedding_dim
    # Padding holds anything.
    return torch.randn(*MASK.shape, size, dtype=torch.double, requires_grad=True)


def own(family, embeddings):
    return family.model(inputs_embeds=embeddings, attention_mask=MASK.double()).logits


# One at a time, some together, all.
@pytest.mark.parametrize("positions", [1, 20, 1024])
def test_logits_and_gradients_are_the_model_s(family, embeddings, monkeypatch, positions):
    monkeypatch.setattr(first_position, "POSITIONS_AT_ONCE", positions)
    assert first_position.reads_first_position(family)
    expected, found = (
        way(family, embeddings)
        for way in (own, lambda *given: first_position.first_position_logits(*given, INPUTS))
    )
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    weights = torch.randn_like(found)
    gradients = [
        torch.autograd.grad((weights * logits).sum(), embeddings)[0] for logits in (found, expected)
    ]
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-12)
    assert gradients[0][MASK].abs().sum() > 0


@torch.no_grad()
def test_in_single_precision_they_differ_by_less_than_a_millionth(family, embeddings):
    single = embeddings.float()
    expected = own(family, embeddings).softmax(dim=-1)
    family.model.float()
    found = first_position.first_position_logits(family, single, INPUTS).softmax(dim=-1)
    assert (found - expected).abs().max() < 1e-6


def test_where_somebody_looks_or_trains_the_model_itself_is_asked(folders):
    model = open_archive(folders["bert"]).model.eval()
    inputs = TextInputs(MASK, MASK)
    embeddings = torch.randn(*MASK.shape, 8)
    asked = []

    def whole() -> torch.Tensor:
        with torch.no_grad():
            return model.logits(embeddings, inputs)

    base = model.transformer.base_model
    expected = whole()
    for part in (base, base.encoder.layer[-1].attention.self.key, model.transformer.classifier):
        hook = part.register_forward_hook(lambda *given: asked.append(1))
        assert not first_position.reads_first_position(model.family)
        torch.testing.assert_close(whole(), expected)
        hook.remove()
    assert len(asked) == 3 and first_position.reads_first_position(model.family)
    model.train()
    assert not first_position.reads_first_position(model.family)


def test_other_positions_are_left_to_the_model(folders):
    folder = TransformerFolder.opened(folders["bert"])
    family = folder.family(folder.classifier().eval())
    family.config.position_embedding_type = "relative_key"
    assert not first_position.reads_first_position(family)


def test_maps_that_were_asked_for_once_do_not_make_later_passes_slower(folders):
    model = open_archive(folders["bert"]).model
    ids = torch.tensor([[2, 7, 8, 3]])
    with first_position.eager_attention(model.transformer):
        assert model.transformer(ids, output_attentions=True).attentions
    assert first_position.reads_first_position(model.family)
    hook = model.transformer.classifier.register_forward_hook(lambda *given: None)
    assert not first_position.reads_first_position(model.family)
    hook.remove()
