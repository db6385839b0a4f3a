"""On a GPU: how often the host waits while a batch is explained, and what is on while it is."""

from dataclasses import replace

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from attention_explain.counterfactual.perturbation import Perturber
from attention_explain.errors import InputError
from attention_explain.interpret.explainer import Explainer
from attention_explain.interpret.interpreter import known_interpreters
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.modules import projections
from attention_explain.passes import DEFAULT_BUDGET, GPU_BUDGET, default_budget
from tests.builders import ENCODERS, instances, model, vocabulary
from tests.interpret.no_trace import interpreter
from tests.waits import device_waits

# Whatever the texts: to halve the steps of those that need it; to read what coalitions gave.
ALLOWED = {"integrated-gradients": 6, "kernel-shap": 1, "lime": 1}
# The flow through a graph is found on the host.
ON_THE_HOST = "attention-flow"


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("name", [name for name in known_interpreters() if name != ON_THE_HOST])
def test_a_batch_is_explained_without_waiting_for_each_text(name, encoder, monkeypatch):
    monkeypatch.setattr(projections, "on_host", lambda values: False)
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True))
    options = {"samples": 4} if name in ("smoothgrad", "lime", "kernel-shap") else {}
    try:
        method = interpreter(name, classifier, **options)
    except (ConfigurationError, InputError):
        pytest.skip("the method rejects the encoder")
    batch = TextBatch.of(classifier, instances(boundary_symbols=True), budget=30)
    # On a CPU the host's copy is the device's own.
    batch = replace(batch, seen=batch.seen.clone())
    target = torch.zeros(len(batch), dtype=torch.long)
    there = [*classifier.parameters(), *classifier.buffers(), batch.mask, batch.attendable, target]
    with device_waits([*there, *batch.tokens["tokens"].values()]) as waits:
        method.attribute(batch, target)
    assert len(waits) <= ALLOWED.get(name, 0), waits


@pytest.mark.parametrize("name", known_interpreters())
def test_cudnn_is_off_only_where_something_goes_back(name, monkeypatch):
    classifier = model("transformer")
    method = interpreter(name, classifier)
    seen = []
    encode = classifier.encode
    gradients = torch.autograd.grad

    def watched(*arguments):
        seen.append(torch.backends.cudnn.enabled)
        return encode(*arguments)

    def going_back(*arguments, **options):
        assert not torch.backends.cudnn.enabled
        return gradients(*arguments, **options)

    monkeypatch.setattr(classifier, "encode", watched)
    monkeypatch.setattr(torch.autograd, "grad", going_back)
    method.saliency_interpret_instances(instances())
    assert set(seen) <= {not method.goes_back}


def test_the_budget_goes_by_the_device_unless_it_is_given():
    assert default_budget("cpu") == DEFAULT_BUDGET < default_budget("cuda") == GPU_BUDGET
    classifier = model()
    assert Explainer(classifier, {}).budget == Perturber(classifier, {}).budget == DEFAULT_BUDGET
    assert TextBatch.of(classifier, instances()).budget == DEFAULT_BUDGET
    assert Explainer(classifier, {}, budget=7).budget == Perturber(classifier, {}, 7).budget == 7
    on_another = torch.nn.Linear(1, 1, device="meta")
    classifier.parameters = on_another.parameters
    assert Explainer(classifier, {}).budget == Perturber(classifier, {}).budget == GPU_BUDGET


def test_a_text_without_a_token_is_rejected_before_it_is_on_the_device():
    classifier = model(vocab=vocabulary(boundary_symbols=True))
    made = instances(boundary_symbols=True)
    made[1]["attendable"].tensor = torch.zeros_like(made[1]["attendable"].tensor)
    with pytest.raises(InputError, match="an instance has no token it can attend to"):
        TextBatch.of(classifier, made)
