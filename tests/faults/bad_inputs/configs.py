"""Configs of trainings."""

import json
from typing import Any, Callable, Dict, Iterator, List, Tuple

from tests.builders import DIM
from tests.faults.bad_inputs.case import (
    DAMAGE,
    RUN,
    Case,
    both,
    changed,
    setting,
    written,
)


def config_changes() -> Iterator[Tuple[str, Callable[[bytes], bytes]]]:
    """By name, from the right config to a wrong one."""
    yield from ((name, change) for name, change in DAMAGE.items() if name != "flipped")
    for section in ("dataset_reader", "model", "train_data_path", "data_loader", "trainer"):
        yield f"no {section}", setting(section, to=...)
        for value in (3, [], None, "none such", True):
            yield f"{section} is {value}", setting(section, to=value)
    others: Dict[str, Tuple[Any, ...]] = {
        "train_data_path": ({}, ["data.jsonl"], {"a": 1}),
        "validation_data_path": (3, [], True, ["data.jsonl"], {"a": 1}),
        "test_data_path": (3, [], True),
        "data_loader": ({}, {"batch_size": None}, {"batch_size": -1}),
        "validation_data_loader": ([], {}, 0),
        "validation_dataset_reader": (3, True, "none such"),
        "vocabulary": (None, 3, "none such"),
        "datasets_for_vocab_creation": (3, True, "train"),
        "include_in_archive": (3, True),
        "distributed": (3, [], True, "none such"),
        "random_seed": ([], "none such", {"a": 1}),
        "numpy_seed": ([], "none such", -1),
        "pytorch_seed": ([], "none such", 1.5),
        "type": (None, 3, True, "none such"),
    }
    for section, values in others.items():
        for value in values:
            yield f"{section} is {value} instead", setting(section, to=value)
    model: List[Tuple[Tuple[str, ...], Any]] = [
        (("attentoin",), {}),
        (("type",), None),
        (("type",), 3),
        (("encoder",), ...),
        (("encoder",), None),
        (("encoder",), "none"),
        (("encoder", "input_dim"), 999),
        (("encoder", "hidden_dim"), "many"),
        (("encoder", "type"), "lstm_"),
        (("text_field_embedder",), ...),
        (("text_field_embedder",), {}),
        (("text_field_embedder",), None),
        (("text_field_embedder", "token_embedders", "tokens", "embedding_dim"), "x"),
        (("text_field_embedder", "token_embedders", "tokens", "pretrained_file"), "none.txt"),
        (("attention",), None),
        (("attention",), {"projection": "softmaxx"}),
        (("attention",), {"projection": {"type": "entmax", "alpha": 0.5}}),
        (("attention",), {"scorer": "none"}),
        (("class_weights",), {"9": 1.0}),
        (("class_weights",), "heavy"),
        (("class_weights",), {"0": -1, "1": 1}),
        (("class_weights",), {"0": 0, "1": 0}),
        (("class_weights",), {"0": True, "1": 1}),
        (("class_weights",), {"0": None, "1": 1}),
        (("encoder", "hidden_dim"), True),
        (("encoder", "hidden_dim"), None),
        (("encoder", "hidden_dim"), 10**9),
        (("encoder", "hidden_dim"), 10**18),
        (("text_field_embedder", "token_embedders", "tokens", "embedding_dim"), None),
        (("text_field_embedder", "token_embedders", "tokens", "embedding_dim"), True),
        (("initializer",), {"regexes": [["(", {"type": "normal"}]]}),
        (("loss_reduction",), "median"),
        (("min_label_count",), 100),
    ]
    trainer: List[Tuple[Tuple[str, ...], Any]] = [
        (("num_epoch",), 3),
        (("num_epochs",), 0),
        (("num_epochs",), -1),
        (("num_epochs",), "three"),
        (("num_epochs",), [1]),
        (("num_epochs",), None),
        (("num_gradient_accumulation_steps",), 0),
        (("cuda_device",), 7),
        (("cuda_device",), "gpu"),
        (("cuda_device",), []),
        (("cuda_device",), 1.5),
        (("use_amp",), True),
        (("patience",), -1),
        (("patience",), "long"),
        (("validation_metric",), "accuracy"),
        (("validation_metric",), "+none"),
        (("validation_metric",), None),
        (("optimizer",), None),
        (("optimizer",), "none"),
        (("optimizer",), {"type": "adam", "lr": "fast"}),
        (("optimizer",), {"type": "adam", "rate": 1}),
        (("grad_norm",), "small"),
        (("grad_norm",), None),
        (("grad_norm",), 0),
        (("grad_norm",), -1),
        (("grad_clipping",), 0),
        (("num_epochs",), True),
        (("num_epochs",), 10**18),
        (("patience",), True),
        (("no_grad",), ["("]),
        (("no_grad",), [".*"]),
        (("optimizer",), {"type": "sgd", "lr": None}),
        (("optimizer",), {"type": "sgd", "lr": True}),
        (("optimizer",), {"type": "sgd", "lr": 1e20}),
        (("optimizer",), {"type": "sgd", "lr": 1e10, "weight_decay": 1e10}),
        (("optimizer",), {"type": "sgd", "lr": 1, "parameter_groups": [[["("], {}]]}),
        (("optimizer",), {"type": "sgd", "lr": 1, "parameter_groups": 3}),
        (("optimizer",), {"type": "sgd", "lr": 1, "parameter_groups": [[[".*"], {"lr": "x"}]]}),
        (
            ("optimizer",),
            {"type": "sgd", "lr": 1, "parameter_groups": [[[".*"], {"requires_grad": False}]]},
        ),
        (("learning_rate_scheduler",), "none"),
        (("callbacks",), 3),
        (("callbacks",), ["none"]),
        (("callbacks",), [{"type": "adversarial_attention", "base": "none", "lambda_": 0.1}]),
        (("callbacks",), [{"type": "adversarial_attention", "base": RUN, "lambda_": -1}]),
        (("callbacks",), [{"type": "deceptive_attention"}]),
        (("checkpointer",), {"keep": 3}),
    ]
    for section, changes in (("model", model), ("trainer", trainer)):
        for path, value in changes:
            name = ".".join((section, *path))
            told = "out" if value is ... else json.dumps(value)
            yield f"{name} {told}", setting(section, *path, to=value)
    reader: Dict[str, Any] = {
        "tokenizer": "none",
        "min_tokens": "few",
        "max_tokens": 0,
        "labels": ["0"],
        "fields": 3,
        "token_indexers": {"tokens": "none"},
        "colour": "red",
        "type": 3,
        "max_instances": -1,
    }
    for name, value in reader.items():
        yield f"dataset_reader.{name} {value}", setting("dataset_reader", name, to=value)
    yield "batches of 0", setting("data_loader", "batch_size", to=0)
    loader: Dict[str, Any] = {
        "num_workers": -1,
        "batches_per_epoch": 0,
        "max_instances_in_memory": 3,
        "cuda_device": "gpu",
    }
    for name, value in loader.items():
        yield f"data_loader.{name} {value}", setting("data_loader", name, to=value)
    for noise in (-1, None, True):
        sampler = {"type": "bucket", "batch_size": 4, "padding_noise": noise}
        yield f"padding_noise {noise}", setting("data_loader", to={"batch_sampler": sampler})
    yield "batches of true", setting("data_loader", "batch_size", to=True)
    for vocabulary in (
        {"vectors_of": "all"},
        {"vectors_of": "all", "vectors_file": "none.txt"},
        {"vectors_of": ["trian"], "vectors_file": "data.jsonl"},
    ):
        changed_to = {"type": "document_frequency", **vocabulary}
        yield f"vocabulary {json.dumps(vocabulary)}", setting("vocabulary", to=changed_to)
    yield "a remote path", setting("train_data_path", to="s3://no-such-bucket-here/data.jsonl")
    yield "batches of none", setting("data_loader", "batch_size", to="none")
    yield "an unknown loader", setting("data_loader", "type", to="none")
    yield "an unknown key", setting("modle", to={})
    yield "no dev data", setting("validation_data_path", to="none.jsonl")
    yield "no test data", setting("test_data_path", to="none.jsonl")
    yield "another split for the vocabulary", setting("datasets_for_vocab_creation", to=["trian"])


