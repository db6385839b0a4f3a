"""The effects of edits by their definition: each one alone, on a text that stays natural."""

import itertools
import json

import numpy
import pytest
from scipy.stats import kendalltau

from attention_explain.data.counterfactual_pairs import CounterfactualPairsReader, Edit
from attention_explain.data.vocabulary import DocumentFrequencyVocabulary
from attention_explain.faithfulness.edits import edit_values
from attention_explain.faithfulness.evaluator import Evaluator
from attention_explain.faithfulness.faithfulness import MEASURES, TextScores, Undefined
from attention_explain.faithfulness.scores_file import ScoredText
from tests import builders

PAIRS = [
    ("a dull film with a good plot", "a superb film with a weak plot"),
    ("the acting was fine , really", "the acting was not good , never"),
    ("one edit only", "one word only"),
]


@pytest.fixture
def read(tmp_path):
    path = tmp_path / "pairs.jsonl"
    lines = [
        {"text": text, "edited_text": edited, "label": "0", "edited_label": "1"}
        for text, edited in PAIRS
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    reader = CounterfactualPairsReader()
    return reader, list(reader.read(str(path)))


@pytest.mark.parametrize("encoder", ["bilstm", "transformer"])
@pytest.mark.parametrize("by", ["signed", "size"])
def test_it_is_the_effect_of_the_edit_with_the_largest_mass(read, encoder, by):
    reader, instances = read
    made = builders.model(encoder, vocab=DocumentFrequencyVocabulary.from_documents(instances))
    draw = numpy.random.default_rng(3)
    scored, target = [], 1
    for instance in instances:
        reader.apply_token_indexers(instance)
        instance.index_fields(made.vocab)
        tokens = instance["metadata"].metadata["tokens"]
        scores = draw.integers(-2, 3, len(tokens)).astype(float)
        scored.append(
            ScoredText(
                instance["metadata"].metadata["id"], tokens, made.labels[target], {"mine": scores}
            )
        )
    evaluator = Evaluator(made, MEASURES.build(["edit_effect"]), {}, reader, by=by, random_orders=5)
    found = evaluator.evaluate_batch(instances, scored)

    def probability(tokens):
        other = reader.text_to_instance(tokens=tokens, id="x")
        reader.apply_token_indexers(other)
        return made.forward_on_instance(other)["probs"][target]

    size = abs if by == "size" else float
    defined = 0
    for instance, text, results in zip(instances, scored, found, strict=True):
        rows = {(row.method, row.measure): row for row in results.rows}
        tokens, edits = text.tokens, instance["metadata"].metadata["edits"]
        if len(edits) < 2:
            assert rows["mine", "edit_effect"].undefined == "the text has fewer than two edits"
            continue
        defined += 1
        effects, masses = [], []
        for edit in edits:
            edited = tokens[: edit.start] + list(edit.words) + tokens[edit.end :]
            effects.append(size(probability(tokens) - probability(edited)))
            masses.append(sum(size(text.scores["mine"][i]) for i in edit.marked(len(tokens))))
        top = [effect for effect, mass in zip(effects, masses, strict=True) if mass == max(masses)]
        assert rows["mine", "edit_effect"].value == pytest.approx(numpy.mean(top), abs=1e-6)
        assert rows["random", "edit_effect"].value == pytest.approx(numpy.mean(effects), abs=1e-6)
        assert rows["search", "edit_effect"].value == pytest.approx(max(effects), abs=1e-6)
        if len(set(masses)) > 1:
            expected = kendalltau(masses, effects).statistic
            assert rows["mine", "edit_effect_tau"].value == pytest.approx(expected)
        assert rows["search", "edit_effect_tau"].value == pytest.approx(1)
        assert rows["random", "edit_effect_tau"].value == 0
    assert defined == 4


def test_texts_that_are_no_pairs_are_undefined():
    made = builders.model()
    instances = builders.instances()
    scored = [
        ScoredText(f"text-{n}", text.split(), "1", {"mine": [1.0] * len(text.split())})
        for n, text in enumerate(builders.TEXTS)
    ]
    evaluator = Evaluator(
        made, MEASURES.build(["edit_effect"]), {}, builders.reader(), random_orders=5
    )
    for text in evaluator.evaluate_batch(instances, scored):
        (row,) = [r for r in text.rows if (r.method, r.measure) == ("mine", "edit_effect")]
        assert "not one of a pair" in row.undefined


EDITS = [Edit(0, 1, ("x",)), Edit(2, 2, ("y",)), Edit(3, 5, ())]


def text_with(scores):
    return TextScores("t", 0, {"mine": numpy.array(scores, float)}, numpy.zeros((5, len(scores))))


def test_an_insertion_has_the_mass_of_the_words_next_to_it():
    """Words 1 and 2; then the second edit has mass 5, the others 4 and 2."""
    effects = numpy.array([0.1, 0.4, -0.2])
    values = edit_values(text_with([4, 2, 3, 1, 1]), EDITS, effects, "signed")
    assert values["mine"]["edit_effect"] == 0.4
    assert values["random"]["edit_effect"] == pytest.approx(0.1)


def test_random_is_the_mean_over_all_orders_of_the_edits():
    effects = numpy.array([0.1, 0.4, -0.2])
    values = edit_values(text_with([0, 0, 0, 0, 0]), EDITS, effects, "signed")
    orders = list(itertools.permutations(effects))
    assert values["random"]["edit_effect"] == pytest.approx(numpy.mean([one[0] for one in orders]))
    taus = [kendalltau(one, effects).statistic for one in orders]
    assert values["random"]["edit_effect_tau"] == pytest.approx(numpy.mean(taus), abs=1e-12)
    # Scores that say nothing have the mean of tied edits, and no tau.
    assert values["mine"]["edit_effect"] == pytest.approx(0.1)
    assert isinstance(values["mine"]["edit_effect_tau"], Undefined)


def test_edits_without_effect_decide_nothing():
    values = edit_values(text_with([1, 2, 3, 4, 5]), EDITS, numpy.zeros(3), "signed")
    assert {str(v) for each in values.values() for v in each.values()} == {
        "no edit changes the probability"
    }
