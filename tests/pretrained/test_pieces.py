"""Words become the pieces that the folder's own tokenizer gives for the whole text."""

import json

import pytest
import torch
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.token_indexers import PretrainedTransformerMismatchedIndexer
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from attention_explain.archives import open_archive
from attention_explain.data.attention_text import AttentionTextReader
from attention_explain.data.attribution_scores import Erased
from attention_explain.data.errors import DataError
from attention_explain.errors import InputError
from attention_explain.pretrained.pieces import MASK_TOKEN, PieceIndexer
from tests.tiny_transformers import FAMILIES, LONGEST

TEXTS = ["the Acting was superb, fine", "a dull film", " supersuperb  the-film", "fine \x00 film"]


def instances(archive, texts):
    made = [archive.dataset_reader.text_to_instance(text=text) for text in texts]
    for instance in made:
        archive.dataset_reader.apply_token_indexers(instance)
    return made


@pytest.mark.parametrize("family", FAMILIES)
def test_outputs_are_those_of_transformers_in_any_batch(folders, family):
    archive = open_archive(folders[family])
    tokenizer = AutoTokenizer.from_pretrained(folders[family])
    model = AutoModelForSequenceClassification.from_pretrained(folders[family]).eval()
    together = archive.model.forward_on_instances(instances(archive, TEXTS))
    for text, output in zip(TEXTS, together, strict=True):
        with torch.no_grad():
            expected = model(**tokenizer(text, return_tensors="pt")).logits[0]
        torch.testing.assert_close(torch.tensor(output["logits"]), expected)


def test_offsets_tell_which_pieces_are_of_which_word(folders):
    indexer = PieceIndexer(str(folders["bert"]))
    read = indexer.tokens_to_indices(
        instances(open_archive(folders["bert"]), ["the \x00 Acting was"])[0]["tokens"].tokens, None
    )
    assert read["token_ids"] == [2, 9, 10, 11, 12, 3]
    assert read["offsets"] == [(1, 1), (-1, -1), (2, 3), (4, 4)]
    assert read["mask"] == [True] * 4 and read["wordpiece_mask"] == [True] * 6


def test_a_word_has_the_same_pieces_wherever_it_stands(folders):
    indexer = PieceIndexer(str(folders["roberta"]))
    assert indexer.pieces(["film", "film"])[0] == indexer.pieces(["a", "film"])[1]


@pytest.mark.parametrize("family", ["roberta", "deberta", "gpt2", "qwen2"])
def test_of_bytes_a_word_has_the_pieces_it_has_behind_a_space(folders, family):
    plain = AutoTokenizer.from_pretrained(folders[family])
    expected = tuple(plain("a film", add_special_tokens=False)["input_ids"][1:])
    assert plain.decode(expected) == " film"
    assert PieceIndexer(str(folders[family])).pieces(["film"]) == [expected]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_removed_word_is_the_tokenizers_own_mask(folders, family, tmp_path):
    """And nothing else is changed: as if somebody had written it there."""
    (tmp_path / "texts.jsonl").write_text(json.dumps({"text": "the acting was superb", "id": "a"}))
    indexer = {"type": "transformer_pieces", "model_name": str(folders[family])}
    tokenizer = AutoTokenizer.from_pretrained(folders[family], add_prefix_space=True)

    def read(**options):
        config = {"type": "attention_text", "tokenizer": "just_spaces", "require_label": False}
        config.update(options, token_indexers={"tokens": dict(indexer)})
        reader = DatasetReader.from_params(Params(config))
        (instance,) = reader.read(str(tmp_path / "texts.jsonl"))
        reader.apply_token_indexers(instance)
        return instance

    words = ["the", "acting", "was", "superb"]
    pieces = [tokenizer(word, add_special_tokens=False)["input_ids"] for word in words]
    removed = read(erased={"share": 0.5})
    masked = [word == MASK_TOKEN for word in removed["metadata"].metadata["tokens"]]
    assert sum(masked) == 2
    expected = [
        piece
        for mask, of_word in zip(masked, pieces, strict=True)
        for piece in ([tokenizer.mask_token_id] if mask else of_word)
    ]
    removed.index_fields(Vocabulary())
    ids = removed["tokens"]._indexed_tokens["tokens"]["token_ids"]
    assert ids == [*ids[:1], *expected, *ids[-1:]]
    assert MASK_TOKEN not in read()["metadata"].metadata["tokens"]


def test_where_no_mask_would_be_read_nothing_is_removed(folders, own_folder):
    with pytest.raises(InputError, match="'transformer_pieces' does"):
        AttentionTextReader(
            token_indexers={"tokens": PretrainedTransformerMismatchedIndexer(str(folders["bert"]))},
            erased=Erased(0.5),
        )
    indexer = PieceIndexer(str(own_folder))
    indexer._tokenizer.mask_token = None
    with pytest.raises(InputError, match="words removed .* has no mask to read there"):
        indexer.pieces(["the", MASK_TOKEN])


def test_long_texts_are_cut_to_whole_words_and_counted(folders, tmp_path):
    # Two pieces a word, and two special symbols.
    words = ["acting"] * (LONGEST // 2)
    lines = [
        {"text": " ".join(words[:-1])},
        {"text": " ".join(words)},
        {"text": "a " + " ".join(words)},
    ]
    data = tmp_path / "texts.jsonl"
    data.write_text("\n".join(map(json.dumps, lines)))
    archive = open_archive(folders["bert"])
    reader = archive.dataset_reader
    reader.require_label = False
    read = [instance["metadata"].metadata["tokens"] for instance in reader.read(str(data))]
    assert [len(tokens) for tokens in read] == [11, 11, 11]
    assert read[2][0] == "a"
    assert dict(reader.counts.cut) == {
        f"to whole words of at most {LONGEST} pieces, as the model demands": 2
    }
    made = instances(archive, [each["text"] for each in lines])
    assert len(archive.model.forward_on_instances(made)) == 3


def test_marks_are_cut_with_the_words(folders):
    reader = open_archive(folders["bert"]).dataset_reader
    words = ["acting"] * 20
    made = reader.text_to_instance(tokens=words, rationale=[1] + [0] * 19)
    assert made["metadata"].metadata["rationale"] == [1] + [0] * 10


def test_a_word_that_is_longer_than_the_model_reads(folders):
    reader = open_archive(folders["bert"]).dataset_reader
    with pytest.raises(DataError, match="the first word alone is longer"):
        reader.text_to_instance(text="-".join(["a"] * LONGEST))


def test_fewer_pieces_can_be_asked_for_and_not_more(folders):
    assert PieceIndexer(str(folders["bert"]), max_pieces=5).fitting(["acting", "fine", "a"]) == 2
    for pieces in (2, LONGEST + 1):
        with pytest.raises(InputError, match=f"from 3 to {LONGEST}"):
            PieceIndexer(str(folders["bert"]), max_pieces=pieces)
