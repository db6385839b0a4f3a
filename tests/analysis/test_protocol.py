"""How a model was trained, in words that tell protocols apart."""

from analysis.models import protocol_of

CONFIG = {
    "model": {"loss_reduction": "sum", "encoder": {"type": "lstm", "dropout": 0.0}},
    "data_loader": {"batch_sampler": {"type": "bucket", "batch_size": 32}},
    "trainer": {
        "num_epochs": 8,
        "optimizer": {
            "type": "adam",
            "lr": 0.001,
            "weight_decay": 1e-5,
            "parameter_groups": [[["^attention"], {"weight_decay": 0, "lr": 0.001}]],
        },
    },
}


def test_settings_that_papers_differ_by_are_told():
    assert protocol_of(CONFIG) == "8 epochs, batches of 32, rate 0.001, summed loss"
    trainer = {**CONFIG["trainer"], "patience": 10}
    assert protocol_of({**CONFIG, "trainer": trainer}).startswith("8 epochs (patience 10), ")
    groups = [[["^attention"], {"lr": 0.01}]]
    optimizer = {**trainer["optimizer"], "weight_decay": 0.001, "parameter_groups": groups}
    model = {"loss_reduction": "mean", "encoder": {"dropout": 0.3}, "dropout": 0.5}
    other = {"model": model, "trainer": {"optimizer": optimizer}, "data_loader": {"batch_size": 4}}
    assert protocol_of(other) == (
        "batches of 4, rate 0.001, attention's 0.01, mean loss, dropout 0.3 and 0.5, weight decay 0.001"
    )


def test_what_a_config_does_not_say_is_left_out():
    assert protocol_of({"trainer": {"optimizer": "adam"}}) == ""
