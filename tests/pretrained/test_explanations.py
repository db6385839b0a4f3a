"""Explanations of a folder, against transformers itself on texts that were really changed."""

import itertools
from math import factorial

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter

from attention_explain import explain
from attention_explain.archives import open_archive
from attention_explain.errors import InputError
from attention_explain.faithfulness.permutations import PermutationSampler
from attention_explain.faithfulness.removal import ERASURES, RemovalOutputs
from attention_explain.faithfulness.stability import cascade
from attention_explain.interpret.interpreter import known_interpreters, supported_interpreters
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.interpret.slow_gradients import finite_differences
from tests.pretrained.really_removed import Plain, words_of
from tests.tiny_transformers import FAMILIES

TEXTS = ["the Acting was superb, fine", "a dull film", "fine", "fine \x00 acting"]
CLOSE = 1e-9
each_family = pytest.mark.parametrize("family", FAMILIES)
some_families = pytest.mark.parametrize("family", ["bert", "distilbert", "roberta"])


class Opened:
    """A folder as ours and as theirs, in double precision."""

    def __init__(self, folder):
        archive = open_archive(folder)
        self.model = archive.model.double()
        self.reader = archive.dataset_reader
        self.plain = Plain(folder)

    def instances(self, texts=TEXTS):
        made = [
            self.reader.text_to_instance(text=text, id=f"text-{number}")
            for number, text in enumerate(texts)
        ]
        for instance in made:
            self.reader.apply_token_indexers(instance)
        return made

    def batch(self, texts=TEXTS, budget=None):
        return TextBatch.of(self.model, self.instances(texts), budget)

    def method(self, name, **options):
        predictor = SaliencyPredictor(self.model, self.reader)
        return SaliencyInterpreter.from_params(
            Params({"type": name, **options}), predictor=predictor
        )

    def scores(self, name, texts=TEXTS, target="pos", budget=None, **options):
        found = self.method(name, **options).saliency_interpret_instances(
            self.instances(texts), target, budget
        )
        return [each["scores"] for each in found]


@pytest.fixture
def opened(folders, family):
    return Opened(folders[family])


@each_family
@pytest.mark.parametrize("measure", ["signed", "tvd"])
def test_leave_one_out_is_really_deleting_the_word(opened, measure):
    for text, scores in zip(TEXTS, opened.scores("leave-one-out", measure=measure), strict=True):
        whole = opened.plain.of_text(text)
        for position, score in enumerate(scores):
            kept = [other for other in range(len(scores)) if other != position]
            without = opened.plain.of_words(text, kept)
            expected = whole[1] - without[1]
            # Of two classes, the distance is that of either.
            assert score == pytest.approx(
                abs(expected) if measure == "tvd" else expected, abs=CLOSE
            )


@each_family
@pytest.mark.parametrize("baseline", ["zero", "pad", "unk", "mask"])
def test_occlusion_replaces_all_pieces_of_the_word(opened, baseline):
    for text, scores in zip(TEXTS, opened.scores("occlusion", baseline=baseline), strict=True):
        whole = opened.plain.of_text(text)[1]
        for position, score in enumerate(scores):
            kept = [other for other in range(len(scores)) if other != position]
            replaced = opened.plain.replaced(text, kept, baseline)[1]
            assert score == pytest.approx(whole - replaced, abs=CLOSE)


def differences(plain, text):
    """The gradient by finite differences, the embeddings, and of which word each position is."""
    ids, units = plain.read(text)
    embeddings = plain.embedded(ids).detach()
    gradient = finite_differences(lambda rows: plain.of_embeddings(rows)[:, 1], embeddings)
    return gradient, embeddings[0], units


@some_families
def test_gradients_are_those_of_pieces_put_together_to_words(opened):
    norms, products = opened.scores("gradient"), opened.scores("gradient-x-input")
    for row, text in enumerate(TEXTS[:2]):
        gradient, embeddings, units = differences(opened.plain, text)
        for word, (norm, product) in enumerate(zip(norms[row], products[row], strict=True)):
            positions = [position for position, unit in enumerate(units) if unit == word]
            largest = max(float(gradient[position].norm()) for position in positions)
            total = sum(float(gradient[position] @ embeddings[position]) for position in positions)
            assert norm == pytest.approx(largest, abs=1e-6)
            assert product == pytest.approx(total, abs=1e-6)


@some_families
def test_the_share_of_special_symbols_is_told(opened):
    method = opened.method("gradient-x-input")
    (found,) = method.saliency_interpret_instances(opened.instances(TEXTS[:1]), "pos")
    gradient, embeddings, units = differences(opened.plain, TEXTS[0])
    sizes = (gradient * embeddings).sum(dim=-1).abs()
    special = sum(float(size) for size, unit in zip(sizes, units) if unit is None)
    assert found["special_share"] == pytest.approx(special / float(sizes.sum()), abs=1e-6)


@some_families
@pytest.mark.parametrize("baseline", ["zero", "mask"])
def test_integrated_gradients_sum_to_the_difference_from_the_baseline(opened, baseline):
    texts = TEXTS[:2]
    for text, scores in zip(texts, opened.scores("integrated-gradients", texts, baseline=baseline)):
        whole, nothing = opened.plain.of_text(text), opened.plain.replaced(text, [], baseline)
        assert sum(scores) == pytest.approx(whole[1] - nothing[1], abs=0.01)


