"""Word vectors: what the file gives, what the words get that it lacks, and bad files."""

import gzip

import pytest
import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.modules import TokenEmbedder

from attention_explain.data.errors import DataError
from attention_explain.errors import InputError
from attention_explain.modules.word_vectors import WordVectors
from attention_explain.symbols import MASK_TOKEN

VOCAB = Vocabulary(tokens_to_add={"tokens": ["film", "plot", "unheard"]})


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "vectors.txt.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("film 1 2 3\nelse 9 9 9\nplot -1 0 0.5\n")
    return str(path)


def row(embedder: WordVectors, word: str) -> list:
    return embedder.weight[VOCAB.get_token_index(word)].tolist()


def test_known_words_get_their_vector_and_others_zeros(vectors):
    embedder = WordVectors(VOCAB, 3, pretrained_file=vectors)
    assert row(embedder, "film") == [1, 2, 3]
    assert row(embedder, "plot") == [-1, 0, 0.5]
    assert row(embedder, "unheard") == [0, 0, 0]
    assert row(embedder, "@@UNKNOWN@@") == [0, 0, 0]
    assert embedder.weight.requires_grad and embedder.get_output_dim() == 3


def test_other_words_may_be_drawn_at_random(vectors):
    torch.manual_seed(0)
    embedder = WordVectors(VOCAB, 3, pretrained_file=vectors, unknown_words="normal")
    assert row(embedder, "film") == [1, 2, 3]
    assert any(row(embedder, "unheard"))
    assert row(embedder, "@@PADDING@@") == [0, 0, 0]


def test_the_mask_starts_at_a_vector_of_its_own_also_where_unknown_words_start_at_zero(vectors):
    vocab = Vocabulary(tokens_to_add={"tokens": ["film", "plot", "unheard", MASK_TOKEN]})
    for trainable in (True, False):
        embedder = WordVectors(vocab, 3, pretrained_file=vectors, trainable=trainable)
        assert row(embedder, "unheard") == row(embedder, "@@UNKNOWN@@") == [0, 0, 0]
        assert any(embedder.weight[vocab.get_token_index(MASK_TOKEN)].tolist())


def test_without_a_mask_nothing_is_drawn(vectors):
    before = torch.random.get_rng_state()
    WordVectors(VOCAB, 3, pretrained_file=vectors)
    assert torch.random.get_rng_state().equal(before)


def test_without_a_file_all_start_at_random():
    embedder = WordVectors(VOCAB, 3)
    assert any(row(embedder, "unheard")) and row(embedder, "@@PADDING@@") == [0, 0, 0]


def test_lines_whose_word_has_a_blank_are_left_out(tmp_path):
    path = tmp_path / "blanks.txt"
    path.write_text("film name@example.com 1 2 3\nfilm 4 5 6\n")
    assert row(WordVectors(VOCAB, 3, pretrained_file=str(path)), "film") == [4, 5, 6]


def test_bad_files_are_rejected(vectors, tmp_path):
    with pytest.raises(InputError, match="line 1: the vector has 3 numbers, but embedding"):
        WordVectors(VOCAB, 4, pretrained_file=vectors)
    with pytest.raises(DataError, match="absent.txt: no such file"):
        WordVectors(VOCAB, 3, pretrained_file=str(tmp_path / "absent.txt"))
    broken = tmp_path / "broken.txt"
    broken.write_text("film 1 x 3\n")
    with pytest.raises(InputError, match="broken.txt, line 1: could not convert .* 'x'"):
        WordVectors(VOCAB, 3, pretrained_file=str(broken))
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("mot 1 2 3\n")
    with pytest.raises(InputError, match="a vector for no word of the vocabulary"):
        WordVectors(VOCAB, 3, pretrained_file=str(foreign))
    with pytest.raises(InputError, match="unknown_words is 'random'"):
        WordVectors(VOCAB, 3, unknown_words="random")


def both_embedders(path: str):
    """Ours, and AllenNLP's own."""
    yield lambda: WordVectors(VOCAB, 3, pretrained_file=path)
    options = {"type": "embedding", "embedding_dim": 3, "pretrained_file": path}
    yield lambda: TokenEmbedder.from_params(Params(options), vocab=VOCAB)


@pytest.mark.parametrize(
    "content, problem",
    [
        ("film 1 2 3\ncaf\xe9 1 2 3\n".encode("latin-1"), "(UTF-8|utf-8)"),
        ("film 1 2 3\n".encode("utf-16"), "(UTF-8|utf-8)"),
        (b"film 1 2 3\nplot 1 nan 3\n", "not finite"),
        (b"film 1 2 3\nplot 1 inf 3\n", "not finite"),
        (b"film 1 2 3\nplot 1 1e400 3\n", "not finite"),
        (b"", "is empty"),
    ],
)
def test_files_that_cannot_be_word_vectors_are_named(tmp_path, content, problem):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    for build in both_embedders(str(path)):
        with pytest.raises(InputError, match=f"bad.txt.*: .*{problem}"):
            build()


def test_a_file_that_is_cut_off_is_named(vectors, tmp_path):
    path = tmp_path / "half.txt.gz"
    path.write_bytes(gzip.compress(b"film 1 2 3\n" * 9999)[:-20])
    with pytest.raises(InputError, match="half.txt.gz, after line .*: is damaged"):
        WordVectors(VOCAB, 3, pretrained_file=str(path))
