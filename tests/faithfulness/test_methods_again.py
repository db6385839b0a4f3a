"""Measures that apply a method again: to other parameters, to noise, and to a shifted input."""

import copy

import numpy
import pytest
import torch
from scipy.stats import spearmanr

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import MEASURES
from attention_explain.faithfulness.stability import STAGES, cascade, shifted
from attention_explain.interpret.interpreter import Interpreter
from attention_explain.passes import generator_for
from tests.builders import DIM, ENCODERS, TEXTS, batch, instances
from tests.faithfulness.judging import judged, scores_of
from tests.faithfulness.test_outputs import classifier
from tests.interpret.no_trace import trace

METHODS = {
    "gradient": {"parameters": {"type": "gradient-x-input"}},
    "attention": {"parameters": {"type": "attention"}},
    "zero": {"parameters": {"type": "integrated-gradients", "steps": 4}},
    "theirs": {},
}


def scores(made):
    found = {
        name: scores_of(made, **about["parameters"]) for name, about in METHODS.items() if about
    }
    return {**found, "theirs": found["gradient"]}


# Randomised parameters ------------------------------------------------------------------------


def test_stages_are_re_initialised_one_after_the_other():
    made = classifier()
    before = copy.deepcopy(made.state_dict())
    models = cascade(made, seed=0)
    assert [stage for stage, _ in models] == list(STAGES)
    for number, (_, other) in enumerate(models, 1):
        parts = ["decoder", "attention", "encoder", "text_field_embedder"]
        for position, part in enumerate(parts):
            for (name, old), new in zip(
                getattr(made, part).named_parameters(), getattr(other, part).parameters()
            ):
                if old.numel() > 1:
                    assert torch.equal(old, new) == (position >= number), (part, name)
        decoders = [each.decoder.weight for _, each in models]
        assert all(torch.equal(decoders[0], each) for each in decoders)
    assert all(torch.equal(before[name], value) for name, value in made.state_dict().items())
    again = cascade(made, seed=0)[-1][1].state_dict()
    assert all(
        torch.equal(again[name], value) for name, value in models[-1][1].state_dict().items()
    )
    other = cascade(made, seed=1)[-1][1].state_dict()
    assert not torch.equal(other["decoder.weight"], again["decoder.weight"])


@pytest.mark.parametrize("name", ["parameter_randomization", "sensitivity"])
def test_slow_methods_need_not_be_applied_again(name):
    made = classifier()
    given = scores(made)
    every = judged(made, given, name, methods=METHODS)
    some = judged(made, given, {"type": name, "without": ["gradient"]}, methods=METHODS)
    for all_rows, rows in zip(every, some, strict=True):
        for key, row in rows.items():
            if key[0] == "gradient" and key[1] != "tied":
                assert row.value is None and row.undefined == "excluded by the option 'without'"
            else:
                assert (row.value, row.undefined) == (all_rows[key].value, all_rows[key].undefined)


@pytest.mark.parametrize("by", ["signed", "size"])
def test_it_is_the_rank_correlation_with_the_scores_of_the_other_models(by):
    made = classifier()
    name = "parameter_randomization"
    given = scores(made)
    found = judged(made, given, name, methods=METHODS, by=by)
    size = numpy.abs if by == "size" else numpy.asarray
    for method in ("gradient", "attention"):
        values = {}
        for stage, other in cascade(made, 0):
            again = scores_of(other, **METHODS[method]["parameters"])
            values[stage] = [
                spearmanr(size(one), size(two)).statistic if len(one) > 1 else None
                for one, two in zip(given[method], again)
            ]
        for number, rows in enumerate(found):
            of_stages = [values[stage][number] for stage in STAGES]
            for stage, value in zip(STAGES, of_stages):
                row = rows[method, f"{name}_{stage}"]
                assert row.value == pytest.approx(value, abs=1e-9)
                assert (row.undefined is None) == (value is not None)
            if None not in of_stages:
                assert rows[method, name].value == pytest.approx(numpy.mean(of_stages))
    # Attention does not look at the decoder.
    assert found[1]["attention", f"{name}_decoder"].value == pytest.approx(1.0)
    assert found[1]["attention", f"{name}_attention"].value < 0.999
    assert "are unknown" in found[1]["theirs", name].undefined