@some_families
def test_kernel_shap_gives_shapley_values_of_words(opened):
    text = "the Acting was superb,"
    words = words_of(text)
    value = {
        kept: opened.plain.replaced(text, kept, "zero")[1]
        for size in range(len(words) + 1)
        for kept in itertools.combinations(range(len(words)), size)
    }
    (scores,) = opened.scores("kernel-shap", [text])
    assert len(scores) == len(words) == 5
    for word, score in enumerate(scores):
        expected = sum(
            factorial(len(kept))
            * factorial(len(words) - len(kept) - 1)
            / factorial(len(words))
            * (value[tuple(sorted((*kept, word)))] - value[kept])
            for kept in value
            if word not in kept
        )
        assert score == pytest.approx(expected, abs=1e-6)


@each_family
@pytest.mark.parametrize("erasure", ["delete", "zero", "unk", "mask"])
def test_what_measures_of_faithfulness_ask_is_real_removal(opened, erasure):
    (built,) = ERASURES.build([erasure]).values()
    built.check(opened.model)
    batch = opened.batch(budget=40)
    with torch.no_grad():
        outputs = RemovalOutputs(opened.model, batch, opened.model.embed(batch.tokens), built)
        asked = [
            numpy.random.default_rng(1).random((5, len(words_of(text)))) < 0.5 for text in TEXTS
        ]
        for sets in asked:
            sets[0] = False
        found = outputs(asked)
    for text, sets, probs in zip(TEXTS, asked, found, strict=True):
        for kept, row in zip(sets, probs, strict=True):
            positions = numpy.flatnonzero(kept).tolist()
            if erasure == "delete":
                expected = opened.plain.of_words(text, positions)
            else:
                expected = opened.plain.replaced(text, positions, erasure)
            assert row.tolist() == pytest.approx(expected, abs=CLOSE)


@each_family
def test_contributions_of_words_sum_to_the_difference_from_the_empty_text(opened):
    (built,) = ERASURES.build(["delete"]).values()
    batch = opened.batch(budget=40)
    with torch.no_grad():
        outputs = RemovalOutputs(opened.model, batch, opened.model.embed(batch.tokens), built)
        sampler = PermutationSampler(outputs, [1] * len(TEXTS))
        sampler.grow(8)
    for text, effects in zip(TEXTS, sampler.effects("probability", 8), strict=True):
        words = range(len(words_of(text)))
        assert len(effects.relevance) == len(words)
        full, empty = (opened.plain.of_words(text, list(kept))[1] for kept in (words, ()))
        assert effects.contribution.sum() == pytest.approx(full - empty, abs=CLOSE)


METHODS = [
    "attention",
    "deeplift",
    "gradient",
    "gradient-x-input",
    "gradient-shap",
    "integrated-gradients",
    "kernel-shap",
    "leave-one-out",
    "lime",
    "lrp",
    "occlusion",
    "random",
    "smoothgrad",
]


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("family", ["distilbert"])
def test_batches_and_budgets_change_nothing(opened, name):
    together = opened.scores(name)
    tight = opened.scores(name, budget=12)
    for row, text in enumerate(TEXTS):
        assert len(together[row]) == len(words_of(text))
        assert tight[row] == pytest.approx(together[row], abs=CLOSE)


@pytest.mark.parametrize("family", ["mpnet"])
def test_attention_is_what_the_first_position_attends_to_in_the_last_layer(opened):
    for text, scores in zip(TEXTS, opened.scores("attention"), strict=True):
        ids, units = opened.plain.read(text)
        with torch.no_grad():
            row = opened.plain.model(ids, output_attentions=True).attentions[-1][0, :, 0].mean(0)
        for word, score in enumerate(scores):
            positions = [position for position, unit in enumerate(units) if unit == word]
            expected = max((float(row[position]) for position in positions), default=0.0)
            assert score == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("family", ["bert"])
def test_what_the_model_has_not_is_said_and_the_others_go_on(opened):
    names, left_out = supported_interpreters(known_interpreters(), opened.model, opened.reader)
    assert set(METHODS) <= set(names)
    assert not set(METHODS) & set(left_out)
    with pytest.raises(InputError, match="which a TransformerClassifier has not"):
        opened.scores("gradient", at="hidden")
    with pytest.raises(InputError, match="detach_attention is for a model whose attention"):
        opened.scores("gradient", detach_attention=True)


@pytest.mark.parametrize("family", ["bert"])
def test_parameters_are_re_initialised_from_the_head_down(opened):
    before = opened.model.state_dict()
    changed = {}
    for stage, model in cascade(opened.model, 0):
        after = model.state_dict()
        changed[stage] = {name for name in before if not torch.equal(before[name], after[name])}
    assert list(changed) == ["decoder", "encoder", "embeddings"]
    base = "transformer.bert."
    head = {"classifier.weight", "classifier.bias", "bert.pooler.dense.weight"}
    assert changed["decoder"] == {
        *(f"transformer.{name}" for name in head),
        f"{base}pooler.dense.bias",
    }
    assert all(".encoder." in name for name in changed["encoder"] - changed["decoder"])
    added = changed["embeddings"] - changed["encoder"]
    assert added and all(name.startswith(f"{base}embeddings.") for name in added)


def test_one_text_from_python(folders):
    explained = explain(folders["roberta"], "a dull film", methods=["leave-one-out"])
    assert explained.tokens == ["a", "dull", "film"]
    assert explained.labels == ["neg", "pos"]
    assert explained.verdict(1).methods["leave-one-out"].words
