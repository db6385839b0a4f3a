"""The most important tokens are masked, step by step, and never others."""

import json

import numpy
import pyarrow
import pyarrow.parquet
import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader

from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.startup.global_options import TRUST_VARIABLE
from attention_explain.data.attribution_scores import Erased
from attention_explain.data.errors import DataError
from attention_explain.errors import InputError
from attention_explain.symbols import MASK_TOKEN
from tests.small_archive import PLANTED, small_archive

M = MASK_TOKEN
TOKENS = ["a", "fine", "film", "it", "is", "not", "bad", "."]
SCORES = [0.1, 0.9, -0.8, 0.3, 0.2, 0.7, -0.1, 0.0]


@pytest.fixture
def scored(tmp_path):
    """Writes an attribution file of texts: id, tokens, scores of `mine`."""

    def write(*texts, name="scores.parquet", **columns):
        rows = [
            {"id": id, "tokens": tokens, "mine": scores, **columns} for id, tokens, scores in texts
        ]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / name)
        return str(tmp_path / name)

    return write


def slow_words(tokens, there, scores, share):
    """From the definition, for scores without ties: one token after the other."""
    words = list(there)
    while words.count(M) < max(1, int(share * len(tokens) + 0.5)):
        left = [position for position, word in enumerate(words) if word != M]
        words[max(left, key=lambda position: scores[position])] = M
    return [M if word == M else token for word, token in zip(words, tokens, strict=True)]


def test_signed_the_highest_scores_go_first_whatever_the_size_of_negative_ones(scored):
    erased = Erased(0.5, "mine", scored(("x", TOKENS, SCORES)), ranking="signed")
    assert erased.words("x", TOKENS) == ["a", M, "film", M, M, M, "bad", "."]


def test_by_size_large_negative_scores_go_as_early_as_positive_ones(scored):
    erased = Erased(0.5, "mine", scored(("x", TOKENS, SCORES)))
    assert erased.words("x", TOKENS) == ["a", M, M, M, "is", M, "bad", "."]


@pytest.mark.parametrize("share", [0.01, 0.25, 0.3, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("before", [(), (2,), (0, 7, 2)])
def test_what_was_masked_stays_so_and_counts(scored, share, before):
    chance = numpy.random.default_rng(len(before))
    for length in (3, 8, 11):
        tokens = [f"w{position}" for position in range(length)]
        there = [M if position in before else word for position, word in enumerate(tokens)]
        # Of each size once.
        scores = (chance.permutation(length) + 1.0) * chance.choice([-1, 1], length)
        path = scored(("x", there, scores.tolist()))
        for ranking, ranked in (("signed", scores), ("size", abs(scores))):
            erased = Erased(share, "mine", path, ranking=ranking)
            assert erased.words("x", tokens) == slow_words(tokens, there, ranked, share)


def test_equal_scores_fall_by_chance_and_for_a_text_always_the_same(scored):
    path = scored(*((str(number), TOKENS, [0.0] * 8) for number in range(300)))
    erased = Erased(0.01, "mine", path)
    masked = [erased.words(str(number), TOKENS).index(M) for number in range(300)]
    assert all(15 < masked.count(position) < 65 for position in range(8))
    assert Erased(0.01, "mine", path).words("7", TOKENS) == erased.words("7", TOKENS)
    others = [Erased(0.01, "mine", path, seed=seed).words("7", TOKENS) for seed in range(20)]
    assert len(set(map(tuple, others))) > 1


def test_by_chance_no_file_is_needed_and_a_larger_share_masks_the_same_and_more():
    masked = [
        {position for position, word in enumerate(Erased(share).words("x", TOKENS)) if word == M}
        for share in (0.25, 0.5, 0.75, 1)
    ]
    assert [len(positions) for positions in masked] == [2, 4, 6, 8]
    assert masked[0] < masked[1] < masked[2] < masked[3]
    seeds = {tuple(Erased(0.5, seed=seed).words("x", TOKENS)) for seed in range(20)}
    assert len(seeds) > 1


def test_one_id_may_be_of_several_texts_where_splits_are_read_together(scored):
    files = [
        scored(("line-1", ["a", M], [0.0, 1.0]), name="train.parquet"),
        scored(("line-1", ["b", "c"], [0.0, 1.0]), name="dev.parquet"),
    ]
    erased = Erased(0.5, "mine", files)
    assert erased.words("line-1", ["a", "x"]) == ["a", M]
    assert erased.words("line-1", ["b", "c"]) == ["b", M]
    files.append(scored(("line-1", ["a", "x"], [1.0, 0.0]), name="test.parquet"))
    with pytest.raises(DataError, match="2 texts with id 'line-1' differ only in the masked words"):
        Erased(0.5, "mine", files).words("line-1", ["a", "x"])


@pytest.mark.parametrize(
    "id, tokens, scores, sentence",
    [
        ("y", TOKENS, SCORES, "scores.parquet: has no text with id 'x'"),
        ("x", TOKENS[:-1], SCORES[:-1], "text 'x' has other tokens .7: a fine film"),
        ("x", [*TOKENS[:-1], "!"], SCORES, "other tokens .* both must come from the same data"),
        ("x", TOKENS, None, "mine of text 'x' is missing"),
        (
            "x",
            TOKENS,
            [*SCORES[:-1], float("nan")],
            "not a list of scores for its 8 tokens; it must",
        ),
    ],
)
def test_a_text_without_its_scores_is_named(scored, id, tokens, scores, sentence):
    path = scored((id, tokens, scores), ("z", ["z"], [1.0]))
    with pytest.raises(DataError, match=sentence):
        Erased(0.5, "mine", path).words("x", TOKENS)


def test_the_column_of_the_method_has_to_be_there(scored):
    erased = Erased(0.5, "theirs", scored(("x", TOKENS, SCORES)))
    with pytest.raises(DataError, match="no column 'theirs'; its columns are id, tokens, mine"):
        erased.words("x", TOKENS)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"share": 0}, "share is 0, but must be above 0"),
        ({"share": 1.5}, "share is 1.5, but must"),
        ({"share": 0.5, "by": "lrp"}, "by 'lrp' needs files"),
        ({"share": 0.5, "ranking": "best"}, "ranking"),
    ],
)
def test_options_that_cannot_be_meant_are_rejected(options, sentence):
    reader = {"type": "planted", "erased": options}
    with pytest.raises(InputError, match=sentence):
        DatasetReader.from_params(Params(reader))


