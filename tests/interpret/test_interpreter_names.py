"""From names and configs to interpreters: what is accepted, and the sentence for what is not."""

import pytest
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter

from attention_explain.errors import InputError
from attention_explain.interpret.attention_and_chance import RandomScores
from attention_explain.interpret.gradient import Gradient
from attention_explain.interpret.interpreter import (
    Interpreter,
    build_interpreters,
    known_interpreters,
    parameters,
    properties,
)
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.builders import model, reader


@pytest.fixture(scope="module")
def predictor():
    return SaliencyPredictor(model(), reader())


def test_names_and_configs_in_the_order_given(predictor):
    config = {"type": "gradient", "norm": "l1", "name": "gradient-l1"}
    built = build_interpreters(["random", config, "gradient"], predictor)
    assert list(built) == ["random", "gradient-l1", "gradient"]
    assert built["gradient-l1"].norm == "l1" and built["gradient"].norm == "l2"
    # A config may be used again.
    assert config == {"type": "gradient", "norm": "l1", "name": "gradient-l1"}


def test_a_seed_goes_to_the_methods_that_draw_and_have_none(predictor):
    configs = ["random", {"type": "smoothgrad", "seed": 3}, "gradient"]
    built = build_interpreters(configs, predictor, seed=9)
    assert built["random"].seed == 9 and built["smoothgrad"].seed == 3


def test_parameters_include_the_defaults(predictor):
    method = build_interpreters([{"type": "integrated-gradients", "steps": 7}], predictor)
    assert parameters(method["integrated-gradients"]) == {
        "type": "integrated-gradients",
        "steps": 7,
        "rule": "gauss_legendre",
        "baseline": "zero",
        "of": "probability",
        "tolerance": 0.05,
    }
    assert properties(method["integrated-gradients"]) == {
        "signed": True,
        "deterministic": True,
        "sums_to": "output of the text - output of the baseline",
        "passes": "7 forward and backward, 2 forward",
        "pieces": "sum",
    }


def test_only_our_own_methods_are_known():
    known = known_interpreters()
    assert {"attention", "gradient", "integrated-gradients", "random", "smoothgrad"} < set(known)
    # AllenNLP's.
    assert not {"simple-gradient", "integrated-gradient", "smooth-gradient"} & set(known)


@pytest.mark.parametrize(
    "configs, sentence",
    [
        (
            ["lrx"],
            r"there is no interpreter 'lrx'; did you mean 'lrp'\? there are alti, attention, .*gradient",
        ),
        (["simple-gradient"], "there is no interpreter 'simple-gradient'"),
        (["random", "random"], "two interpreters are called 'random'; give one of them another"),
        ([], "no interpreter is named; there are alti, attention"),
        ("lrp", "interpreters must be a list of names or configs, but is 'lrp'"),
        ({"type": "lrp"}, "interpreters must be a list"),
        ([7], "an interpreter is a name or an object with a 'type', but one is 7"),
        ([{"norm": "l1"}], "an interpreter is a name or an object with a 'type'"),
        ([{"type": "random", "name": "tokens"}], "cannot be called 'tokens'"),
        ([{"type": "random", "name": "a.b"}], "must have no dot"),
        ([{"type": "random", "name": ""}], "cannot be called ''"),
        ([{"type": "gradient", "nrom": "l1"}], "interpreter 'gradient': Extra parameters .*nrom"),
        ([{"type": "gradient", "norm": 1}], "interpreter 'gradient': Expected norm to be a str"),
        (
            [{"type": "occlusion", "of": "hidden", "output": "logit"}],
            "interpreter 'occlusion': its option 'output' is called 'of' now, and what was 'of', "
            "input or hidden, is 'at'",
        ),
        (
            [{"type": "leave-one-out", "of": "hidden"}],
            "interpreter 'leave-one-out': of is 'hidden', which is called 'at' now: say 'at': 'hid",
        ),
        ([{"type": "gradient", "norm": "l9"}], "interpreter 'gradient': norm is 'l9'"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(predictor, configs, sentence):
    with pytest.raises(InputError, match=sentence) as raised:
        build_interpreters(configs, predictor)
    assert "\n" not in raised.value.message


@pytest.fixture
def registered():
    """Registers a method as a plugin would, for as long as the test takes."""
    registry = SaliencyInterpreter._registry[SaliencyInterpreter]
    before = dict(registry)
    yield SaliencyInterpreter.register
    registry.clear()
    registry.update(before)


def test_a_plugin_may_hand_options_on(predictor, registered):
    @registered("mine")
    class Mine(RandomScores):
        def __init__(self, predictor, width: int = 2, **kw):
            super().__init__(predictor, **kw)
            self.width = width

    built = build_interpreters([{"type": "mine", "width": 3}], predictor, seed=9)["mine"]
    assert parameters(built) == {"type": "mine", "width": 3, "seed": 9}


def test_what_a_plugin_does_not_declare_is_named(predictor, registered):
    @registered("undeclared")
    class Undeclared(Interpreter):
        passes = "none"

    with pytest.raises(InputError, match="'undeclared': Undeclared has no attribute 'signed'"):
        build_interpreters(["undeclared"], predictor)


def test_an_option_that_a_plugin_does_not_keep_is_named(predictor, registered):
    @registered("forgetful")
    class Forgetful(Gradient):
        def __init__(self, predictor, width: int = 2):
            super().__init__(predictor)

    built = build_interpreters(["forgetful"], predictor)["forgetful"]
    with pytest.raises(InputError, match="'forgetful': Forgetful has no attribute 'width'"):
        parameters(built)
