"""Folders that read two texts as one sequence, checked against transformers on one pair at a time."""

import json

import pytest
import torch

from attention_explain import explain
from attention_explain.archives import open_archive
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.faithfulness import faithfulness_from_file
from attention_explain.data.errors import DataError
from attention_explain.data.pair_reader import BOTH, PASSAGE, QUERY, SIDES, turned
from attention_explain.errors import InputError
from attention_explain.files.tables import read_sealed
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.pretrained.really_removed import WORD, Plain, words_of
from tests.tiny_transformers import save_tiny_transformer

FIRST, SECOND = "the Acting was superb", "a dull film, fine"
FAMILIES = ("bert", "roberta", "xlm-roberta", "distilbert", "electra", "mpnet")
OTHERS = ("albert", "deberta-v2", "modernbert", "xlnet", "gpt2", "llama")
LABELS = ("entailment", "neutral", "contradiction")
CLOSE = 1e-6


class PlainPairs(Plain):
    """What transformers says of a pair without some of its words."""

    @torch.no_grad()
    def of_pair(self, first, second):
        read = self.tokenizer(first, second, return_tensors="pt")
        return self.model(**read).logits[0].softmax(-1).tolist()


@pytest.fixture(scope="session")
def nli_folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("nli")
    made = {}

    def folder(family):
        if family not in made:
            made[family] = save_tiny_transformer(root / family, family, LABELS)
        return made[family]

    return folder


def without(text, word):
    return "".join(each[0] for number, each in enumerate(WORD.finditer(text)) if number != word)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("family", [*FAMILIES, *OTHERS])
def test_leave_one_out_of_each_side_is_really_deleting_the_word(nli_folders, family, side):
    folder = nli_folders(family)
    plain = PlainPairs(folder)
    explained = explain(
        folder,
        FIRST,
        text_pair=SECOND,
        side=side,
        target="neutral",
        methods=[{"type": "leave-one-out", "measure": "signed"}],
    )
    plain.model.float()
    whole = plain.of_pair(FIRST, SECOND)
    assert explained.probs == pytest.approx(whole, abs=CLOSE)
    first, second = (words_of(text) for text in (FIRST, SECOND))
    words = {PASSAGE: first, QUERY: second, BOTH: [*first, *second]}[side]
    assert [word.strip() for word in words] == explained.tokens
    for number, score in enumerate(explained.scores["leave-one-out"]):
        of_first = side == PASSAGE or (side == BOTH and number < len(first))
        pair = (
            (without(FIRST, number), SECOND)
            if of_first
            else (FIRST, without(SECOND, number - (len(first) if side == BOTH else 0)))
        )
        assert score == pytest.approx(whole[1] - plain.of_pair(*pair)[1], abs=CLOSE)


@pytest.mark.parametrize("family", ["bert", "albert", "xlnet"])
def test_token_types_matter_and_are_the_tokenizer_s(nli_folders, family):
    """The output differs from that of the same pieces as a single text."""
    plain = PlainPairs(nli_folders(family))
    read = plain.tokenizer(FIRST, SECOND, return_tensors="pt")
    single = plain.model(read["input_ids"]).logits[0].softmax(-1)
    has_types = bool(read.get("token_type_ids", torch.zeros(1)).any())
    assert has_types == (
        not torch.allclose(single, torch.tensor(plain.of_pair(FIRST, SECOND)).double())
    )


@pytest.mark.parametrize("family", ["bert", "roberta", "electra"])
def test_methods_that_look_into_layers_explain_pairs(nli_folders, family):
    """The relevance of the two sides sums to that of both; DeepLift is complete."""
    methods = ["lrp", {"type": "deeplift", "of": "logit"}, "attention"]
    sides = {
        side: explain(nli_folders(family), FIRST, text_pair=SECOND, side=side, methods=methods)
        for side in SIDES
    }
    for name in ("lrp", "attention"):
        both = sides[BOTH].scores[name]
        assert both == pytest.approx([*sides[PASSAGE].scores[name], *sides[QUERY].scores[name]])
    assert sides[BOTH].checks["lrp"]["conservation_error"] < 1e-3
    for side in SIDES:
        assert abs(sides[side].checks["deeplift"]["convergence_delta"]) < 1e-4


