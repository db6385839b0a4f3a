"""
`attention_classifier` over AllenNLP's pretrained embedders: a word that is removed is really gone, and
gradients are those of the pieces. All against AllenNLP's own embedders, text by text.
"""

from itertools import product

import numpy
import pytest
import torch
from allennlp.common import cached_transformers
from allennlp.data import Batch

from attention_explain.errors import InputError
from attention_explain.faithfulness.removal import ERASURES, RemovalOutputs
from attention_explain.interpret.interpreter import (
    Attribution,
    Interpreter,
    build_interpreters,
    known_interpreters,
    supported_interpreters,
)
from attention_explain.interpret.text_batch import TextBatch
from tests.pretrained.over_pieces import (
    MATCHED,
    MISMATCHED,
    OURS,
    TEXTS,
    instances,
    logits_of,
    predictor,
)
from tests.tiny_transformers import FAMILIES

KINDS = [MATCHED, MISMATCHED, OURS]
every_kind = pytest.mark.parametrize("kind", KINDS)


def scores(made, config, texts=TEXTS, **options):
    (method,) = build_interpreters([config], made).values()
    found = instances(made._dataset_reader, texts)
    return [
        each["scores"]
        for each in method.saliency_interpret_instances(found, made._model.labels[1], **options)
    ]


def tokens_of(made, texts=TEXTS):
    found = instances(made._dataset_reader, texts)
    return [instance["metadata"].metadata["tokens"] for instance in found]


@pytest.mark.parametrize("family", FAMILIES)
@every_kind
def test_forward_is_allennlp_s_own(folders, family, kind):
    made = predictor(folders[family], kind)
    found = instances(made._dataset_reader)
    for tokens, output in zip(tokens_of(made), made._model.forward_on_instances(found)):
        assert output["tokens"] == tokens and len(output["attention"]) == len(tokens)
        assert output["logits"] == pytest.approx(logits_of(made, tokens).tolist(), abs=1e-9)


@pytest.mark.parametrize("options", [{"sub_token_mode": "first"}, {"last_layer_only": False}])
def test_options_of_the_embedder(folders, options):
    made, plain = (predictor(folders["bert"], **each) for each in (options, {}))
    outputs = made._model.forward_on_instances(instances(made._dataset_reader))
    for tokens, output in zip(tokens_of(made), outputs):
        assert output["logits"] == pytest.approx(logits_of(made, tokens).tolist(), abs=1e-9)
    assert logits_of(made, tokens).tolist() != pytest.approx(logits_of(plain, tokens).tolist())


@pytest.mark.parametrize("family", ["bert", "roberta"])
@pytest.mark.parametrize("encoder", ["pass_through", "lstm", "affine"])
@every_kind
def test_leaving_a_token_out_is_to_delete_it_from_the_text(folders, family, kind, encoder):
    made = predictor(folders[family], kind, encoder)
    config = {"type": "leave-one-out", "measure": "signed", "of": "logit"}
    for tokens, found in zip(tokens_of(made), scores(made, config, budget=30), strict=True):
        whole = logits_of(made, tokens)[1]
        without = [logits_of(made, tokens[:i] + tokens[i + 1 :])[1] for i in range(len(tokens))]
        assert found == pytest.approx([(whole - each).item() for each in without], abs=1e-8)
        # Its vector alone is not the token.
        assert len(tokens) == 1 or numpy.ptp(found) > 1e-3


@every_kind
def test_sets_of_tokens_are_texts_of_their_own(folders, kind):
    made = predictor(folders["bert"], kind, "lstm")
    model, reader = made._model, made._dataset_reader
    batch = TextBatch.of(model, instances(reader), budget=40)
    with torch.no_grad():
        erasure = ERASURES.build(["delete"])["delete"]
        outputs = RemovalOutputs(model, batch, model.embed(batch.tokens), erasure)
        # Of a longer text all sets of its first tokens.
        asked = []
        for tokens in tokens_of(made):
            sets = numpy.array(list(product([False, True], repeat=min(len(tokens), 5))))
            asked.append(numpy.pad(sets, ((0, 0), (0, len(tokens) - sets.shape[1]))))
        found = outputs(asked)
    for tokens, sets, probs in zip(tokens_of(made), asked, found, strict=True):
        for kept, values in zip(sets, probs, strict=True):
            own = logits_of(made, [token for token, stays in zip(tokens, kept) if stays])
            assert values.tolist() == pytest.approx(own.softmax(-1).tolist(), abs=1e-9)


def test_pieces_that_are_left_are_those_of_the_text_without_the_word(folders):
    """So that what is true of sets of pieces is true of words."""
    made = predictor(folders["bert"], MATCHED)
    whole, shorter = tokens_of(made, ["the acting was superb", "the was superb"])
    assert whole == ["the", "act", "##ing", "was", "super", "##b"]
    assert whole[:1] + whole[3:] == shorter


