"""A folder predicts what the pipeline of transformers predicts, however a text is written and split."""

import json
import logging
import random
import string
from collections import Counter

import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline

from attention_explain import explain
from attention_explain.archives import open_archive
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.data.any_reader import is_unsplit, warn_once
from attention_explain.data.tokenizers import SPLITS, WrittenWords
from attention_explain.errors import InputError
from attention_explain.files.tables import read_sealed
from attention_explain.predictors.saliency import SaliencyPredictor
from attention_explain.pretrained.pieces import PieceIndexer
from tests import tiny_transformers
from tests.tiny_transformers import FAMILIES, save_tiny_transformer

CHINESE = "这部电影很好\uff0c演员也很棒。"
JAPANESE = "この映画はとても面白かったです"
WORDS = [
    "film",
    "acting",
    "Superb",
    "dull",
    "the",
    "it's",
    "well-made",
    "don\u2019t",
    "naïve",
    "3.5",
    "fin",
]
MARKS = [
    *".,!?;:()\"'-…—",
    "...",
    "?!",
    "\x00",
    "😀",
    "$",
    " , ",
    "\u2019s",
    "</p>",
    CHINESE,
    "[MASK]",
]
SPACES = [" ", " ", " ", "  ", "\n", "\t", "\u00a0", "", "\r\n", " \u200b"]


def written_texts(number):
    chosen = random.Random(11)
    return [
        "".join(
            chosen.choice(SPACES) + chosen.choice(WORDS) + chosen.choice(["", "", *MARKS])
            for _ in range(chosen.randint(1, 12))
        )
        for _ in range(number)
    ]


TEXTS = written_texts(200)


@pytest.fixture(scope="module")
def written_folders(tmp_path_factory):
    """Tokenizers of word pieces that know letters, marks and some Chinese characters."""
    letters = [f"{mark}{letter}" for mark in ("", "##") for letter in string.ascii_lowercase]
    known = [*letters, *string.digits, *string.punctuation, *CHINESE, "…", "—", "\u2019"]
    root = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PIECES", "WORDS"):
            pieces = getattr(tiny_transformers, name)
            new = [piece for piece in dict.fromkeys(known) if piece not in pieces]
            patch.setattr(tiny_transformers, name, [*pieces, *new])
        folders = {
            family: save_tiny_transformer(root / family, family, max_position_embeddings=600)
            for family in FAMILIES
        }
    for folder in folders.values():
        choose_each_label_for_half(folder)
    return folders


