"""
All that AllenNLP has under the name `pretrained_transformer`, against transformers itself: built from
configs, with a tiny BERT.
"""

import json

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.data import Batch, Instance, Token, TokenIndexer, Tokenizer, Vocabulary
from allennlp.data.fields import TextField
from allennlp.modules import Backbone, Seq2VecEncoder, TokenEmbedder
from transformers import BertModel

from attention_explain.archives import open_archive
from tests.builders import LABELS
from tests.tiny_bert import HIDDEN, PIECES, save_tiny_bert

WORDS = ["the", "acting", "was", "superb"]
TEXT = " ".join(WORDS)
TEXT_PIECES = ["[CLS]", "the", "act", "##ing", "was", "super", "##b", "[SEP]"]
# Of each word the pieces, by their positions in the above.
POSITIONS = [[1], [2, 3], [4], [5, 6]]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return save_tiny_bert(tmp_path_factory.mktemp("bert") / "tiny")


def built(kind, name, bert, **options):
    return kind.from_params(Params({"type": name, "model_name": bert}), **options)


def text_tensors(bert, indexer, tokens):
    field = TextField(tokens, {"bert": built(TokenIndexer, indexer, bert)})
    group = Batch([Instance({"text": field})])
    group.index_instances(Vocabulary())
    return group.as_tensor_dict()["text"]


def vectors_by_transformers(bert):
    """Of each piece of the text. Shape: (pieces, HIDDEN)"""
    ids = torch.tensor([[PIECES.index(piece) for piece in TEXT_PIECES]])
    with torch.no_grad():
        return BertModel.from_pretrained(bert).eval()(ids).last_hidden_state[0]


def test_tokenizer(bert):
    tokenizer = built(Tokenizer, "pretrained_transformer", bert)
    tokens = tokenizer.tokenize(TEXT)
    assert [token.text for token in tokens] == TEXT_PIECES
    assert [token.text_id for token in tokens] == [PIECES.index(piece) for piece in TEXT_PIECES]
    assert [token.text for token in tokenizer.sequence_pair_mid_tokens] == ["[SEP]"]


def test_tokenizer_without_special_tokens(bert):
    config = {
        "type": "pretrained_transformer",
        "model_name": bert,
        "add_special_tokens": False,
        "tokenizer_kwargs": {"do_lower_case": False},
    }
    tokens = Tokenizer.from_params(Params(config)).tokenize(f"The {TEXT}")
    assert [token.text for token in tokens] == ["[UNK]", *TEXT_PIECES[1:-1]]


def test_indexer_and_embedder(bert):
    tokens = built(Tokenizer, "pretrained_transformer", bert).tokenize(TEXT)
    tensors = text_tensors(bert, "pretrained_transformer", tokens)["bert"]
    assert tensors["token_ids"].tolist() == [[PIECES.index(piece) for piece in TEXT_PIECES]]
    embedder = built(TokenEmbedder, "pretrained_transformer", bert).eval()
    torch.testing.assert_close(embedder(**tensors)[0], vectors_by_transformers(bert))


def test_mismatched_indexer_and_embedder(bert):
    name = "pretrained_transformer_mismatched"
    tensors = text_tensors(bert, name, [Token(word) for word in WORDS])["bert"]
    assert tensors["offsets"].tolist() == [
        [[positions[0], positions[-1]] for positions in POSITIONS]
    ]
    embedder = built(TokenEmbedder, name, bert).eval()
    pieces = vectors_by_transformers(bert)
    expected = torch.stack([pieces[positions].mean(dim=0) for positions in POSITIONS])
    torch.testing.assert_close(embedder(**tensors)[0], expected)


def test_backbone(bert):
    tokens = built(Tokenizer, "pretrained_transformer", bert).tokenize(TEXT)
    backbone = built(Backbone, "pretrained_transformer", bert, vocab=Vocabulary()).eval()
    output = backbone(text_tensors(bert, "pretrained_transformer", tokens))
    torch.testing.assert_close(output["encoded_text"][0], vectors_by_transformers(bert))


def test_what_else_takes_the_name_of_a_model(bert):
    vocabulary = Vocabulary.from_params(
        Params({"type": "from_pretrained_transformer", "model_name": bert})
    )
    assert vocabulary.get_token_to_index_vocabulary("tokens")["film"] == PIECES.index("film")
    pooler = Seq2VecEncoder.from_params(Params({"type": "bert_pooler", "pretrained_model": bert}))
    assert pooler(torch.ones(2, 3, HIDDEN)).shape == (2, HIDDEN)


def test_a_classifier_over_bert_is_trained_and_loaded(bert, tmp_path):
    texts = ["a dull film", "the acting was superb", "fine", "the film was dull"]
    lines = [json.dumps({"text": text, "label": label}) for text, label in zip(texts, LABELS)]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines))
    name = {"type": "pretrained_transformer_mismatched", "model_name": bert}
    config = {
        "dataset_reader": {"type": "attention_text", "token_indexers": {"bert": dict(name)}},
        "train_data_path": str(tmp_path / "texts.jsonl"),
        "model": {
            "type": "attention_classifier",
            "text_field_embedder": {"token_embedders": {"bert": dict(name)}},
            "encoder": {"type": "affine", "input_dim": HIDDEN, "hidden_dim": 4},
        },
        "data_loader": {"batch_size": 2},
        "trainer": {"num_epochs": 1, "optimizer": "adam", "cuda_device": -1},
    }
    trained = train_model(Params(config), tmp_path / "run").eval()
    # Its config names the folder of the transformer, which is not in the archive.
    loaded = open_archive(tmp_path / "run" / "model.tar.gz", trust=True)
    made = list(loaded.dataset_reader.read(str(tmp_path / "texts.jsonl")))
    for before, after in zip(
        trained.forward_on_instances(made), loaded.model.forward_on_instances(made)
    ):
        assert before["attention"] == after["attention"] and sum(after["attention"]) > 0.99