def replaced_by(made, tokens, gone, symbol):
    """The logits with the ids of a symbol in the positions of some tokens. Shape: (labels,)"""
    model = made._model
    group = Batch(instances(made._dataset_reader, [tokens], ["1"]))
    group.index_instances(model.vocab)
    tensors = group.as_tensor_dict()
    pieces = tensors["tokens"]["pieces"]
    tokenizer = cached_transformers.get_tokenizer(model.pieces.embedder.config._name_or_path)
    number = getattr(tokenizer, f"{symbol}_token_id")
    for token in gone:
        if "offsets" in pieces:
            first, last = pieces["offsets"][0, token].tolist()
        else:
            first = last = token + 1
        pieces["token_ids"][0, first : last + 1] = number
    with torch.no_grad():
        return model(**tensors)["logits"][0]


# RoBERTa gives the symbol of padding no position, where it sees one.
@pytest.mark.parametrize("family, symbol", [("bert", "pad"), ("bert", "unk"), ("roberta", "unk")])
@every_kind
def test_occlusion_puts_a_symbol_instead_of_every_piece(folders, family, kind, symbol):
    made = predictor(folders[family], kind)
    config = {"type": "occlusion", "baseline": symbol, "of": "logit"}
    for tokens, found in zip(tokens_of(made), scores(made, config, budget=30), strict=True):
        whole = logits_of(made, tokens)[1]
        others = [replaced_by(made, tokens, [i], symbol)[1] for i in range(len(tokens))]
        assert found == pytest.approx([(whole - each).item() for each in others], abs=1e-8)


@every_kind
def test_erasures_replace_all_pieces_of_a_set(folders, kind):
    made = predictor(folders["bert"], kind)
    model = made._model
    batch = TextBatch.of(model, instances(made._dataset_reader))
    kept = [numpy.arange(len(tokens)) % 2 == 0 for tokens in tokens_of(made)]
    for name in ("unk", "mask"):
        erasure = ERASURES.build([name])[name]
        erasure.check(model)
        with torch.no_grad():
            outputs = RemovalOutputs(model, batch, model.embed(batch.tokens), erasure)
            found = outputs([sets[None] for sets in kept])
        for tokens, sets, probs in zip(tokens_of(made), kept, found, strict=True):
            own = replaced_by(made, tokens, numpy.flatnonzero(~sets), name).softmax(-1)
            assert probs[0].tolist() == pytest.approx(own.tolist(), abs=1e-9)


@every_kind
def test_shapley_values_are_those_of_the_game_of_really_replaced_tokens(folders, kind):
    made = predictor(folders["bert"], kind)
    texts = TEXTS[1:3]
    found = scores(made, {"type": "kernel-shap", "baseline": "unk", "of": "logit"}, texts)
    for tokens, values in zip(tokens_of(made, texts), found, strict=True):
        n = len(tokens)
        worth = {
            gone: replaced_by(made, tokens, gone, "unk")[1].item()
            for gone in (tuple(numpy.flatnonzero(each)) for each in product([0, 1], repeat=n))
        }
        for token, value in enumerate(values):
            expected = 0.0
            others = [each for each in range(n) if each != token]
            for present in product([0, 1], repeat=n - 1):
                size = sum(present)
                absent = {other for other, there in zip(others, present) if not there}
                share = numpy.prod(range(1, size + 1)) * numpy.prod(range(1, n - size))
                share /= numpy.prod(range(1, n + 1))
                with_it, without = tuple(sorted(absent)), tuple(sorted(absent | {token}))
                expected += share * (worth[with_it] - worth[without])
            assert value == pytest.approx(expected, abs=1e-8)


def piece_gradients(made, tokens):
    """
    Of the logit, where AllenNLP's own forward looks pieces up. Shape: (positions, dim) twice, and the
    token of each position.
    """
    model = made._model
    group = Batch(instances(made._dataset_reader, [tokens], ["1"]))
    group.index_instances(model.vocab)
    tensors = group.as_tensor_dict()
    seen = []

    def keep(module, inputs, output):
        seen.append(output.detach().requires_grad_())
        return seen[0]

    hook = model.pieces.embedder.transformer_model.get_input_embeddings().register_forward_hook(
        keep
    )
    try:
        vectors = model.text_field_embedder(tensors["tokens"])
    finally:
        hook.remove()
    mask = tensors["tokens"]["pieces"]["mask"]
    states = model.encoder(vectors, mask)
    weights = model.attention(states, tensors.get("attendable", mask))
    logits = model.decoder((weights.unsqueeze(-1) * states).sum(dim=1))
    (gradient,) = torch.autograd.grad(logits[0, 1], seen[0])
    owners = [-1] * seen[0].size(1)
    for token in range(len(tokens)):
        first = last = token + 1
        if "offsets" in tensors["tokens"]["pieces"]:
            first, last = tensors["tokens"]["pieces"]["offsets"][0, token].tolist()
        owners[first : last + 1] = [token] * (last + 1 - first)
    return seen[0][0].detach(), gradient[0], owners


