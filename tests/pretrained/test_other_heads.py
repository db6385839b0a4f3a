"""Multi-label and regression heads, checked against transformers one text at a time."""

import json

import numpy
import pytest
import torch

from attention_explain import explain
from attention_explain.archives import open_archive
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.faithfulness import faithfulness_from_file
from attention_explain.commands.perturb import perturb_from_file
from attention_explain.data.pair_reader import SIDES
from attention_explain.errors import InputError
from attention_explain.faithfulness.permutations import PermutationSampler
from attention_explain.faithfulness.ranking_measure import DecisionFlip, MeasuredText
from attention_explain.faithfulness.removal import Delete, RemovalOutputs
from attention_explain.files.tables import read_sealed
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.model_outputs import IDENTITY, SIGMOID
from tests.pretrained.really_removed import Plain, words_of
from tests.tiny_transformers import changed_config, save_tiny_transformer

TEXT = "the Acting was superb, fine"
TOPICS = ("plot", "acting", "sound")
CLOSE = 1e-6
SIGNED = {"type": "leave-one-out", "measure": "signed"}
HEADS = [("multi", "bert"), ("multi", "gpt2"), ("number", "bert"), ("number", "deberta-v2")]
each_head = pytest.mark.parametrize("kind, family", HEADS)


class Outputs(Plain):
    """A folder's outputs: probabilities of labels, or one number."""

    def __init__(self, folder, kind):
        super().__init__(folder)
        self.kind = kind

    def outputs(self, logits):
        return logits.sigmoid() if self.kind == "multi" else logits

    @torch.no_grad()
    def of_text(self, text):
        return self.outputs(
            self.model(**self.tokenizer(text, return_tensors="pt")).logits[0]
        ).tolist()

    def of_embeddings(self, embeddings):
        return self.outputs(self.model(inputs_embeds=embeddings).logits)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("heads")

    def folder(kind, family):
        path = root / f"{kind}-{family}"
        if not path.exists():
            save_tiny_transformer(path, family, TOPICS if kind == "multi" else ("score",))
            if kind == "multi":
                changed_config(path, problem_type="multi_label_classification")
        return path

    return folder


def target_of(kind):
    return "sound" if kind == "multi" else "score"


@each_head
def test_outputs_and_leave_one_out_are_those_of_transformers(made, kind, family):
    folder = made(kind, family)
    plain = Outputs(folder, kind)
    explained = explain(folder, TEXT, methods=[SIGNED, "gradient-x-input"], target=target_of(kind))
    whole = plain.of_text(TEXT)
    assert explained.probs == pytest.approx(whole, abs=CLOSE)
    scores = explained.scores["leave-one-out"]
    assert len(scores) == len(words_of(TEXT))
    for position, score in enumerate(scores):
        kept = [other for other in range(len(scores)) if other != position]
        assert score == pytest.approx(whole[-1] - plain.of_words(TEXT, kept)[-1], abs=CLOSE)
    ids, units = plain.read(TEXT)
    embeddings = plain.embedded(ids).detach().requires_grad_()
    (gradient,) = torch.autograd.grad(plain.of_embeddings(embeddings)[0, -1], embeddings)
    products = (gradient * embeddings).sum(dim=-1)[0]
    for word, score in enumerate(explained.scores["gradient-x-input"]):
        own = [position for position, unit in enumerate(units) if unit == word]
        assert score == pytest.approx(float(products[own].sum()), abs=CLOSE)


@each_head
def test_the_default_measure_of_leave_one_out_is_the_change_of_that_output(made, kind, family):
    methods = ["leave-one-out", {**SIGNED, "name": "signed"}]
    explained = explain(made(kind, family), TEXT, methods=methods, target=target_of(kind))
    expected = [abs(score) for score in explained.scores["signed"]]
    assert explained.scores["leave-one-out"] == pytest.approx(expected, abs=CLOSE)


@each_head
def test_comprehensiveness_is_in_units_of_the_output(made, tmp_path, kind, family):
    """The drop without the top words, whatever the gold label is."""
    folder = made(kind, family)
    data, scores, judged = (tmp_path / name for name in ("t.jsonl", "s.parquet", "f.parquet"))
    label = ["plot", "sound"] if kind == "multi" else 3.5
    data.write_text(json.dumps({"text": TEXT, "label": label}))
    attribute_from_file(str(folder), str(data), scores, [SIGNED], target=target_of(kind))
    measures = [{"type": "comprehensiveness", "bins": [0.5]}]
    faithfulness_from_file(str(folder), scores, judged, measures=measures, erasures=["delete"])
    (row,) = read_sealed(scores).to_pylist()
    assert row["label"] is None
    order = sorted(range(6), key=lambda word: -row["leave-one-out"][word])
    plain = Outputs(folder, kind)
    expected = plain.of_text(TEXT)[-1] - plain.of_words(TEXT, order[3:])[-1]
    values = [
        found["value"]
        for found in read_sealed(judged).to_pylist()
        if found["method"] == "leave-one-out"
        and (found["measure"], found["k"]) == ("comprehensiveness", 0.5)
    ]
    assert values == pytest.approx([expected], abs=CLOSE)