@torch.no_grad()
def choose_each_label_for_half(folder):
    """Changes the last bias, so that a model with random weights does not always say the same."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    logits = torch.cat([model(**tokenizer(text, return_tensors="pt")).logits for text in TEXTS])
    last = getattr(model.classifier, "out_proj", model.classifier)
    last.bias[1] -= (logits[:, 1] - logits[:, 0]).median()
    model.save_pretrained(folder)


@pytest.mark.parametrize("family", FAMILIES)
def test_predictions_are_those_of_the_pipeline(written_folders, family, tmp_path):
    folder = written_folders[family]
    data, output = tmp_path / "texts.jsonl", tmp_path / "scores.parquet"
    data.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    attribute_from_file(str(folder), str(data), output, ["random"])
    classify = pipeline("text-classification", model=str(folder), top_k=None)
    decided = set()
    rows = read_sealed(output).to_pylist()
    for row, expected in zip(rows, classify(TEXTS), strict=True):
        probs = {each["label"]: each["score"] for each in expected}
        assert row["probs"] == pytest.approx([probs["neg"], probs["pos"]], abs=1e-5)
        if abs(probs["neg"] - probs["pos"]) > 1e-4:
            assert row["predicted"] == expected[0]["label"]
            decided.add(row["id"])
    assert len(decided) > 190
    assert min(Counter(row["predicted"] for row in rows).values()) > 80


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("family", FAMILIES)
def test_pieces_are_the_same_however_the_text_is_split(written_folders, family, split):
    """Every piece belongs to one word, and every word is written in the text."""
    folder = written_folders[family]
    archive = open_archive(folder, overrides={"dataset_reader.tokenizer.split": split})
    reader = archive.dataset_reader
    tokenizer = AutoTokenizer.from_pretrained(folder)
    for text in TEXTS:
        instance = reader.text_to_instance(text=text)
        reader.apply_token_indexers(instance)
        instance.index_fields(archive.model.vocab)
        read = instance["tokens"]._indexed_tokens["tokens"]
        expected = tokenizer(text)["input_ids"]
        assert read["token_ids"] == expected
        owned = [
            position
            for first, last in read["offsets"]
            if first >= 0
            for position in range(first, last + 1)
        ]
        assert owned == list(range(1, len(expected) - 1))
        words = instance["metadata"].metadata["tokens"]
        # Characters that the pieces do not know may be one piece, across white space.
        if split == "spaces" and family not in ("xlm-roberta", "camembert"):
            assert words == text.split()
        end = 0
        for word in words:
            end = text.index(word, end) + len(word)


def test_first_word_is_read_as_at_the_start_of_a_text(written_folders):
    folder = written_folders["roberta"]
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert tokenizer("film")["input_ids"] != tokenizer(" film")["input_ids"]
    reader = open_archive(folder).dataset_reader
    for given in ({"text": "film, film"}, {"tokens": ["film", ",", "film"]}):
        instance = reader.text_to_instance(**given)
        first, _, last = instance["tokens"].tokens
        assert list(first.pieces) == tokenizer("film", add_special_tokens=False)["input_ids"]
        assert list(last.pieces) == tokenizer(" film", add_special_tokens=False)["input_ids"]


def test_words_that_share_a_piece_are_one_word(written_folders):
    indexer = PieceIndexer(str(written_folders["bert"]), as_written=True)
    ids = indexer._tokenizer("film dull", add_special_tokens=False)["input_ids"]
    assert indexer.read_text("film dull", [(0, 2), (2, 4), (5, 9)]) == (
        [(0, 4), (5, 9)],
        [(ids[0],), (ids[1],)],
    )
    # Given tokens stay as they are.
    assert indexer.read_text("film dull", [(0, 2), (2, 4), (5, 9)], merge=False) == (
        [(0, 2), (2, 4), (5, 9)],
        [(ids[0],), (), (ids[1],)],
    )


@pytest.mark.parametrize(
    "text, words",
    [
        ("The plot is thin, but fine.", ["The", "plot", "is", "thin", ",", "but", "fine", "."]),
        ("it's (well-made)...", ["it's", "(", "well-made", ")..."]),
        ("3.5 of 1,000 at 10:30, $5", ["3.5", "of", "1,000", "at", "10:30", ",", "$", "5"]),
        ("great,but—dull/fine", ["great", ",", "but", "—", "dull", "/", "fine"]),
        ("'tis rock 'n' roll", ["'", "tis", "rock", "'", "n", "'", "roll"]),
        ("हिन्दी में।", ["हिन्दी", "में", "।"]),
        (" \n", []),
    ],
)
def test_punctuation_is_split_off(text, words):
    assert [token.text for token in WrittenWords().tokenize(text)] == words


def test_white_space_alone_can_split(written_folders):
    overrides = {"dataset_reader.tokenizer.split": "spaces"}
    text = "thin, but\nfine."
    explained = explain(written_folders["bert"], text, ["random"], overrides=overrides)
    assert explained.tokens == ["thin,", "but", "fine."]
    assert explain(written_folders["bert"], text, ["random"]).tokens == [
        *("thin", ",", "but", "fine", ".")
    ]


def test_pre_tokenizer_splits_chinese(written_folders):
    overrides = {"dataset_reader.tokenizer.split": "pre_tokenizer"}
    explained = explain(written_folders["bert"], CHINESE, ["random"], overrides=overrides)
    assert explained.tokens == list(CHINESE)
    with pytest.raises(InputError, match="needs the model_name of a folder"):
        WrittenWords("pre_tokenizer")
    with pytest.raises(InputError, match="split"):
        WrittenWords("letters")


@pytest.mark.parametrize(
    "words, unsplit",
    [
        (["film"], True),
        (["film", "!"], True),
        (["?!"], True),
        ([JAPANESE], True),
        (["演员也很棒演员也很棒", "\uff0c", "好"], True),
        (["fine", "film"], False),
        (["演员也很棒", "\uff0c", "这部电影很好", "。"], True),
        (["中华人民共和国", "的", "电影"], False),
        (list(CHINESE), False),
        (["コンピュータ", "は", "速い"], False),
    ],
)
def test_texts_with_nothing_to_rank(words, unsplit):
    assert is_unsplit(words) is unsplit


def test_texts_with_nothing_to_rank_are_counted(written_folders, tmp_path, caplog):
    data = tmp_path / "texts.jsonl"
    texts = [CHINESE, "a fine film", "Superb!"]
    data.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))

    def warnings(**options):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            attribute_from_file(
                str(written_folders["bert"]),
                str(data),
                tmp_path / f"{len(options)}.parquet",
                ["random"],
                **options,
            )
        return [record.getMessage() for record in caplog.records if "rank" in record.message]

    (warning,) = warnings()
    assert "texts.jsonl: 2 of 3 texts" in warning
    assert '{"dataset_reader.tokenizer.split": "pre_tokenizer"}' in warning
    overrides = '{"dataset_reader.tokenizer.split": "pre_tokenizer"}'
    (warning,) = warnings(overrides=overrides)
    assert "1 of 3 texts" in warning
    data.write_text(json.dumps({"text": "a fine film"}))
    assert not warnings(overrides=overrides, force=True)


def test_text_with_nothing_to_rank_is_told_for_predictions_and_from_python(
    written_folders, tmp_path, caplog
):
    warn_once.cache_clear()
    folder = written_folders["bert"]
    archive = open_archive(folder)
    predictor = SaliencyPredictor(archive.model, archive.dataset_reader, interpreters=["random"])
    file = tmp_path / "texts.txt"
    file.write_text(f"{CHINESE}\na fine film\nSuperb!\n")
    with caplog.at_level(logging.WARNING):
        predictor.predict_json(predictor.load_line(CHINESE))
        predictor.check_file(str(file))
        explain(folder, CHINESE, ["random"])
    said = [record.getMessage() for record in caplog.records if "rank" in record.message]
    assert [warning.split(" texts")[0] for warning in said] == [
        *("input: 1 of 1", f"{file}: 2 of 3", "explain: 1 of 1")
    ]