def test_the_last_stage_alone_has_the_same_numbers():
    made = classifier()
    given = scores(made)
    name = "parameter_randomization"
    whole = judged(made, given, name, methods=METHODS)
    last = judged(made, given, {"type": name, "intermediate": False}, methods=METHODS)
    for rows, alone in zip(whole, last, strict=True):
        for method in ("gradient", "attention"):
            expected = rows[method, f"{name}_embeddings"].value
            assert alone[method, f"{name}_embeddings"].value == expected
            assert alone[method, name].value == expected
            assert (method, f"{name}_encoder") not in alone


# Noise -----------------------------------------------------------------------------------------


def test_sensitivity_is_the_largest_relative_change_under_noise():
    made = classifier()
    given = scores(made)
    config = {"type": "sensitivity", "samples": 3, "radius": 0.5}
    found = judged(made, given, config, methods=METHODS)
    original = made.embed
    for number, text in enumerate(TEXTS):
        generator = generator_for(0, f"text-{number}", "sensitivity")
        words = len(text.split())
        changes = []
        for _ in range(3):
            drawn = 2 * torch.rand(words, DIM, generator=generator) - 1

            def noisy(tokens, drawn=drawn, words=words):
                vectors = original(tokens).clone()
                own = vectors[0, 1 : 1 + words]
                deviation = ((own - own.mean()) ** 2).mean().sqrt()
                vectors[0, 1 : 1 + words] = own + 0.5 * deviation * drawn
                return vectors

            made.embed = noisy
            (other,) = scores_of(made, [text], type="gradient-x-input")
            del made.embed
            before = numpy.array(given["gradient"][number])
            changes.append(
                numpy.linalg.norm(numpy.array(other) - before) / numpy.linalg.norm(before)
            )
        row = found[number]["gradient", "sensitivity"]
        assert row.value == pytest.approx(max(changes), abs=1e-6) and row.value > 0
        assert "are unknown" in found[number]["theirs", "sensitivity"].undefined


@pytest.mark.parametrize("measure", ["sensitivity", "input_shift", "parameter_randomization"])
def test_a_text_that_a_method_cannot_take_changes_nothing_for_the_others(monkeypatch, measure):
    made = classifier()
    given = scores(made)
    expected = judged(made, given, measure, methods=METHODS)
    monkeypatch.setattr(Interpreter, "max_tokens", 5)
    found = judged(made, given, measure, methods=METHODS)
    for text, before, after in zip(TEXTS, expected, found, strict=True):
        for method in ("gradient", "attention", "zero"):
            was, now = before[method, measure], after[method, measure]
            if len(text.split()) > 5:
                assert now.undefined.startswith("more than 5 tokens")
            else:
                assert now.undefined == was.undefined
                assert now.value == pytest.approx(was.value, abs=1e-12)


def test_no_trace_is_left():
    made = classifier()
    for parameter in made.parameters():
        parameter.grad = torch.ones_like(parameter)
    before = trace(made)
    given = {"gradient": scores_of(made, type="gradient-x-input")}
    for measure in ("sensitivity", "input_shift", "parameter_randomization", "soft_sufficiency"):
        judged(made, given, measure, methods=METHODS)
        assert trace(made) == before and "embed" not in vars(made)


# A shifted input -------------------------------------------------------------------------------


@pytest.mark.parametrize("encoder", [name for name in ENCODERS if name != "cnn"])
def test_a_shifted_model_says_of_shifted_inputs_what_the_model_says(encoder):
    made = classifier(encoder)
    texts = batch(made.vocab, instances(boundary_symbols=True))
    expected = made(**texts)["logits"]
    other = shifted(made, 0.7)
    original = other.embed
    other.embed = lambda tokens: original(tokens) + 0.7
    assert torch.allclose(other(**texts)["logits"], expected, atol=1e-9)


def test_methods_with_a_fixed_reference_are_found_out():
    made = classifier("affine")
    found = judged(made, scores(made), "input_shift", methods=METHODS)
    for rows in found:
        assert rows["attention", "input_shift"].value == pytest.approx(0.0, abs=1e-9)
        assert rows["zero", "input_shift"].value > 0.01
        assert "are unknown" in rows["theirs", "input_shift"].undefined


def test_an_encoder_without_such_a_bias_says_so():
    made = classifier("cnn")
    (rows, *_) = judged(made, scores(made), "input_shift", methods=METHODS)
    assert "affine, lstm, transformer" in rows["gradient", "input_shift"].undefined


@pytest.mark.parametrize("option", [{"samples": 0}, {"radius": 0.0}])
def test_options_that_make_no_sense_are_rejected(option):
    with pytest.raises(InputError, match=next(iter(option))):
        MEASURES.build([{"type": "sensitivity", **option}])