def test_a_reader_masks_what_it_reads_and_never_boundary_symbols(scored, write, read):
    line = {"id": "x", "text": " ".join([*TOKENS, "cut"]), "label": "good"}
    line["rationale"] = [0, 1] + [0] * 7
    options = {"boundary_symbols": True, "max_tokens": 8, "too_long": "cut"}
    path = scored(("x", TOKENS, SCORES))
    erased = {"share": 0.25, "by": "mine", "files": [path]}
    (text,) = read(write("data.jsonl", json.dumps(line)), erased=erased, **options)
    words = ["a", M, M, "it", "is", "not", "bad", "."]
    assert text["metadata"].metadata["tokens"] == words
    assert [token.text for token in text["tokens"]] == ["@start@", *words, "@end@"]
    assert text["metadata"].metadata["rationale"] == [0, 1] + [0] * 6
    everything = {"erased": {"share": 1}, **options}
    (text,) = read(write("data.jsonl", json.dumps(line)), **everything)
    assert [token.text for token in text["tokens"]] == ["@start@", *[M] * 8, "@end@"]


def test_a_text_that_is_typed_is_not_masked(make_reader):
    text = make_reader(erased={"share": 1}).text_to_instance("a fine film")
    assert text["metadata"].metadata["tokens"] == ["a", "fine", "film"]


def test_what_a_model_of_masked_texts_says_masks_more_of_them(tmp_path, monkeypatch):
    """As the runs of a study follow each other, with every text of the split."""
    # Each archive names the scores of the one before.
    monkeypatch.setenv(TRUST_VARIABLE, "yes")
    masked, before = [], None
    for share in (None, 0.25, 0.5):
        reader = dict(PLANTED)
        if share is not None:
            reader["erased"] = {"share": share, "by": "gradient-x-input", "files": before}
        archive = small_archive(tmp_path / str(share), encoder="affine", reader=reader)
        before = str(tmp_path / f"{share}.parquet")
        attribute_from_file(str(archive), "train", before, interpreters=["gradient-x-input"])
        texts = pyarrow.parquet.read_table(before).to_pylist()
        masked.append([{n for n, word in enumerate(text["tokens"]) if word == M} for text in texts])
    whole, quarter, half = masked
    assert not any(whole) and len(whole) == PLANTED["sizes"]["train"]
    for fewer, more, text in zip(quarter, half, texts, strict=True):
        assert fewer < more
        assert [len(fewer), len(more)] == [
            int(share * len(text["tokens"]) + 0.5) for share in (0.25, 0.5)
        ]
