"""
The sizes that the papers report, reached by the readers' own options on the published corpora.
Skipped where the corpora are not.
"""

import gzip
import json

import pytest
from allennlp.common import Params
from allennlp.data import Vocabulary

SPLITS = {
    "sst/jw_preprocessed": {"min_tokens": 6, "drop_longest": True},
    "imdb/jw_split": {"min_tokens": 7, "max_tokens": 398},
    "20news_sports/jw_split": {"min_tokens": 7, "max_tokens": 499},
    "agnews_world_business": {"drop_shortest": True, "drop_longest": True},
}


@pytest.mark.parametrize(
    "corpus, split, size",
    [
        ("sst/jw_preprocessed", "train", 6355),
        ("sst/jw_preprocessed", "dev", 821),
        ("sst/jw_preprocessed", "test", 1725),
        ("20news_sports/jw_split", "train", 1145),
        ("20news_sports/jw_split", "dev", 278),
        ("20news_sports/jw_split", "test", 357),
        # One shortest and one longest text fewer than the files have.
        ("agnews_world_business", "train", 11255 - 2),
        ("agnews_world_business", "dev", 1295 - 2),
        ("agnews_world_business", "test", 3800 - 2),
        ("imdb/jw_split", "train", 17200),
        ("imdb/jw_split", "dev", 4297),
        ("imdb/jw_split", "test", 4356),
    ],
)
def test_the_length_limits_give_the_published_sizes(published, make_reader, corpus, split, size):
    reader = make_reader(**SPLITS[corpus])
    path = published / corpus / f"{split}.jsonl.gz"
    assert sum(1 for _ in reader.read(str(path))) == size


@pytest.mark.parametrize(
    "corpus, min_df, size",
    [
        ("sst/jw_preprocessed", 1, 13826),
        ("20news_sports/jw_split", 2, 6517),
        pytest.param("imdb/jw_split", 10, 12487, marks=pytest.mark.slow),
    ],
)
def test_document_frequencies_over_the_unfiltered_file_give_the_published_vocabulary(
    published, read, corpus, min_df, size
):
    train = str(published / corpus / "train.jsonl.gz")
    # The limits hold for the instances, and must not matter for the words.
    few = read(train, boundary_symbols=True, max_instances=10, **SPLITS[corpus])
    vocabulary = Vocabulary.from_params(
        Params(
            {
                "type": "document_frequency",
                "min_df": min_df,
                "reader": {
                    "type": "attention_text",
                    "tokenizer": {"type": "just_spaces"},
                    "boundary_symbols": True,
                },
                "data_path": train,
            }
        ),
        instances=few,
    )
    assert vocabulary.get_vocab_size() == size


@pytest.mark.parametrize("split, size", [("train", 6920), ("dev", 872), ("test", 1821)])
def test_binary_trees_give_the_published_sizes(published, make_reader, split, size):
    reader = make_reader("sst_trees")
    path = published / "sst" / "trees" / f"{split}.txt.gz"
    assert sum(1 for _ in reader.read(str(path))) == size


def test_the_official_ag_news_test_file_gives_the_published_texts(published, read):
    folder = published / "agnews_world_business"
    instances = read(
        str(folder / "original" / "ag_news_csv_test.csv.gz"),
        type="ag_news_csv",
        tokenizer={"type": "english"},
        classes=["World", "Business"],
        keep_backslashes=True,
        lowercase=True,
        digit_word="qqq",
    )
    with gzip.open(folder / "test.jsonl.gz", "rt", encoding="utf-8") as lines:
        # Ids there count the rows of the official file from 0.
        rows = {int(row["id"].split("-")[1]): row for row in map(json.loads, lines)}
    texts = {
        int(instance["metadata"]["id"].split("-")[1]) - 1: (
            " ".join(instance["metadata"]["tokens"]),
            instance["label"].label,
        )
        for instance in instances
    }
    assert len(instances) == 3800
    assert texts == {number: (row["text"], str(row["label"])) for number, row in rows.items()}
