"""On a GPU no step of training waits for the device, but where AllenNLP itself does."""

import pytest
import torch

from attention_explain.modules import projections
from attention_explain.modules.transformer import sinusoids
from tests.builders import PROJECTIONS, batch, instances, model
from tests.waits import device_waits


def tensors_of(inputs):
    return [*inputs["tokens"]["tokens"].values(), inputs["label"]]


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    monkeypatch.setattr(projections, "on_host", lambda values: False)


@pytest.mark.parametrize("encoder", ["bilstm", "affine", "cnn", "transformer"])
@pytest.mark.parametrize("projection", PROJECTIONS)
def test_forward_loss_metrics_and_backward_do_not_wait(encoder, projection, as_on_a_gpu):
    classifier = model(encoder, projection=projection, class_weights="balanced").train()
    inputs = batch(classifier.vocab, instances())
    # The first step looks at the class weights.
    classifier(**inputs)
    with device_waits([*classifier.parameters(), *classifier.buffers(), *tensors_of(inputs)]) as w:
        classifier(**inputs)["loss"].backward()
    assert w == []


def test_the_detector_sees_what_waits():
    values = torch.rand(3)
    own = torch.rand(3)
    with device_waits([values]) as waits:
        doubled = values * 2
        assert own.sum().item() > 0 and own[own > 0].tolist() and waits == []
        bool((doubled > 0).all()), doubled.sum().item(), values[values > 0], values.tolist()
        (doubled + own).nonzero(), doubled.cpu()
    assert [name.removeprefix("aten.") for name in waits] == [
        "_local_scalar_dense", "_local_scalar_dense", "index by a mask", "tolist", "nonzero", "cpu",
    ]  # fmt: skip
    assert values.tolist() and len(waits) == 6


def test_a_fully_masked_row_is_an_error_on_a_device_too(as_on_a_gpu):
    mask = torch.tensor([[True, True], [False, False]])
    with pytest.raises(RuntimeError, match="attention over a fully masked row is undefined"):
        projections.Softmax()(torch.zeros(2, 2), mask)


def test_sinusoids_lie_next_to_the_weights_and_in_no_archive():
    encoder = model("transformer").double().encoder
    assert not any("sinusoids" in name for name in encoder.state_dict())
    longer = torch.zeros(1, 600, 6, dtype=torch.double)
    for inputs in (longer[:, :5], longer, longer[:, :7]):
        vectors = encoder._position_vectors(inputs)
        expected = sinusoids(inputs.size(1), 8).double()
        assert vectors.numpy() == pytest.approx(expected.numpy(), abs=1e-7)
        assert vectors.dtype == torch.double
