"""What holds for every perturbation: batches, seeds, padding, and a model left as it was."""

import math

import pyarrow
import pyarrow.parquet
import pytest
import torch

from attention_explain.counterfactual.perturbation import PERTURBATIONS, Perturbation, Perturber
from attention_explain.counterfactual.self_attending import SelfAttending
from attention_explain.errors import InputError
from attention_explain.files.perturbations import Field
from tests.builders import LABELS, TEXTS, instances, model
from tests.counterfactual.fixed import perturber, sharp_model
from tests.interpret.no_trace import trace

OPTIONS = {
    "instance-adversary": {"steps": 80},
    "permutation": {"permutations": 20},
    "each-head": {"change": "permuted"},
}
NAMES = PERTURBATIONS.known()
OF_LAYERS = [name for name in NAMES if Perturbation.by_name(name).takes is SelfAttending]
SEEDED = [
    name for name in NAMES if "seed" in PERTURBATIONS.option_names(Perturbation.by_name(name))
]


@pytest.fixture
def build(tmp_path):
    """The perturbation of that name alone; `other-model` gets weights for all texts."""

    def perturber_of(name, classifier, **options):
        options = {**OPTIONS.get(name, {}), **options}
        if name == "other-model":
            options["file"] = str(tmp_path / "other.parquet")
            texts = instances()
            weights = []
            for text in texts:
                raw = [position + 1.0 for position in range(len(text["tokens"]))]
                weights.append([weight / sum(raw) for weight in raw])
            ids = [text["metadata"].metadata["id"] for text in texts]
            column = pyarrow.array(weights, pyarrow.list_(pyarrow.float32()))
            words = [text["metadata"].metadata["tokens"] for text in texts]
            table = pyarrow.table({"id": ids, "tokens": words, "attention": column})
            pyarrow.parquet.write_table(table, options["file"])
        return perturber(classifier, name, **options)

    return perturber_of


def fitting_model(name, encoder="bilstm"):
    return sharp_model("transformer" if name in OF_LAYERS else encoder)


def flat(value):
    """As a list of numbers; undefined ones are -1."""
    values = value if isinstance(value, list) else [value]
    return [-1.0 if each is None else float(each) for each in values]


def same(one, other, tolerance=1e-6):
    assert one.keys() == other.keys()
    for field in one:
        assert flat(one[field]) == pytest.approx(flat(other[field]), abs=tolerance), field


