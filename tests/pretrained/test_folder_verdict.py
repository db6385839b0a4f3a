"""The verdict for folders of transformers: which questions are asked, and which folders are seeds of one model."""

import json
import random
from types import SimpleNamespace

import numpy
import pytest
import torch
from allennlp.data import Vocabulary

from analysis.verdict.inputs import load_inputs
from analysis.verdict.question import Answer, Case
from analysis.verdict.questions.used import Used, barely_used, predictions_depend
from analysis.verdict.verdict import judge
from attention_explain import defaults
from attention_explain.commands.job_options import JobOptions
from attention_explain.commands.verdict import verdict_from_files
from attention_explain.commands.verdict_plan import plan_verdict
from attention_explain.counterfactual.perturbation import PERTURBATIONS, Perturber
from attention_explain.errors import InputError
from tests.builders import ENCODERS, batch, instances, model
from tests.tiny_transformers import changed_config, save_tiny_transformer

WORDS = ["a", "dull", "film", "the", "acting", "was", "superb", "fine"]
HEADS = ["uniform-heads", "permuted-heads", "heads-off"]


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    root = tmp_path_factory.mktemp("seeds")
    return [str(save_tiny_transformer(root / f"seed-{seed}", seed=seed)) for seed in (1, 2, 3)]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    drawn = random.Random(1)
    texts = [drawn.choices(WORDS, k=drawn.randint(3, 8)) for _ in range(40)]
    path = tmp_path_factory.mktemp("data") / "texts.jsonl"
    path.write_text("\n".join(json.dumps({"text": " ".join(text)}) for text in texts))
    return str(path)


def planned(folders, data, tmp_path, methods=None):
    options = JobOptions(folders[0], data, tmp_path / "out")
    return plan_verdict(folders, tmp_path / "out", methods, True, options)


def test_all_forms_of_attention_are_ranked_in_one_table(seeds, data, tmp_path):
    plan = planned(seeds[:1], data, tmp_path)
    attributions, perturbations = (task.make(tmp_path / task.name) for task in plan.tasks[:2])
    names = [config["name"] for config in attributions._configs]
    assert len(set(names)) == len(names)
    assert {"attention", *(each["name"] for each in defaults.ATTENTION_VARIANTS)} < {*names}
    assert list(perturbations.parameters) == HEADS


def test_several_folders_are_seeds_of_one_model(seeds, data, tmp_path):
    folder = tmp_path / "verdict"
    verdict_from_files(seeds, data, folder, ["random"], quick=True, anyway=True, limit=20)
    found = judge(load_inputs(folder))
    assert found.seeds == 3 and not found.nothing
    asked = {each.name: each for each in found.findings}
    # Not even where there are enough texts.
    assert "single distribution" in asked["unique"].sentence
    assert "(permuted) of texts and move" in asked["used"].sentence
    assert asked["stable"].sentence.startswith("3 seeds agree with tau")
    answered = ("where", "necessary", "sufficient", "used", "specific", "stable")
    assert all(not numpy.isnan(asked[name].estimate.mean) for name in answered)


@pytest.mark.parametrize(
    "changes, key",
    [
        ({"sizes": {"intermediate_size": 14}}, "config.json.intermediate_size"),
        ({"labels": ("bad", "good")}, "config.json.id2label.0"),
        ({"family": "electra"}, "config.json.model_type"),
    ],
)
def test_folders_of_other_models_are_no_seeds(seeds, data, tmp_path, changes, key):
    sizes = changes.pop("sizes", {})
    other = save_tiny_transformer(tmp_path / "other", seed=4, **changes, **sizes)
    with pytest.raises(InputError, match=rf"is not another seed of .* differs in '{key}'"):
        planned([seeds[0], str(other)], data, tmp_path)


def test_what_says_how_a_folder_was_saved_does_not_matter(seeds, data, tmp_path):
    other = save_tiny_transformer(tmp_path / "other", seed=4)
    changed_config(other, transformers_version="4.0.0", _name_or_path="some/path")
    assert len(planned([seeds[0], str(other)], data, tmp_path).tasks) == 6


def same_or_different():
    """Texts with two words of two, whose label is whether they are the same: no word alone says anything."""
    drawn = random.Random(1)
    texts, labels = [], []
    for _ in range(400):
        pair = drawn.choices(["fine", "dull"], k=2)
        words = [*pair, *drawn.choices(["the", "a", "film", "was"], k=drawn.randint(1, 4))]
        drawn.shuffle(words)
        texts.append(" ".join(words))
        labels.append(str(int(pair[0] == pair[1])))
    return instances(texts, labels)


def trained(texts, projection, monkeypatch):
    """A small transformer whose heads have this projection."""
    encoder = {**ENCODERS["transformer"], "projection": projection, "num_layers": 2}
    monkeypatch.setitem(ENCODERS, "trained", encoder)
    made = model("trained", vocab=Vocabulary.from_instances(texts), projection="uniform").train()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.div_(2)
    given = batch(made.vocab, texts)
    optimizer = torch.optim.Adam(made.parameters(), lr=0.02)
    for _ in range(100):
        optimizer.zero_grad()
        made(**given)["loss"].backward()
        optimizer.step()
    return made.eval()


@pytest.mark.slow
@pytest.mark.parametrize("projection, answer", [("softmax", Answer.YES), ("uniform", Answer.NO)])
def test_a_model_uses_its_heads_if_it_was_trained_with_them(projection, answer, monkeypatch):
    texts = same_or_different()
    classifier = trained(texts[:300], projection, monkeypatch)
    perturber = Perturber(classifier, PERTURBATIONS.build(HEADS))
    results = [each.results for each in perturber.perturb(texts[300:])]

    def values(name, field):
        found = [each[name][field] for each in results if name in each]
        return numpy.array([found], dtype=float) if found else None

    inputs = SimpleNamespace(perturbation_values=values)
    assert Used().answer(Case(inputs, None, None)).answer == answer
    assert predictions_depend(inputs) is (answer == Answer.YES)
    assert barely_used(inputs) is (answer == Answer.NO)
