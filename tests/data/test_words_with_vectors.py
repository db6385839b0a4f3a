"""Words that have a pretrained vector may be kept although the training texts lack them."""

import json

import pytest
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.models import Model

from attention_explain.errors import InputError
from tests.training.runs import built

# Rare in train; in dev alone; in test alone; in no text; and "unheard", which is in dev without a vector.
TEXTS = {
    "train": ["a good film", "a good plot", "a film", "a plot fine"],
    "dev": ["a great unheard film", "a good film"],
    "test": ["a superb plot", "a plot"],
}
VECTORS = "superb 1 0\ngreat 0 1\nabsent 1 1\nfine 2 1\nfilm 2 2\n"


@pytest.fixture
def splits(tmp_path):
    """The paths of the config's data."""
    paths = {}
    names = {"train": "train_data_path", "dev": "validation_data_path", "test": "test_data_path"}
    for split, texts in TEXTS.items():
        path = tmp_path / f"{split}.jsonl"
        lines = [{"text": text, "label": str(n % 2)} for n, text in enumerate(texts)]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        paths[names[split]] = str(path)
    return paths


@pytest.fixture
def vectors(tmp_path) -> str:
    path = tmp_path / "vectors.txt"
    path.write_text(VECTORS)
    return str(path)


@pytest.fixture
def build(tmp_path, monkeypatch, splits, vectors):
    """The model that a training with these options of the vocabulary begins with."""

    def build_model(**options) -> Model:
        from tests.training import runs

        def config(*arguments, **changes):
            return {**original(*arguments, **changes), **splits}

        original = runs.run_config
        monkeypatch.setattr(runs, "run_config", config)
        tokens = {"type": "word_vectors", "embedding_dim": 2, "pretrained_file": vectors}
        model = {
            "text_field_embedder": {"token_embedders": {"tokens": tokens}},
            "encoder": {"type": "affine", "input_dim": 2, "hidden_dim": 2},
            "min_label_count": 1,
        }
        reader = {"type": "attention_text", "tokenizer": {"type": "just_spaces"}}
        vocabulary = {"type": "document_frequency", "min_df": 2, **options}
        try:
            loop = built(tmp_path / "run", [], reader=reader, model=model, vocabulary=vocabulary)
        finally:
            monkeypatch.setattr(runs, "run_config", original)
        return loop.model

    return build_model


def words(model: Model) -> list:
    return list(model.vocab.get_token_to_index_vocabulary("tokens"))[2:]


def test_without_the_option_they_are_unknown(build):
    assert sorted(words(build())) == ["a", "film", "good", "plot"]


@pytest.mark.parametrize(
    "vectors_of, kept",
    [
        (["train"], ["fine"]),
        (["dev"], ["great"]),
        (["train", "dev", "test"], ["superb", "great", "fine"]),
        ("all", ["superb", "great", "absent", "fine"]),
    ],
)
def test_they_are_kept_behind_the_others(build, vectors, vectors_of, kept):
    model = build(vectors_file=vectors, vectors_of=vectors_of)
    assert words(model)[4:] == kept and sorted(words(model)[:4]) == ["a", "film", "good", "plot"]


def test_they_have_their_vectors_also_when_the_vocabulary_is_read_again(build, vectors, tmp_path):
    model = build(vectors_file=vectors, vectors_of=["train", "dev", "test"])
    again = Vocabulary.from_files(tmp_path / "run" / "vocabulary")
    weight = next(value for name, value in model.named_parameters() if "token_embedder" in name)
    for line in VECTORS.splitlines():
        word, *numbers = line.split()
        if word != "absent":
            assert weight[again.get_token_index(word)].tolist() == [float(n) for n in numbers]
    assert weight.shape[0] == again.get_vocab_size("tokens")
    # They occur in no training text that counts.
    assert model.vocab.unigrams["tokens"][again.get_token_index("superb")] == 0


@pytest.mark.parametrize(
    "options, problem",
    [
        ({"vectors_of": "all"}, "needs both `vectors_file` and `vectors_of`"),
        ({"vectors_of": "train"}, "vectors_of is 'train', but must be 'all' or a list of splits"),
        (
            {"vectors_of": ["trian"]},
            "the split 'trian', but the config has data for 'train', 'dev'",
        ),
    ],
)
def test_options_that_do_not_fit(build, vectors, options, problem):
    both = options if "both" in problem else {"vectors_file": vectors, **options}
    with pytest.raises(InputError, match=problem):
        build(**both)


def test_a_vocabulary_of_no_training_has_no_splits(vectors):
    options = {"type": "document_frequency", "vectors_file": vectors, "vectors_of": ["train"]}
    with pytest.raises(InputError, match="the config has data for none"):
        Vocabulary.from_params(Params(options), instances=[])
