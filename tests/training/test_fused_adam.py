"""`fused_adam` takes the steps of `adam`."""

import torch
from allennlp.common import Params
from allennlp.training.optimizers import Optimizer

GROUPS = [[["^bias"], {"weight_decay": 0, "lr": 0.05}]]
SETTINGS = {"lr": 0.1, "amsgrad": True, "weight_decay": 0.01, "betas": [0.8, 0.9], "eps": 1e-6}


def trained(name: str) -> torch.nn.Linear:
    torch.manual_seed(0)
    model = torch.nn.Linear(5, 3)
    texts, labels = torch.randn(8, 5), torch.randn(8, 3)
    params = Params({"type": name, "parameter_groups": GROUPS, **SETTINGS})
    optimizer = Optimizer.from_params(params, model_parameters=list(model.named_parameters()))
    for _ in range(20):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(texts), labels).backward()
        optimizer.step()
    return model


def test_it_takes_the_same_steps():
    ours, theirs = trained("fused_adam"), trained("adam")
    for name, parameter in theirs.named_parameters():
        found = dict(ours.named_parameters())[name]
        torch.testing.assert_close(found, parameter, atol=1e-6, rtol=1e-5)
