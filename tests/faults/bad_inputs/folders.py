"""Folders in Hugging Face's layout that cannot be explained, and data that their models would not read."""

import json
from pathlib import Path
from typing import Any, Dict, Iterator, Tuple

from tests.faults.bad_inputs.archives import OPENED_BY
from tests.faults.bad_inputs.case import OUTPUT, Case, Command, Fault, setting

FOLDER = "bert"
PAIRS = ("--overrides", '{"dataset_reader.type": "question_passage"}')
LOADER = ("--overrides", '{"data_loader": {"batch_size": 8}}')
PERTURB = ("allennlp", "perturb", FOLDER, "data.jsonl", *OUTPUT)
# A transformer has its attention in heads.
OPENED: Dict[str, Command] = {
    **{name: of(FOLDER) for name, of in OPENED_BY.items()},
    "evaluate": ("allennlp", "evaluate", FOLDER, "data.jsonl", *LOADER),
    "perturb": (*PERTURB, "--perturbations", "uniform-heads"),
}
VERDICT: Command = ("allennlp", "verdict", FOLDER, "data.jsonl", "-o", "new")


def folder(**config: Any) -> Fault:
    """A small classifier with the labels of the data, and other values in its config; `...` removes one."""

    def fault(where: Path) -> None:
        # Imported here, because most cases need no transformer.
        from tests.tiny_transformers import save_tiny_transformer

        save_tiny_transformer(where / FOLDER, labels=("0", "1"))
        file = where / FOLDER / "config.json"
        for name, value in config.items():
            file.write_bytes(setting(name, to=value)(file.read_bytes()))

    return fault


def with_adapter(where: Path) -> None:
    folder()(where)
    (where / FOLDER / "adapter_config.json").write_text('{"peft_type": "LORA"}')


def with_new_pieces(where: Path) -> None:
    from transformers import AutoTokenizer

    folder()(where)
    tokenizer = AutoTokenizer.from_pretrained(where / FOLDER)
    tokenizer.add_tokens(["splendid"])
    tokenizer.save_pretrained(where / FOLDER)


def with_field(name: str) -> Fault:
    def fault(where: Path) -> None:
        folder()(where)
        line = {"text": "a fine film", "label": "1", name: "the acting was fine"}
        with open(where / "data.jsonl", "a") as file:
            file.write(json.dumps(line) + "\n")

    return fault


BAD_FOLDERS: Dict[str, Tuple[Fault, str]] = {
    "multi-label": (folder(problem_type="multi_label_classification"), "multi-label head"),
    "regression": (folder(problem_type="regression"), "regression head"),
    "one output": (folder(id2label={"0": "score"}, label2id=...), "regression head"),
    "a sigmoid": (folder(function_to_apply="sigmoid"), "function_to_apply"),
    "an adapter": (with_adapter, "merge_and_unload"),
    "a tokenizer of more pieces": (with_new_pieces, "resize_token_embeddings"),
    "classes without names": (folder(id2label=..., label2id=...), "id2label"),
}


def folder_cases() -> Iterator[Case]:
    for name, (fault, told) in BAD_FOLDERS.items():
        yield Case(f"attribute, folder: {name}", OPENED["attribute"], fault, told)
    for name, command in OPENED.items():
        fault = with_field("hypothesis")
        yield Case(f"{name}, folder: a second text", command, fault, "'hypothesis'")
        yield Case(f"{name}, folder: pairs", (*command, *PAIRS), folder(), "question_passage")
    yield Case("verdict, folder: a second text", VERDICT, with_field("text_pair"), "'text_pair'")
    query = with_field("query")
    yield Case("attribute, folder: a query", OPENED["attribute"], query, "line 25")