def test_all_the_names_are_there():
    assert NAMES == [
        "drop-top",
        "each-head",
        "heads-off",
        "instance-adversary",
        "other-model",
        "permutation",
        "permuted-heads",
        "random",
        "removal-order",
        "uniform",
        "uniform-heads",
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("encoder", ["bilstm", "cnn"])
def test_a_text_alone_gives_the_same_as_in_any_batch(name, encoder, build):
    work = build(name, fitting_model(name, encoder))
    texts = instances(boundary_symbols=True)
    together = work.perturb(texts)
    turned = work.perturb(texts[::-1])[::-1]
    work.budget = 30
    in_batches = work.perturb(texts)
    for row, text in enumerate(texts):
        (alone,) = work.perturb([text])
        for other in (turned[row], in_batches[row], alone):
            same(together[row].results[name], other.results[name])
            assert together[row].probs == pytest.approx(other.probs, abs=1e-6)
            assert together[row].attention == pytest.approx(other.attention, abs=1e-6)


@pytest.mark.parametrize("name", SEEDED)
def test_random_numbers_belong_to_the_instance_and_the_seed(name, build):
    classifier = fitting_model(name)
    same_text = instances(TEXTS[1:2] * 2, LABELS[1:2] * 2, boundary_symbols=True)
    first, other_id = build(name, classifier, seed=1).perturb(same_text)
    again, _ = build(name, classifier, seed=1).perturb(same_text)
    other_seed, _ = build(name, classifier, seed=2).perturb(same_text)
    assert first.results == again.results
    assert first.results != other_id.results
    assert first.results != other_seed.results


@pytest.mark.parametrize("name", NAMES)
def test_results_have_the_declared_fields_and_no_padding(name, build):
    work = build(name, fitting_model(name))
    kinds = work.perturbations[name].fields
    for text in work.perturb(instances(boundary_symbols=True)):
        assert len(text.attention) == len(text.tokens) and sum(text.attention) == pytest.approx(1)
        assert list(text.results[name]) == list(kinds)
        for field, value in text.results[name].items():
            if kinds[field] is Field.TOKENS:
                assert len(value) == len(text.tokens)
            elif kinds[field] is Field.LIST:
                assert all(map(math.isfinite, value))
            elif kinds[field] is Field.FLAG:
                assert value is None or isinstance(value, bool)
            else:
                assert value is None or math.isfinite(value)


def test_what_is_undefined_is_none(build):
    results = build("drop-top", sharp_model()).perturb(instances(boundary_symbols=True))
    undefined = [set(text.results["drop-top"].values()) == {None} for text in results]
    assert undefined == [False, False, True, False]


@pytest.mark.parametrize("name", NAMES)
def test_the_model_is_left_as_it_was(name, build, monkeypatch):
    classifier = fitting_model(name)
    work = build(name, classifier)
    classifier.train()
    classifier.encoder.eval()
    for parameter in classifier.parameters():
        parameter.grad = torch.ones_like(parameter)
    before = trace(classifier)
    texts = instances(boundary_symbols=True)
    work.perturb(texts)
    assert trace(classifier) == before

    def crash(*arguments):
        raise RuntimeError("crash in the middle")

    monkeypatch.setattr(type(work.perturbations[name]), "perturb", crash)
    with pytest.raises(RuntimeError, match="crash in the middle"):
        work.perturb(texts)
    assert trace(classifier) == before


def test_labels_are_passed_on_and_not_needed(build):
    classifier = sharp_model()
    labeled = build("uniform", classifier).perturb(instances(boundary_symbols=True))
    without = build("uniform", classifier).perturb(instances(labels=None, boundary_symbols=True))
    assert [text.gold for text in labeled] == LABELS and without[0].gold is None
    assert [text.results for text in labeled] == [text.results for text in without]


@pytest.mark.parametrize(
    "configs, sentence",
    [
        (["permute"], r"there is no perturbation 'permute'; .*\? there are drop-top, each-head"),
        ([], "no perturbation is named"),
        (["uniform", "uniform"], "two perturbations are called 'uniform'"),
        ([{"type": "uniform", "name": "a.b"}], "a perturbation cannot be called 'a.b'.*no dot$"),
        ([{"type": "uniform", "seed": 1}], "perturbation 'uniform': "),
        ([{"type": "permutation", "permutations": "many"}], "perturbation 'permutation': "),
        ([{"type": "other-model"}], "perturbation 'other-model': .*file"),
        ([{"name": "x"}], "a perturbation is a name or an object with a 'type'"),
    ],
)
def test_bad_configs_are_named(configs, sentence):
    with pytest.raises(InputError, match=sentence):
        PERTURBATIONS.build(configs)


def test_a_seed_is_for_those_that_have_none():
    configs = ["permutation", {"type": "random", "seed": 3}, "uniform"]
    built = PERTURBATIONS.build(configs, seed=7)
    assert PERTURBATIONS.parameters(built["permutation"]) == {
        "type": "permutation",
        "permutations": 100,
        "seed": 7,
    }
    assert built["random"].seed == 3
    assert PERTURBATIONS.parameters(built["uniform"]) == {"type": "uniform"}


def test_only_an_attention_classifier_can_be_perturbed():
    with pytest.raises(InputError, match="attention_classifier.*, not a Linear"):
        Perturber(torch.nn.Linear(1, 1), PERTURBATIONS.build(["uniform"]))


@pytest.mark.parametrize("name", OF_LAYERS)
def test_layers_are_needed_to_change_them(name):
    sentence = f"perturbation '{name}': it needs an encoder with layers of self-attention"
    with pytest.raises(InputError, match=sentence):
        Perturber(model("bilstm"), PERTURBATIONS.build([name]))


def test_texts_are_checked_before_any_work(build, monkeypatch):
    work = build("other-model", model())
    monkeypatch.setattr(Perturber, "perturb_batch", lambda *given: pytest.fail("work was begun"))
    with pytest.raises(InputError, match="has no text with id 'text-4'"):
        work.perturb(instances([*TEXTS, "one more"], [*LABELS, "0"]))
