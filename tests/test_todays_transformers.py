"""What AllenNLP needs of transformers 4, with whichever version is installed."""

import json
import shutil
import subprocess
import sys

import pytest
import torch
import transformers
from allennlp.common import Params, cached_transformers, push_to_hf
from allennlp.data import Token, TokenIndexer, Vocabulary
from allennlp.training.optimizers import HuggingfaceAdamWOptimizer
from safetensors.torch import load_file, save_file
from transformers import BertModel

from attention_explain.archives import open_archive
from attention_explain.errors import InputError
from attention_explain.pretrained.pieces import PieceIndexer
from tests.tiny_bert import save_tiny_bert
from tests.tiny_transformers import changed_config, save_tiny_transformer


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return save_tiny_bert(tmp_path_factory.mktemp("bert") / "tiny")


SYMBOLS = [f"{name}_token" for name in ("bos", "cls", "eos", "mask", "pad", "sep", "unk")]


def as_saved_by_4(folder):
    """With the fields and files that transformers 4 writes, and only them."""
    changed_config(
        folder,
        dtype=None,
        torch_dtype="float32",
        position_embedding_type="absolute",
        transformers_version="4.49.0",
    )
    stated = json.loads((folder / "tokenizer_config.json").read_text())
    symbols = {name: stated[name] for name in SYMBOLS if stated.get(name) is not None}
    (folder / "special_tokens_map.json").write_text(json.dumps(symbols))
    added = json.loads((folder / "tokenizer.json").read_text())["added_tokens"]
    stated.pop("backend", None)
    stated |= {
        "added_tokens_decoder": {token.pop("id"): token for token in added},
        "clean_up_tokenization_spaces": True,
        "extra_special_tokens": {},
    }
    if stated["tokenizer_class"] == "TokenizersBackend":
        stated["tokenizer_class"] = "PreTrainedTokenizer"
    (folder / "tokenizer_config.json").write_text(json.dumps(stated))


def as_saved_by_5(folder):
    changed_config(
        folder,
        dtype="float32",
        torch_dtype=None,
        position_embedding_type=None,
        transformers_version="5.23.0",
        add_cross_attention=False,
        is_decoder=False,
        tie_word_embeddings=True,
    )
    (folder / "special_tokens_map.json").unlink(missing_ok=True)
    stated = json.loads((folder / "tokenizer_config.json").read_text())
    for name in ("added_tokens_decoder", "clean_up_tokenization_spaces", "extra_special_tokens"):
        stated.pop(name, None)
    if stated["tokenizer_class"] == "PreTrainedTokenizer":
        stated["tokenizer_class"] = "TokenizersBackend"
    (folder / "tokenizer_config.json").write_text(json.dumps({**stated, "backend": "tokenizers"}))


@pytest.mark.parametrize("changed", [as_saved_by_4, as_saved_by_5])
@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta", "gpt2"])
def test_folders_of_either_version_are_read_alike(family, changed, tmp_path):
    own = save_tiny_transformer(tmp_path / "own", family)
    other = shutil.copytree(own, tmp_path / "other")
    changed(other)
    probs, of_words = [], []
    for folder in (own, other):
        archive = open_archive(folder)
        instance = archive.dataset_reader.text_to_instance(
            text="The acting was superb, a fine film"
        )
        archive.dataset_reader.apply_token_indexers(instance)
        probs.append(archive.model.eval().forward_on_instance(instance)["probs"])
        of_words.append(PieceIndexer(str(folder)).pieces(["film", "fine,", "film"]))
    assert list(probs[0]) == list(probs[1])
    assert of_words[0] == of_words[1]


@pytest.mark.parametrize("family", ["bert", "roberta", "electra"])
def test_relative_positions_are_computed_or_rejected(family, tmp_path):
    """What transformers 5 does not know would be left out without a word."""
    folder = save_tiny_transformer(tmp_path / family, family)
    changed_config(folder, position_embedding_type="relative_key")
    file = folder / "model.safetensors"
    weights = load_file(file)
    of_first, of_last = (
        f"{family}.encoder.layer.{layer}.attention.self.distance_embedding.weight"
        for layer in (0, 1)
    )
    weights[of_first], weights[of_last] = torch.randn(2, 2 * 24 - 1, 4)
    save_file(weights, file, {"format": "pt"})
    if transformers.__version__.startswith("4."):
        loaded = dict(open_archive(folder).model.transformer.named_parameters())
        torch.testing.assert_close(loaded[of_first].data, weights[of_first])
        return
    with pytest.raises(InputError, match="is 'relative_key', which transformers 5.* install"):
        open_archive(folder)
    with pytest.raises(InputError, match="relative_key"):
        cached_transformers.get(str(folder), make_copy=True)


@pytest.mark.parametrize("correct_bias", [True, False])
def test_adamw_is_that_of_transformers_4(correct_bias):
    weight = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    options = {"lr": 0.1, "weight_decay": 0.2, "eps": 0.01, "correct_bias": correct_bias}
    optimizer = HuggingfaceAdamWOptimizer([("weight", weight)], **options)
    expected, mean, square = weight.detach().clone(), torch.zeros(2), torch.zeros(2)
    for step, gradient in enumerate(torch.tensor([[0.5, 1.0], [-2.0, 0.3], [0.1, 0.0]]), start=1):
        weight.grad = gradient.clone()
        optimizer.step()
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        size = 0.1
        if correct_bias:
            size *= (1 - 0.999**step) ** 0.5 / (1 - 0.9**step)
        expected = expected - size * mean / (square.sqrt() + 0.01)
        expected = expected * (1 - 0.1 * 0.2)
        torch.testing.assert_close(weight.detach(), expected)


def test_allennlp_can_be_imported_after_this_package():
    code = "import attention_explain, allennlp.training.optimizers"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_reinitialized_layers_are_new(bert):
    old = cached_transformers.get(bert, make_copy=True)
    new = cached_transformers.get(bert, make_copy=True, reinit_modules=1)
    first, last = (
        torch.equal(
            old.encoder.layer[number].output.dense.weight,
            new.encoder.layer[number].output.dense.weight,
        )
        for number in (0, 1)
    )
    assert first and not last


def test_weights_saved_in_half_precision_are_loaded_in_full(bert, tmp_path):
    BertModel.from_pretrained(bert).half().save_pretrained(tmp_path)
    assert cached_transformers.get(str(tmp_path), make_copy=True).dtype == torch.float32


def test_long_texts_are_folded_with_special_tokens(bert):
    config = {"type": "pretrained_transformer_mismatched", "model_name": bert, "max_length": 4}
    indexer = TokenIndexer.from_params(Params(config))
    words = [Token(word) for word in ("a", "dull", "film")]
    indexed = indexer.tokens_to_indices(words, Vocabulary())
    first, last = indexed["token_ids"][0], indexed["token_ids"][-1]
    assert indexed["token_ids"].count(first) == indexed["token_ids"].count(last) == 2
    assert indexed["segment_concat_mask"] == [True] * 7


def test_uploads_say_what_to_use_instead():
    with pytest.raises(InputError, match="hf upload"):
        push_to_hf("name", serialization_dir=".")
