"""The command-line options that jobs share, and lists of components on the command line."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from os import fspath
from pathlib import Path
from types import MappingProxyType
from typing import Any, Union

from allennlp.common import logging as common_logging

from attention_explain.archives import OpenedModel, check_device
from attention_explain.commands.chunks import clear_merged
from attention_explain.data.any_reader import GivenTexts
from attention_explain.errors import InputError
from attention_explain.files.atomic import check_new, check_page, log_name
from attention_explain.files.records import read_json
from attention_explain.jsonnet import evaluate_file, find_config
from attention_explain.messages import shorten
from attention_explain.named_components import ComponentConfig
from attention_explain.output import check_outputs
from attention_explain.passes import DEFAULT_BUDGET, GPU_BUDGET

AnyPath = Union[str, Path]
# The help text of the model, for all commands.
MODEL = "model archive, folder of a training run, or folder of a transformer"
# Suffixes of files with a list of components.
SUFFIXES = (".jsonnet", ".json", ".libsonnet")


@dataclass(frozen=True)
class JobOptions:
    """
    The options of every job.

    archive_file : model archive, folder of a training run, or an opened model.
    data : data for the archive's own dataset reader, or texts in memory.
    output_file : the parquet file to write.
    limit : the number of texts, spread evenly over the data.
    batch_tokens : tokens per forward pass, padding included (default: depends on the device).
    seed : for components that draw random numbers (default: their own).
    split_text : let the reader split strings for a model that was trained on tokens.
    overrides : JSON that changes the archive's config.
    force : replace an existing file, and drop unfinished work of another command.
    seed_of : the transformer's folder of which this one is another seed, for a verdict on several.
    """

    archive_file: str | OpenedModel
    data: str | GivenTexts
    output_file: str | Path
    limit: int | None = None
    batch_tokens: int | None = None
    cuda_device: int = -1
    seed: int | None = None
    split_text: bool = False
    overrides: str = ""
    force: bool = False
    seed_of: str = ""

    def typed(self) -> dict[str, Any]:
        """The options that determine the results, by the names that users type."""
        return {
            "limit": self.limit,
            "batch-tokens": self.batch_tokens,
            "seed": self.seed,
            "split-text": self.split_text,
            "overrides": self.overrides,
        }

    def check_numbers(self) -> None:
        """Raise if a number is out of range."""
        for name, number in (("limit", self.limit), ("batch-tokens", self.batch_tokens)):
            if number is not None and number < 1:
                raise InputError(f"--{name} is {number}, but must be 1 or more")

    def check(
        self,
        reads: Sequence[AnyPath] = (),
        writes: Mapping[str, Sequence[AnyPath]] = MappingProxyType({}),
    ) -> None:
        """Raise if the job cannot succeed; `reads` and `writes` (by suffix) are further files."""
        self.check_numbers()
        output = Path(self.output_file)
        check_outputs(
            {".parquet": [output], **writes, ".log": [log_name(output)]},
            (fspath(self.archive_file), fspath(self.data), *reads),
        )
        clear_merged(output)
        check_new(output, self.force)
        for page in writes.get(".html", ()):
            check_page(page, self.force)
        check_device(self.cuda_device)


def add_job_arguments(subparser: argparse.ArgumentParser, data: bool = True) -> None:
    """Add the model, the output file, and, unless the command has its own, the data."""
    subparser.add_argument("archive_file", help=MODEL)
    if data:
        subparser.add_argument("data", help="data for the archive's own dataset reader")
    subparser.add_argument(
        "-o", "--output-file", required=True, metavar="FILE", help="the parquet file to write"
    )


def add_job_options(subparser: argparse.ArgumentParser, verb: str) -> None:
    """Add the other options; `verb` is what the command does with the texts."""
    subparser.add_argument(
        "--limit", type=int, help=f"number of texts to {verb}, spread evenly over the data"
    )
    subparser.add_argument(
        "--batch-tokens",
        type=int,
        help="number of tokens per forward pass, padding included "
        f"(default: {DEFAULT_BUDGET}, on a GPU {GPU_BUDGET})",
    )
    subparser.add_argument("--cuda-device", type=int, default=-1, help="id of GPU to use")
    subparser.add_argument(
        "--seed", type=int, help="for components that draw random numbers (default: their own)"
    )
    subparser.add_argument(
        "--split-text",
        action="store_true",
        help="let the reader split strings for a model that was trained on tokens",
    )
    subparser.add_argument("--overrides", default="", help="JSON that changes the archive's config")
    subparser.add_argument(
        "--force",
        action="store_true",
        help="replace an existing file, and drop unfinished work of another command",
    )
    subparser.add_argument(
        "--file-friendly-logging",
        action="store_true",
        help="outputs tqdm status on separate lines and slows tqdm refresh rate",
    )
    add_global_options(
        subparser,
        "show the complete log, which otherwise goes to a file next to the output (FILE.log)",
    )


def add_global_options(subparser: argparse.ArgumentParser, verbose: str) -> None:
    """Add the options of all commands to the help; they are removed before arguments are parsed."""
    subparser.add_argument(
        "--trust-archive",
        action="store_true",
        help="let the archive run its own code; otherwise it is opened as data",
    )
    subparser.add_argument("--verbose", action="store_true", help=verbose)


def job_options(args: argparse.Namespace) -> dict[str, Any]:
    """The parsed options, by the names of `JobOptions`."""
    common_logging.FILE_FRIENDLY_LOGGING = args.file_friendly_logging
    names = [field.name for field in fields(JobOptions)]
    return {name: getattr(args, name) for name in names if hasattr(args, name)}


def listed_configs(arguments: Sequence[str], kind: str) -> list[ComponentConfig]:
    """
    Configs of components from arguments: names, configs as JSON, or files with a list of them (or with an object
    that has such a list under the name of its kind: `interpreters`, `perturbations`).
    """
    configs: list[ComponentConfig] = []
    for argument in arguments:
        if argument.endswith(SUFFIXES):
            configs += _from_file(argument, kind)
        elif argument.startswith(("{", "[")):
            configs += _as_list(_from_json(argument, kind), argument, kind)
        else:
            configs.append(argument)
    return configs


def _from_file(path: str, kind: str) -> list[ComponentConfig]:
    path = find_config(path)
    if not Path(path).is_file():
        raise InputError(f"{path}: no such file")
    loaded = evaluate_file(path)
    if isinstance(loaded, dict) and kind in loaded:
        loaded = loaded[kind]
    return _as_list(loaded, path, kind)


def _from_json(text: str, kind: str) -> Any:
    try:
        return read_json(text)
    except json.JSONDecodeError as error:
        raise InputError(f"--{kind}: {shorten(text)!r} is not JSON ({error})") from error


def _as_list(loaded: Any, source: str, kind: str) -> list[ComponentConfig]:
    if isinstance(loaded, dict) and "type" in loaded:
        return [loaded]
    if not isinstance(loaded, list):
        raise InputError(
            f"{shorten(source)}: is neither a list of {kind} nor an object with a list '{kind}'"
        )
    return loaded
