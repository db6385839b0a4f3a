"""The `planted` reader: the corpus as Instances, and the exported files read back."""

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader

from attention_explain.data.attention_text import AttentionTextReader
from attention_explain.data.errors import DataError
from attention_explain.data.planted.__main__ import export
from attention_explain.data.planted.corpus import PRESETS, PlantedCorpus
from attention_explain.data.planted.reader import PlantedReader
from attention_explain.data.planted.text import DOMAINS, NEGATORS, OPINIONS, SHARED_WORDS
from attention_explain.data.question_passage import QuestionPassageReader
from attention_explain.data.tokenizers import EnglishTokenizer
from attention_explain.errors import InputError

SIZES = {"train": 40, "dev": 10, "test": 10}


def words(instance):
    return [token.text for token in instance["tokens"].tokens]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("split", SIZES)
def test_instances_are_the_sentences_of_the_corpus(preset, split):
    instances = list(PlantedReader(preset=preset, sizes=SIZES).read(split))
    sentences = PlantedCorpus(preset, sizes=SIZES).split(split)
    assert len(instances) == SIZES[split]
    for instance, sentence in zip(instances, sentences, strict=True):
        metadata = instance["metadata"].metadata
        assert words(instance) == metadata["tokens"] == list(sentence.tokens)
        assert instance["label"].label == sentence.label
        assert metadata["id"] == sentence.id
        for mask in ("rationale", "contrary", "distractor"):
            assert metadata[mask] == list(getattr(sentence, mask))
        assert "impermissible" not in instance.fields


def test_reader_is_built_from_a_config():
    config = {
        "type": "planted",
        "preset": "negation",
        "overrides": {"max_tokens": 60, "min_tokens": 60, "negation": 1},
        "corpus_seed": 7,
        "sizes": {"dev": 6},
        "boundary_symbols": True,
    }
    reader = DatasetReader.from_params(Params(config))
    instances = list(reader.read("dev"))
    expected = PlantedCorpus(
        "negation", {"max_tokens": 60, "min_tokens": 60, "negation": 1.0}, {"dev": 6}, seed=7
    ).split("dev")
    assert [i["metadata"].metadata["tokens"] for i in instances] == [
        list(sentence.tokens) for sentence in expected
    ]
    assert all(len(words(instance)) == 62 for instance in instances)


def test_sizes_that_are_not_given_keep_their_default():
    reader = PlantedReader(sizes={"train": 10})
    assert len(list(reader.read("train"))) == 10
    assert len(list(reader.read("dev"))) == 400


def test_a_mask_can_be_impermissible():
    for instance in PlantedReader("shortcut", sizes=SIZES, impermissible="distractor").read("dev"):
        mask = instance["impermissible"].tensor.tolist()
        assert sum(mask) == 1
        assert words(instance)[mask.index(True)].endswith("day")


def test_what_models_go_by_can_be_marked():
    for instance in PlantedReader("shortcut", sizes=SIZES, marked="distractor").read("dev"):
        mask = instance["metadata"].metadata["rationale"]
        assert sum(mask) == 1
        assert words(instance)[list(mask).index(1)].endswith("day")


def test_a_text_of_ones_own_becomes_an_instance():
    instance = PlantedReader().text_to_instance(text="the soup was not good.")
    assert words(instance) == ["the", "soup", "was", "not", "good", "."]
    assert "label" not in instance.fields


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"preset": "hard"}, "must be one of easy, negation, conjunction, shortcut"),
        ({"overrides": {"length": 3}}, "'length' is no knob of the planted corpus; the knobs are"),
        ({"overrides": {"causes": 0}}, "causes is 0, but must be between 1 and 14"),
        ({"sizes": {"valid": 3}}, "'valid' is no split of the planted corpus; the splits are"),
        ({"impermissible": "label"}, "must be one of rationale, contrary, distractor"),
        ({"marked": "label"}, "marked is 'label', but must be one of rationale, contrary, distr"),
    ],
)
def test_bad_options_are_rejected_in_one_sentence(options, sentence):
    with pytest.raises(InputError) as raised:
        PlantedReader(**options)
    assert sentence in raised.value.message


def test_unknown_split_is_answered_with_the_known_ones():
    with pytest.raises(DataError) as raised:
        list(PlantedReader().read("valid.jsonl"))
    assert raised.value.message == (
        "'valid.jsonl' is no split of the planted corpus; the splits are train, dev, test"
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_exported_files_give_the_same_instances(preset, tmp_path):
    export(PlantedCorpus(preset, sizes=SIZES), tmp_path)
    for split in SIZES:
        direct = PlantedReader(preset, sizes=SIZES).read(split)
        reader = QuestionPassageReader() if preset == "question" else AttentionTextReader()
        exported = reader.read(str(tmp_path / f"{split}.jsonl"))
        for one, other in zip(direct, exported, strict=True):
            assert words(one) == words(other)
            assert one["label"].label == other["label"].label
            for field in ("id", "rationale", "query"):
                assert one["metadata"].metadata.get(field) == other["metadata"].metadata.get(field)


@pytest.mark.parametrize("preset", PRESETS)
def test_tokenizing_the_text_gives_back_the_tokens(preset):
    tokenizer = EnglishTokenizer()
    for sentence in PlantedCorpus(preset).split("dev"):
        assert [t.text for t in tokenizer.tokenize(sentence.text)] == list(sentence.tokens)


def test_no_word_is_split_or_glued_to_its_full_stop():
    tokenizer = EnglishTokenizer()
    lists = [*OPINIONS, NEGATORS, *SHARED_WORDS.values()]
    for domain in DOMAINS:
        lists += [domain.aspects, *domain.words.values()]
    for word in {word for one in lists for word in one}:
        for stop in (".", ";"):
            assert [t.text for t in tokenizer.tokenize(f"a {word}{stop}")] == ["a", word, stop]
