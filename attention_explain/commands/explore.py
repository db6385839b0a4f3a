"""
The `explore` subcommand opens a local page that explains the predictions of a model and shows how they change with
the text or the attention. With the output of `allennlp verdict`, it shows its answer, and its page as the evidence.
"""

import argparse
import json
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from allennlp.commands.subcommand import Subcommand

from attention_explain.archives import check_device, open_archive, weights_sha256
from attention_explain.commands.job_options import MODEL, add_global_options, listed_configs
from attention_explain.errors import InputError
from attention_explain.files.records import read_json
from attention_explain.files.verdict_names import present_verdict
from attention_explain.interpret.interpreter import InterpreterConfig
from attention_explain.models.classifier import check_needs

HOST = "127.0.0.1"
PORT = 8000
ANSWER, EVIDENCE = "verdict.json", "verdict.html"
WANTED = ("model", "corpus", "texts", "attention", "questions", "methods", "recommended", "nothing")


@Subcommand.register("explore")
class Explore(Subcommand):
    """Registered as a `Subcommand` with name "explore"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Open a page, for this machine only, that explains a model's predictions. You can "
            "remove words or change the attention, and see how the prediction changes. Ctrl-C ends it.",
            help="Explain a model's predictions on a local page.",
        )
        subparser.add_argument("model", help=MODEL)
        subparser.add_argument("model2", nargs="?", help="another model, to compare with the first")
        subparser.add_argument(
            "--data", help="texts to choose from: data for the first model's own dataset reader"
        )
        subparser.add_argument(
            "--port",
            type=int,
            default=PORT,
            help=f"port of the page (default: {PORT}; 0: any free port)",
        )
        subparser.add_argument(
            "--verdict", metavar="FOLDER", help="output of `allennlp verdict` for the model"
        )
        subparser.add_argument(
            "--methods",
            nargs="+",
            metavar="NAME",
            help="names of methods to choose from, their configs as JSON, or a jsonnet file with a "
            "list of them (default: all that the model supports)",
        )
        subparser.add_argument("--cuda-device", type=int, default=-1, help="id of GPU to use")
        add_global_options(subparser, "show the complete log")
        subparser.set_defaults(func=explore_from_args)
        return subparser


def explore_from_args(args: argparse.Namespace) -> None:
    """Run the command with parsed arguments."""
    explore(
        [path for path in (args.model, args.model2) if path is not None],
        data=args.data,
        port=args.port,
        verdict=args.verdict,
        methods=args.methods and listed_configs(args.methods, "methods"),
        cuda_device=args.cuda_device,
    )


def explore(
    paths: Sequence[str],
    data: str | None = None,
    port: int = PORT,
    verdict: str | None = None,
    methods: Sequence[InterpreterConfig] | None = None,
    cuda_device: int = -1,
) -> None:
    """Serve the page until it is interrupted. Parameters as on the command line."""
    # Imported here: no other command needs a server.
    import uvicorn

    from attention_explain.explore.app import Connection, make_app
    from attention_explain.explore.data_texts import DataTexts
    from attention_explain.explore.open_model import OpenModel

    # Errors in the options are reported before a model is loaded.
    check_device(cuda_device)
    answer = None if verdict is None else read_verdict(verdict)
    with _listen(port) as listener:
        models = []
        for path, name in zip(paths, _names(paths), strict=True):
            archive = open_archive(path, cuda_device)
            check_needs(archive.model, (), "what can be explored is")
            reader = archive.validation_dataset_reader
            models.append(OpenModel(name, archive.model, reader, methods))
        if len({model.reads_pairs for model in models}) > 1:
            raise InputError("one model reads single texts, and the other one pairs")
        if answer is not None and verdict is not None:
            note = check_about(answer, [model.model for model in models], verdict)
            if note:
                print(f"note: {note}", file=sys.stderr)
        texts = None
        if data is not None:
            texts = DataTexts(models[0], data)
            texts.start()
        app = make_app(models, texts, answer, b"" if verdict is None else evidence(verdict))
        for model in models:
            app.state.worker.submit(model.warm_up)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            http=Connection,
            # After Ctrl-C, do not wait for browsers.
            timeout_graceful_shutdown=1,
        )
        address = f"http://{HOST}:{listener.getsockname()[1]}/"
        print(f"{' and '.join(model.name for model in models)}: open {address}", flush=True)
        uvicorn.Server(config).run(sockets=[listener])


def _listen(port: int) -> socket.socket:
    """A socket that only this machine can reach."""
    if not 0 <= port < 2**16:
        raise InputError(f"--port is {port}, but must be from 0 to {2**16 - 1}")
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # The port can be used again as soon as the page was closed.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        # Browsers that connect before the model is loaded wait.
        listener.listen()
    except OSError as error:
        listener.close()
        raise InputError(
            f"--port: {port} is not available ({error.strerror}); give another one, or 0 for any"
        ) from error
    return listener


def _names(models: Sequence[str]) -> list[str]:
    """The names of the folders of the models, or the given paths if these are equal."""
    paths = [Path(model).absolute() for model in models]
    # All archives have the same file name.
    folders = [path.parent if path.name == "model.tar.gz" else path for path in paths]
    names = [folder.name for folder in folders]
    return names if len(set(names)) == len(names) else [str(model) for model in models]


def read_verdict(folder: str) -> dict[str, Any]:
    """The content of `verdict.json`."""
    path = Path(folder) / ANSWER
    if not path.is_file():
        raise InputError(
            f"{folder}: is not the folder of a verdict (no {ANSWER}). 'allennlp verdict' writes one."
        )
    try:
        verdict = read_json(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not JSON ({error})") from error
    missing = [name for name in WANTED if not isinstance(verdict, dict) or name not in verdict]
    if missing:
        raise InputError(f"{path}: is not a verdict (no '{missing[0]}')")
    try:
        return present_verdict(verdict)
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(f"{path}: is not a verdict ({error!r})") from error


def check_about(verdict: Mapping[str, Any], models: Sequence[torch.nn.Module], folder: str) -> str:
    """Rejects the verdict on other models. Returns what can only be noted: that nobody can tell."""
    judged = verdict.get("weights_sha256")
    if not judged:
        return (
            f"{Path(folder) / ANSWER}: does not say which model it is about, as older ones do not; "
            "'python -m analysis verdict' writes it again"
        )
    if not any(weights_sha256(model) in judged for model in models):
        raise InputError(
            f"{folder}: is the verdict on another model ({verdict['model']} on {verdict['corpus']}); "
            "give 'allennlp verdict' the one that is to be explored"
        )
    return ""


def evidence(folder: str) -> bytes:
    """The page of the verdict, complete in itself; empty where there is none."""
    path = Path(folder) / EVIDENCE
    return path.read_bytes() if path.is_file() else b""