@each_head
@pytest.mark.parametrize("permutations", [8, 1000])
def test_effects_of_words_are_changes_of_that_output(made, kind, family, permutations):
    """They sum to the change between the text and nothing; sampled, or exact in a short text."""
    folder = made(kind, family)
    archive = open_archive(folder)
    instance = archive.dataset_reader.text_to_instance(text=TEXT)
    archive.dataset_reader.apply_token_indexers(instance)
    batch = TextBatch.of(archive.model, [instance])
    embeddings = archive.model.embed(batch.tokens).detach()
    outputs = RemovalOutputs(archive.model, batch, embeddings, Delete())
    target = len(archive.model.labels) - 1
    sampler = PermutationSampler(outputs, [target])
    sampler.grow(permutations)
    (effects,) = sampler.effects("probability", permutations)
    everything, nothing = outputs([numpy.array([[True] * 6, [False] * 6])])[0][:, target]
    assert effects.contribution.sum() == pytest.approx(everything - nothing, abs=CLOSE)
    assert (effects.relevance >= abs(effects.contribution) - CLOSE).all()


@each_head
def test_a_text_shows_its_verdict(made, kind, family):
    explained = explain(made(kind, family), TEXT, methods=["random"], target=target_of(kind))
    verdict = explained.verdict(words=2)
    assert verdict.output.probability == pytest.approx(explained.probs[-1])
    assert str(explained) and str(verdict)


def test_pairs_have_such_heads_too(made):
    """As of a reranker: a query, a passage, and one number."""
    plain = Outputs(made("number", "bert"), "number")
    read = plain.tokenizer("fine acting", TEXT, return_tensors="pt")
    expected = plain.model(**read).logits[0].tolist()
    for side in SIDES:
        explained = explain(
            made("number", "bert"), TEXT, query="fine acting", side=side, methods=["random"]
        )
        assert explained.probs == pytest.approx(expected, abs=CLOSE)


@each_head
def test_the_head_is_told(made, caplog, kind, family):
    from attention_explain.data.any_reader import warn_once

    warn_once.cache_clear()
    open_archive(made(kind, family))
    said = {"multi": "a multi-label head: each label has", "number": "units of the output itself"}
    assert said[kind] in caplog.text


def test_a_decision_flips_for_a_label_at_one_half_and_for_a_number_never():
    measure = DecisionFlip()
    full, empty = numpy.array([0.9, 0.8]), numpy.array([0.1, 0.1])
    sizes = len(measure.sizes(4))
    probs = numpy.array([[[0.9, value] for value in (0.7, 0.4, 0.3, 0.2)]])
    assert sizes == 4
    label = MeasuredText(4, 1, full, empty, SIGMOID)
    assert measure.values(probs, label).tolist() == [[0.5, 0.0, 0.0]]
    number = MeasuredText(4, 1, full, empty, IDENTITY)
    assert numpy.isnan(measure.values(probs, number)).all()
    assert measure.why_undefined(number) == "the model gives a number and makes no decision"


@each_head
def test_perturbing_such_heads_is_an_error(made, tmp_path, kind, family):
    data = tmp_path / "t.jsonl"
    data.write_text(json.dumps({"text": TEXT}))
    with pytest.raises(InputError, match="compares distributions over classes"):
        perturb_from_file(str(made(kind, family)), str(data), tmp_path / "p.parquet")


def test_deeplift_explains_the_logit_of_such_heads(made):
    explained = explain(made("multi", "bert"), TEXT, methods=["deeplift", "lrp"], target="sound")
    assert abs(explained.checks["deeplift"]["convergence_delta"]) < 1e-4
    with pytest.raises(InputError, match="needs 'of': 'logit'"):
        explain(made("multi", "bert"), TEXT, methods=[{"type": "deeplift", "of": "probability"}])


def test_function_to_apply_says_what_the_outputs_are(tmp_path):
    folder = save_tiny_transformer(tmp_path / "bert", "bert", ("score",))
    changed_config(folder, function_to_apply="sigmoid")
    (found,) = explain(folder, TEXT, methods=["random"]).probs
    assert [found] == pytest.approx(Outputs(folder, "multi").of_text(TEXT), abs=CLOSE)