@torch.no_grad()
@pytest.mark.parametrize("family", ["bert", "electra", "gpt2", "deberta-v2"])
def test_predictions_of_a_batch_are_those_of_single_pairs(nli_folders, family):
    archive = open_archive(nli_folders(family))
    plain = PlainPairs(nli_folders(family))
    plain.model.float()
    pairs = [(FIRST, SECOND), ("fine", "the film was dull"), (SECOND, "a film")]
    instances = [
        archive.dataset_reader.text_to_instance(text=first, query=second, id=first)
        for first, second in pairs
    ]
    for instance in instances:
        archive.dataset_reader.apply_token_indexers(instance)
    outputs = archive.model.forward_on_instances(instances)
    for pair, output in zip(pairs, outputs, strict=True):
        assert output["probs"].tolist() == pytest.approx(plain.of_pair(*pair), abs=CLOSE)


@pytest.mark.parametrize(
    "names, order",
    [
        (("premise", "hypothesis"), (0, 1)),
        (("text", "text_pair"), (0, 1)),
        (("sentence1", "sentence2"), (0, 1)),
        (("passage", "query"), (1, 0)),
        (("context", "question"), (1, 0)),
    ],
)
def test_names_of_the_fields_say_which_text_is_read_first(nli_folders, names, order):
    """The passage, or the first text, is what is scored by default."""
    folder = nli_folders("bert")
    archive = open_archive(folder)
    predictor = SaliencyPredictor(archive.model, archive.dataset_reader, interpreters=["random"])
    found = predictor.predict_json(dict(zip(names, (FIRST, SECOND), strict=True)))
    texts = (FIRST, SECOND)
    plain = PlainPairs(folder)
    plain.model.float()
    assert found["probs"] == pytest.approx(plain.of_pair(*(texts[n] for n in order)), abs=CLOSE)
    assert found["tokens"] == [word.strip() for word in words_of(FIRST)]
    assert found["other"] == [word.strip() for word in words_of(SECOND)]


def test_given_words_are_read_with_spaces_between(nli_folders):
    words = [word.strip() for word in words_of(SECOND)]
    one = explain(nli_folders("bert"), FIRST, text_pair=words, methods=["random"])
    other = explain(nli_folders("bert"), FIRST, text_pair=" ".join(words), methods=["random"])
    assert one.probs == other.probs


def test_long_passages_are_cut_and_the_query_stays(nli_folders):
    explained = explain(nli_folders("bert"), "film " * 40, text_pair=SECOND, methods=["random"])
    # 24 positions, 3 symbols and 6 pieces of the second text.
    second = len(PlainPairs(nli_folders("bert")).tokenizer(SECOND)["input_ids"]) - 2
    assert len(explained.tokens) == 24 - 3 - second
    assert explained.other == [word.strip() for word in words_of(SECOND)]


@pytest.mark.parametrize("side", SIDES)
def test_commands_score_and_judge_either_side(nli_folders, tmp_path, side):
    data = tmp_path / "pairs.jsonl"
    lines = [
        {"premise": FIRST, "hypothesis": SECOND, "label": "neutral"},
        {"premise": "fine film", "hypothesis": "the acting", "label": "entailment"},
    ]
    data.write_text("".join(json.dumps(line) + "\n" for line in lines))
    scores, judged = tmp_path / "scores.parquet", tmp_path / "faithfulness.parquet"
    folder = str(nli_folders("bert"))
    attribute_from_file(folder, str(data), scores, ["leave-one-out", "random"], side=side)
    faithfulness_from_file(folder, scores, judged)
    (row, _) = read_sealed(scores).to_pylist()
    expected = explain(folder, FIRST, text_pair=SECOND, side=side, methods=["leave-one-out"])
    assert row["leave-one-out"] == pytest.approx(expected.scores["leave-one-out"], abs=CLOSE)
    assert len(read_sealed(judged)) > 0


def test_sides_need_pairs(nli_folders):
    archive = open_archive(nli_folders("bert"))
    instance = archive.dataset_reader.text_to_instance(text=FIRST)
    with pytest.raises(InputError, match="side is 'both', but the texts are not pairs"):
        turned([instance], BOTH)


def test_an_empty_second_text_is_an_error(nli_folders):
    reader = open_archive(nli_folders("bert")).dataset_reader
    with pytest.raises(DataError, match="second text of the pair is empty"):
        reader.text_to_instance(text=FIRST, query=" ")


def test_query_and_text_pair_differ_in_what_is_read_first(nli_folders):
    folder = nli_folders("bert")
    one = explain(folder, FIRST, query=SECOND, methods=["random"])
    other = explain(folder, SECOND, text_pair=FIRST, methods=["random"])
    assert one.probs == pytest.approx(other.probs)
    with pytest.raises(InputError, match="a query or a text_pair, and not both"):
        explain(folder, FIRST, query=SECOND, text_pair=SECOND)