@pytest.mark.parametrize("family", FAMILIES)
@every_kind
def test_gradients_are_taken_at_the_pieces(folders, family, kind):
    made = predictor(folders[family], kind, "lstm")
    norms, products = (
        scores(made, {"type": name, "of": "logit"}) for name in ("gradient", "gradient-x-input")
    )
    for tokens, largest, sums in zip(tokens_of(made), norms, products, strict=True):
        embeddings, gradient, owners = piece_gradients(made, tokens)
        for token in range(len(tokens)):
            own = [position for position, owner in enumerate(owners) if owner == token]
            assert largest[token] == pytest.approx(max(gradient[own].norm(dim=-1)).item())
            assert sums[token] == pytest.approx((gradient * embeddings)[own].sum().item(), abs=1e-9)


def test_the_share_of_special_symbols_is_told(folders):
    made = predictor(folders["bert"])
    (method,) = build_interpreters([{"type": "gradient", "of": "logit"}], made).values()
    found = method.saliency_interpret_instances(
        instances(made._dataset_reader), made._model.labels[1]
    )
    for tokens, each in zip(tokens_of(made), found, strict=True):
        _, gradient, owners = piece_gradients(made, tokens)
        sizes = gradient.norm(dim=-1)
        special = sum(size for size, owner in zip(sizes, owners) if owner == -1)
        assert each["special_share"] == pytest.approx((special / sizes.sum()).item())


def test_integrated_gradients_of_words_sum_to_the_difference(folders):
    made = predictor(folders["distilbert"])
    config = {"type": "integrated-gradients", "of": "logit", "tolerance": 0.001, "baseline": "unk"}
    for tokens, values in zip(tokens_of(made), scores(made, config), strict=True):
        whole = logits_of(made, tokens)[1]
        nothing = replaced_by(made, tokens, range(len(tokens)), "unk")[1]
        assert sum(values) == pytest.approx((whole - nothing).item(), abs=1e-2)


LOOKS_INSIDE = {
    "alti",
    "attn-lrp",
    "decompx",
    "value-zeroing",
    "attention-flow",
    "attention-rollout",
    "deeplift",
    "lrp",
    "value-weighted-attention",
}


@every_kind
def test_each_method_explains_every_word_or_says_why_not(folders, kind):
    made = predictor(folders["bert"], kind)
    names = known_interpreters()
    supported, left_out = supported_interpreters(names, made._model, made._dataset_reader)
    assert set(left_out) == LOOKS_INSIDE & set(names)
    assert all("pretrained transformer" in reason for reason in left_out.values())
    texts = TEXTS[:2]
    for name in supported:
        options = {"samples": 6} if name in ("lime", "smoothgrad", "gradient-shap") else {}
        together = scores(made, {"type": name, **options}, texts)
        for number, tokens in enumerate(tokens_of(made, texts)):
            assert len(together[number]) == len(tokens) and numpy.isfinite(together[number]).all()
        # A text has the scores that it has alone: the second is shorter, and was padded.
        batch = instances(made._dataset_reader, texts)[1:]
        (method,) = build_interpreters([{"type": name, **options}], made).values()
        (alone,) = method.saliency_interpret_instances(batch, made._model.labels[1])
        assert together[1] == pytest.approx(alone["scores"], abs=1e-8)


def test_a_text_in_parts_is_not_taken_apart(folders):
    """With `max_length` AllenNLP reads long texts in parts: no part of it is ours."""
    made = predictor(folders["bert"], MISMATCHED, max_length=10)
    assert made._model.pieces is None
    with pytest.raises(InputError, match="may know of the other tokens"):
        build_interpreters(["leave-one-out"], made)
    build_interpreters(["attention", {"type": "gradient", "at": "hidden"}], made)


def test_a_text_that_is_too_long_is_named(folders):
    made = predictor(folders["bert"], MISMATCHED)
    with pytest.raises(InputError, match="a text has 26 pieces, but the model reads 24"):
        scores(made, "attention", [" ".join(["film"] * 24)])


class NormOfPieces(Interpreter):
    signed = False

    def attribute(self, batch, target):
        return Attribution(self.model.embed(batch.tokens).norm(dim=-1))


def test_a_method_of_pieces_must_say_what_becomes_of_them(folders):
    made = predictor(folders["bert"])
    method, found = NormOfPieces(made), instances(made._dataset_reader)
    with pytest.raises(
        InputError, match="NormOfPieces gives .* scores where .* are due, .* pieces = 'sum'"
    ):
        method.saliency_interpret_instances(found)
    method.pieces = "max"
    assert len(method.saliency_interpret_instances(found)[0]["scores"]) == 4
