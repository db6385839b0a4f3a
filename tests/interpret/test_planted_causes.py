"""
On sentences whose causes are known, methods that remove or integrate must find them: a trained
BiLSTM, every method, and chance next to them.
"""

import json

import pytest
from allennlp.commands.train import TrainModel
from allennlp.common import Params
from allennlp.common.util import prepare_environment

from attention_explain.interpret.interpreter import build_interpreters
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.analysis.plausibility.slow import marked_first
from tests.commands_run import PROJECT

METHODS = [
    "attention",
    "gradient",
    "gradient-x-input",
    {"type": "integrated-gradients", "steps": 20},
    "lrp",
    "deeplift",
    "occlusion",
    {"type": "leave-one-out", "measure": "signed"},
    "random",
]


@pytest.fixture(scope="module")
def shares(tmp_path_factory) -> dict[str, float]:
    """The share of correctly predicted texts in which each method puts a planted cause first."""
    overrides = {
        "dataset_reader.sizes": {"train": 1500, "dev": 100, "test": 150},
        "trainer.num_epochs": 4,
        "trainer.cuda_device": -1,
        "trainer.checkpointer": None,
    }
    config = PROJECT / "training_configs" / "planted" / "bilstm_tanh_softmax.jsonnet"
    params = Params.from_file(config, json.dumps(overrides))
    prepare_environment(params)
    folder = str(tmp_path_factory.mktemp("planted"))
    loop = TrainModel.from_params(params, serialization_dir=folder, local_rank=0)
    loop.run()
    reader = loop.trainer.data_loader.reader
    instances = list(reader.read("test"))
    outputs = loop.model.forward_on_instances(instances)
    right = [
        instance
        for instance, output in zip(instances, outputs)
        if output["label"] == output["gold"]
    ]
    assert len(right) > 140
    predictor = SaliencyPredictor(loop.model, reader)
    found = {}
    for name, interpreter in build_interpreters(METHODS, predictor).items():
        results = interpreter.saliency_interpret_instances(right)
        hits = [
            marked_first(result["scores"], instance["metadata"].metadata["rationale"])
            for result, instance in zip(results, right)
        ]
        found[name] = sum(hits) / len(hits)
    print(*(f"{name}: {share:.3f}" for name, share in found.items()), sep="\n")
    return found


@pytest.mark.parametrize("method", ["leave-one-out", "occlusion", "integrated-gradients"])
def test_a_planted_cause_comes_first(shares, method):
    assert shares[method] >= 0.9


@pytest.mark.parametrize("method", ["lrp", "deeplift", "gradient-x-input"])
def test_no_method_that_multiplies_by_the_input_is_far_behind(shares, method):
    assert shares[method] >= 0.7


def test_random_scores_are_near_chance(shares):
    assert shares["random"] < 0.2