# Files of word vectors, for words of the training texts.
BAD_VECTORS: Dict[str, bytes] = {
    "empty": b"",
    "latin-1": "film 1 1 1 1 1 1\ncaf\xe9 1 1 1 1 1 1\n".encode("latin-1"),
    "UTF-16": "film 1 1 1 1 1 1\n".encode("utf-16"),
    "not a number": b"film 1 1 1 1 1 nan\n",
    "not finite": b"film 1 1 1 1 1 inf\n",
    "words": b"film 1 1 1 1 1 one\n",
}


def vector_cases() -> Iterator[Case]:
    train = ("allennlp", "train", "config.json", "-s", "new")
    embedder = ("model", "text_field_embedder", "token_embedders", "tokens")
    for kind in ("embedding", "word_vectors"):
        for name, content in BAD_VECTORS.items():
            options = {"type": kind, "embedding_dim": DIM, "pretrained_file": "bad.txt"}
            fault = both(
                written("bad.txt", content), changed("config.json", setting(*embedder, to=options))
            )
            yield Case(f"train, {kind}: vectors {name}", train, fault, "bad.txt")


def config_cases() -> Iterator[Case]:
    yield from vector_cases()
    train = ("allennlp", "train", "config.json", "-s", "new")
    for name, change in config_changes():
        yield Case(f"train, config: {name}", train, changed("config.json", change))
    jsonnet = {
        "an error": "{ a: error 'this is wrong' }",
        "an unknown variable": "{ a: std.extVar('NO_SUCH_THING') }",
        "an unknown import": "import 'none.libsonnet'",
        "no end": "{ a: 1, ",
        "no end of recursion": "local f(x) = f(x) + 1; { a: f(1) }",
        "a function": "function(x) x",
        "not UTF-8": b"{ a: '\xff' }",
    }
    for name, text in jsonnet.items():
        command = ("allennlp", "train", "bad.jsonnet", "-s", "new")
        yield Case(f"train, jsonnet: {name}", command, written("bad.jsonnet", text))
