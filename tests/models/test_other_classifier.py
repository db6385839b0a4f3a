"""Models that are not this project's: what they say of changed texts, and which are rejected."""

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.common.util import prepare_environment
from allennlp.data import Vocabulary
from allennlp.models import Model, archive_model
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import Embedding

from attention_explain import explain
from attention_explain.errors import InputError
from attention_explain.faithfulness.removal import ERASURES, RemovalOutputs
from attention_explain.interpret.interpreter import known_interpreters, supported_interpreters
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models.explainable import OtherClassifier, explainable
from tests.builders import DIM, TEXTS, batch, instances, model, params, reader, vocabulary
from tests.interpret.no_trace import interpreter

LSTM = {"type": "lstm", "input_size": DIM, "hidden_size": 4, "bidirectional": True}
CONFIG = {
    "type": "basic_classifier",
    "text_field_embedder": {
        "token_embedders": {"tokens": {"type": "embedding", "embedding_dim": DIM}}
    },
    "seq2vec_encoder": LSTM,
}
METHODS = {
    "gradient",
    "gradient-shap",
    "gradient-x-input",
    "integrated-gradients",
    "kernel-shap",
    "leave-one-out",
    "lime",
    "occlusion",
    "random",
    "smoothgrad",
}


def basic(**options) -> Model:
    prepare_environment(Params({}))
    made = Model.from_params(params({**CONFIG, **options}), vocab=vocabulary())
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(2.0)
    return made.double().eval()


def probabilities(made, words):
    text_reader = reader()
    instance = text_reader.text_to_instance(tokens=words)
    text_reader.apply_token_indexers(instance)
    return made(tokens=batch(made.vocab, [instance])["tokens"])["probs"][0].tolist()


def test_our_own_models_are_what_they_were():
    made = model()
    assert explainable(made) is made


def test_methods_that_need_nothing_of_the_inside():
    names, left_out = supported_interpreters(known_interpreters(), explainable(basic()), reader())
    assert set(names) == METHODS
    assert "which a BasicClassifier has not" in left_out["attention"]


@torch.no_grad()
@pytest.mark.parametrize("encoder", [LSTM, {"type": "boe", "embedding_dim": DIM, "averaged": True}])
def test_leave_one_out_is_really_deleting_the_word(encoder):
    made = basic(seq2vec_encoder=encoder)
    method = interpreter("leave-one-out", explainable(made), measure="signed")
    texts = [text for text in TEXTS if " " in text]
    found = method.saliency_interpret_instances(instances(texts, None), target="1")
    position_of = made.vocab.get_token_index("1", "labels")
    for text, result in zip(texts, found, strict=True):
        words = text.split()
        whole = probabilities(made, words)[position_of]
        for position, score in enumerate(result["scores"]):
            without = probabilities(made, words[:position] + words[position + 1 :])[position_of]
            assert score == pytest.approx(whole - without, abs=1e-9)


@torch.no_grad()
def test_a_text_of_nothing_is_one_embedding_of_zeros():
    made = basic()
    (delete,) = ERASURES.build(["delete"]).values()
    wrapped = explainable(made)
    read = TextBatch.of(wrapped, instances(["fine"], None))
    outputs = RemovalOutputs(wrapped, read, wrapped.embed(read.tokens), delete)
    (found,) = outputs([numpy.zeros((1, 1), dtype=bool)])
    made._text_field_embedder.token_embedder_tokens.weight.zero_()
    assert found[0].tolist() == pytest.approx(probabilities(made, ["fine"]), abs=1e-9)


def test_nothing_stays_of_the_embeddings_that_were_given():
    made = basic()
    wrapped = explainable(made)
    before = probabilities(made, TEXTS[0].split())
    read = TextBatch.of(wrapped, instances(TEXTS, None))
    wrapped.logits(torch.zeros_like(wrapped.embed(read.tokens)), read.inputs)
    assert "forward" not in vars(made._text_field_embedder)
    assert probabilities(made, TEXTS[0].split()) == before


class OnlyProbabilities(Model):
    """Of the mean of a text's embeddings."""

    def __init__(self, vocab):
        super().__init__(vocab)
        embedding = Embedding(embedding_dim=2, num_embeddings=vocab.get_vocab_size())
        self.embedder = BasicTextFieldEmbedder({"tokens": embedding})

    def forward(self, tokens, label=None):
        return {"probs": self.embedder(tokens).mean(dim=1).softmax(dim=-1)}


def test_probabilities_are_enough():
    made = OnlyProbabilities(vocabulary())
    wrapped = explainable(made)
    read = TextBatch.of(wrapped, instances(TEXTS[:1], None))
    logits = wrapped.logits(wrapped.embed(read.tokens), read.inputs)
    torch.testing.assert_close(logits.softmax(-1), made(read.tokens)["probs"])


class NeedsMore(OnlyProbabilities):
    def forward(self, tokens, more):
        return {}


class TakesText(OnlyProbabilities):
    def forward(self, text):
        return {}


class SaysNothing(OnlyProbabilities):
    def forward(self, tokens):
        return {"loss": torch.zeros(())}


class HasNoEmbedder(OnlyProbabilities):
    def __init__(self, vocab):
        super().__init__(vocab)
        del self.embedder


@pytest.mark.parametrize(
    "kind, reason",
    [
        (NeedsMore, "its forward needs 'more' besides 'tokens'"),
        (TakesText, "its forward takes no 'tokens'"),
        (HasNoEmbedder, "it has 0 text field embedders, and not one"),
    ],
)
def test_models_that_cannot_be_seen_from_outside(kind, reason):
    with pytest.raises(InputError, match=f"a {kind.__name__} cannot be explained: {reason}"):
        OtherClassifier(kind(vocabulary()))


def test_a_model_without_labels_and_one_that_says_nothing():
    with pytest.raises(InputError, match="its vocabulary has no labels"):
        OtherClassifier(OnlyProbabilities(Vocabulary()))
    wrapped = OtherClassifier(SaysNothing(vocabulary()))
    read = TextBatch.of(wrapped, instances(TEXTS[:1], None))
    with pytest.raises(InputError, match="gives neither 'logits' nor 'probs'"):
        wrapped.logits(wrapped.embed(read.tokens), read.inputs)


def test_an_archive_of_a_basic_classifier_is_explained(tmp_path):
    made = basic().float()
    config = {
        "model": CONFIG,
        "dataset_reader": {"type": "text_classification_json", "tokenizer": "just_spaces"},
    }
    Params(config).to_file(str(tmp_path / "config.json"))
    made.vocab.save_to_files(str(tmp_path / "vocabulary"))
    torch.save(made.state_dict(), tmp_path / "best.th")
    explained = explain(archive_model(tmp_path), TEXTS[0], methods=["leave-one-out", "gradient"])
    assert explained.attention is None
    assert explained.tokens == TEXTS[0].split()
    assert explained.probs == pytest.approx(probabilities(made, TEXTS[0].split()), abs=1e-6)
    assert explained.verdict().methods.keys() == {"leave-one-out", "gradient"}


def test_a_model_in_memory_is_explained_too():
    explained = explain(basic(), TEXTS[0], methods=["gradient"], dataset_reader=reader())
    assert explained.verdict().methods.keys() == {"gradient"}
