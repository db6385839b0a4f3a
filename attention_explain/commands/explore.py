"""
The `explore` subcommand opens a local page on which a person asks a model why, changes the text or the
attention, and sees the answer move.
"""

import argparse
import socket
import sys
from pathlib import Path
from typing import List, Optional, Sequence

from allennlp.commands.subcommand import Subcommand

from attention_explain.archives import check_device, open_archive
from attention_explain.commands.job_options import MODEL, listed_configs
from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import InterpreterConfig
from attention_explain.models.requirements import check_needs

HOST = "127.0.0.1"
PORT = 8000


@Subcommand.register("explore")
class Explore(Subcommand):
    """Registered as a `Subcommand` with name "explore"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Open a page, on this machine alone, on which you ask a model why it says "
            "what it says, take words away, move its attention, and see what becomes of the answer. "
            "Ctrl-C ends it.",
            help="Ask a model why, on a local page.",
        )
        subparser.add_argument("model", help=MODEL)
        subparser.add_argument("model2", nargs="?", help="another one, to stand beside it")
        subparser.add_argument(
            "--data",
            help="texts to pick from: what the first model's own dataset reader is to read",
        )
        subparser.add_argument(
            "--port", type=int, default=PORT, help=f"of the page (default: {PORT}; 0: any free one)"
        )
        subparser.add_argument(
            "--verdict", metavar="FOLDER", help="what 'allennlp verdict' wrote about the model"
        )
        subparser.add_argument(
            "--methods",
            nargs="+",
            metavar="NAME",
            help="names of methods to choose from, their configs as JSON, or a jsonnet file with a "
            "list of them (default: all that the model allows)",
        )
        subparser.add_argument("--cuda-device", type=int, default=-1, help="id of GPU to use")
        # Every command takes these: they never come to a parser, which is only to list them.
        subparser.add_argument(
            "--trust-archive",
            action="store_true",
            help="let the archive run code of its own; otherwise it is opened as data",
        )
        subparser.add_argument("--verbose", action="store_true", help="show the whole log")
        subparser.set_defaults(func=explore_from_args)
        return subparser


def explore_from_args(args: argparse.Namespace) -> None:
    explore(
        [place for place in (args.model, args.model2) if place is not None],
        data=args.data,
        port=args.port,
        verdict=args.verdict,
        methods=args.methods and listed_configs(args.methods, "methods"),
        cuda_device=args.cuda_device,
    )


def explore(
    places: Sequence[str],
    data: Optional[str] = None,
    port: int = PORT,
    verdict: Optional[str] = None,
    methods: Optional[Sequence[InterpreterConfig]] = None,
    cuda_device: int = -1,
) -> None:
    """Serves the page until it is interrupted. Parameters as on the command line."""
    # Imported here: no other command needs a server.
    import uvicorn

    from attention_explain.explore.app import make_app
    from attention_explain.explore.connections import Connection
    from attention_explain.explore.data_texts import DataTexts
    from attention_explain.explore.open_model import OpenModel
    from attention_explain.explore.verdict_folder import check_about, evidence, read_verdict

    # What can be wrong is said before a model is loaded.
    check_device(cuda_device)
    answer = None if verdict is None else read_verdict(verdict)
    with _listening(port) as listening:
        models = []
        for place, name in zip(places, _names(places), strict=True):
            archive = open_archive(place, cuda_device)
            check_needs(archive.model, (), "what can be explored is")
            reader = archive.validation_dataset_reader
            models.append(OpenModel(name, archive.model, reader, methods))
        if len({model.reads_pairs for model in models}) > 1:
            raise InputError("one model reads single texts, and the other one pairs")
        if answer is not None:
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
            # Whoever presses Ctrl-C waits for no browser.
            timeout_graceful_shutdown=1,
        )
        address = f"http://{HOST}:{listening.getsockname()[1]}/"
        print(f"{' and '.join(model.name for model in models)}: open {address}", flush=True)
        uvicorn.Server(config).run(sockets=[listening])


def _listening(port: int) -> socket.socket:
    """Reachable from this machine alone."""
    if not 0 <= port < 2**16:
        raise InputError(f"--port is {port}, but must be from 0 to {2**16 - 1}")
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # So that the page can be opened again as soon as it was closed.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        # Whoever opens the page while the model is still loaded waits, and is not refused.
        listening.listen()
    except OSError as error:
        listening.close()
        raise InputError(
            f"--port: {port} cannot be had ({error.strerror}); give another one, or 0 for any"
        ) from error
    return listening


def _names(places: Sequence[str]) -> List[str]:
    """The last part of each path that tells them apart."""
    paths = [Path(place).absolute() for place in places]
    # Archives are all called alike.
    folders = [path.parent if path.name == "model.tar.gz" else path for path in paths]
    names = [folder.name for folder in folders]
    return names if len(set(names)) == len(names) else [str(place) for place in places]
