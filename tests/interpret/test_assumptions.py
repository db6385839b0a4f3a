"""Models of which an explanation would silently be wrong are rejected, and their other methods are not."""

import pytest
import torch
from allennlp.common import Params
from allennlp.modules import TextFieldEmbedder, TokenEmbedder
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import Embedding

from attention_explain import explain
from attention_explain.counterfactual.perturbation import Perturber
from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import (
    known_interpreters,
    supported_interpreters,
    target_classes,
)
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models.classifier import contextual_part
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.builders import DIM, TEXTS, instances, model, reader, vocabulary
from tests.interpret.no_trace import interpreter
from tests.interpret.test_lrp import model_with


class MixedEmbedding(Embedding):
    """Every vector has the mean of all others in it."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        vectors = super().forward(tokens)
        return vectors + 3 * vectors.mean(dim=1, keepdim=True)


class PlainRelative(Embedding):
    """A forward of its own, but no context, which it says."""

    context_free = True

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return 2 * super().forward(tokens)


def embedded_by(embedder: torch.nn.Module, encoder: str = "bilstm"):
    classifier = model(encoder)
    classifier.text_field_embedder = BasicTextFieldEmbedder({"tokens": embedder})
    return classifier.eval()


def mixed(encoder: str = "bilstm"):
    return embedded_by(MixedEmbedding(DIM, num_embeddings=vocabulary().get_vocab_size()), encoder)


STATES_OR_WEIGHTS = {
    "attention": {},
    "random": {},
    "gradient": {"at": "hidden"},
    "leave-one-out": {"at": "hidden"},
    "occlusion": {"at": "hidden"},
    "signed-attention": {},
    "attention-x-gradient": {},
}


@pytest.mark.parametrize("name", known_interpreters())
def test_a_contextual_vector_is_not_taken_for_its_token(name):
    # The methods of a Transformer's layers want one.
    classifier = mixed("transformer")
    # Some need no option for that.
    if STATES_OR_WEIGHTS.get(name) != {}:
        with pytest.raises(InputError, match="model's MixedEmbedding that vector may know"):
            interpreter(name, classifier)
    if name in STATES_OR_WEIGHTS:
        method = interpreter(name, classifier, **STATES_OR_WEIGHTS[name])
        assert len(method.saliency_interpret_instances(instances())) == len(TEXTS)


def test_why_removing_such_a_vector_does_not_remove_the_token():
    """What leave-one-out would have said, and what a text that is really shorter says."""
    classifier = mixed().double()
    whole = TextBatch.of(classifier, instances(TEXTS[1:2]))
    target = target_classes(classifier, "1", whole)
    words = TEXTS[1].split()
    really, silently = [], []
    with torch.no_grad():
        vectors = classifier.embed(whole.tokens)
        for position in range(len(words)):
            kept = [token for token in range(len(words)) if token != position]
            shorter = TextBatch.of(classifier, instances([" ".join(words[i] for i in kept)]))
            for batch, embeddings, scores in (
                (shorter, classifier.embed(shorter.tokens), really),
                (shorter, vectors[:, kept], silently),
            ):
                logits = classifier.logits(embeddings, TextInputs(batch.mask, batch.mask))
                scores.append(logits.gather(1, target.unsqueeze(1)).item())
    assert max(abs(one - other) for one, other in zip(really, silently, strict=True)) > 0.01


@pytest.mark.parametrize(
    "config",
    [
        {"type": "embedding", "embedding_dim": DIM, "projection_dim": 4},
        {"type": "word_vectors", "embedding_dim": DIM},
        {
            "type": "character_encoding",
            "embedding": {"embedding_dim": 3, "num_embeddings": 9},
            "encoder": {"type": "cnn", "embedding_dim": 3, "num_filters": 2},
        },
        {"type": "empty"},
    ],
)
def test_embedders_of_single_tokens_are_known(config):
    params = Params({"token_embedders": {"tokens": config}})
    embedder = TextFieldEmbedder.from_params(params, vocab=vocabulary())
    assert contextual_part(embedder) is None


def test_an_embedder_may_say_that_it_sees_no_context():
    embedder = PlainRelative(DIM, num_embeddings=50)
    assert contextual_part(BasicTextFieldEmbedder({"tokens": embedder})) is None
    interpreter("leave-one-out", embedded_by(embedder))


def test_one_contextual_embedder_among_others_is_found():
    unknown = TokenEmbedder.by_name("pass_through")(3)
    pair = BasicTextFieldEmbedder({"words": Embedding(2, num_embeddings=9), "others": unknown})
    assert contextual_part(pair) is unknown


class OtherTextFieldEmbedder(BasicTextFieldEmbedder):
    """What it does with the vectors of its parts, nobody knows."""


def test_an_unknown_text_field_embedder_is_rejected():
    unknown = OtherTextFieldEmbedder({"tokens": Embedding(DIM, num_embeddings=9)})
    assert contextual_part(unknown) is unknown


def test_predictions_and_default_explanations_of_such_a_model_can_be_had(caplog):
    predictor = SaliencyPredictor(mixed(), reader())
    assert list(predictor.interpreters) == ["attention"]
    assert "left out: interpreter 'gradient-x-input': it takes the vector" in caplog.text
    assert len(predictor.predict_json({"text": TEXTS[0]})["saliency"]["attention"]) == 3
    assert list(explain(mixed(), TEXTS[0], dataset_reader=reader()).scores) == ["attention"]


def stateful():
    encoder = {"type": "lstm", "input_size": DIM, "hidden_size": 4, "stateful": True}
    return model_with({"type": "compose", "encoders": [encoder]})


def test_a_stateful_encoder_is_rejected_by_all():
    sentence = "LstmSeq2SeqEncoder is stateful: it reads a text in the light of those before it"
    for name in ("attention", "leave-one-out", "random"):
        with pytest.raises(InputError, match=sentence):
            interpreter(name, stateful())
    with pytest.raises(InputError, match=sentence):
        Perturber(stateful(), {})
    with pytest.raises(InputError, match=sentence):
        supported_interpreters(["attention", "random"], stateful(), reader())


def test_methods_without_rules_for_an_encoder_are_left_out_of_a_default_list():
    gru = model_with({"type": "gru", "input_size": DIM, "hidden_size": 4})
    names = ["attention", "lrp", "leave-one-out", "attention-rollout"]
    supported, left_out = supported_interpreters(names, gru, reader())
    assert supported == ["attention", "leave-one-out"]
    assert list(left_out) == ["lrp", "attention-rollout"]
    assert "encoder is a GruSeq2SeqEncoder" in left_out["lrp"]
