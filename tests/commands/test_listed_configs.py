"""What may stand after `--interpreters`, and that the sets of the papers can be built."""

import json

import pytest

from attention_explain.commands.job_options import listed_configs
from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import (
    build_interpreters,
    known_interpreters,
    parameters,
)
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.builders import instances, model, reader
from tests.commands_run import PROJECT

SETS = sorted((PROJECT / "training_configs/interpreters").glob("*.jsonnet"))


def test_names_json_and_files_in_any_mixture(tmp_path, monkeypatch):
    monkeypatch.setenv("STEPS", "7")
    listed, held = tmp_path / "list.jsonnet", tmp_path / "object.json"
    listed.write_text(
        "['lrp', { type: 'integrated-gradients', steps: std.parseInt(std.extVar('STEPS')) }]"
    )
    held.write_text(json.dumps({"interpreters": ["occlusion"]}))
    arguments = ["attention", '{"type": "random", "seed": 3}', str(listed), str(held), '["lime"]']
    assert listed_configs(arguments, "interpreters") == [
        "attention",
        {"type": "random", "seed": 3},
        "lrp",
        {"type": "integrated-gradients", "steps": 7},
        "occlusion",
        "lime",
    ]


@pytest.mark.parametrize(
    "argument, sentence",
    [
        ("absent.jsonnet", "absent.jsonnet: no such file"),
        ('{"type": ', "is not JSON"),
        ('{"name": "x"}', "is neither a list of interpreters"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(argument, sentence):
    with pytest.raises(InputError, match=sentence):
        listed_configs([argument], "interpreters")


@pytest.mark.parametrize("path", SETS, ids=[path.stem for path in SETS])
def test_every_set_explains_a_text(path):
    encoder = "transformer" if path.stem == "transformer" else "bilstm"
    predictor = SaliencyPredictor(model(encoder), reader())
    built = build_interpreters(listed_configs([str(path)], "interpreters"), predictor)
    assert "attention" in built and "random" in built
    for method in built.values():
        (result,) = method.saliency_interpret_instances(instances()[3:])
        assert len(result["scores"]) == 11


def test_the_sets_have_the_published_options():
    predictor = SaliencyPredictor(model("transformer"), reader())
    sets = {
        path.stem: {
            name: parameters(method)
            for name, method in build_interpreters(
                listed_configs([str(path)], "interpreters"), predictor
            ).items()
        }
        for path in SETS
    }
    assert sets["jain_wallace"] == sets["neely_schouten"]
    gradient = sets["jain_wallace"]["gradient-x-input"]
    assert gradient["absolute"] and gradient["detach_attention"]
    assert gradient["of"] == "probability"
    deletion = sets["jain_wallace"]["leave-one-out"]
    assert (deletion["at"], deletion["measure"]) == ("input", "tvd")
    assert sets["meister"]["gradient"]["norm"] == "l2"
    assert sets["meister"]["gradient-hidden"]["at"] == "hidden"
    assert sets["meister"]["leave-one-out-hidden"]["at"] == "hidden"
    assert all(
        sets["meister"][name]["normalize"]
        for name in sets["meister"]
        if name.startswith(("gradient", "leave"))
    )
    assert set(sets["transformer"]) == set(sets["all"]) | {
        "attention-rollout",
        "attention-flow",
        "value-weighted-attention",
        "value-zeroing",
        "alti",
        "decompx",
        "attn-lrp",
    }
    kinds = {options["type"] for options in sets["transformer"].values()}
    assert kinds == set(known_interpreters())
