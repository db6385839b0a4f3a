"""
What the commands that work through a data set have in common on the command line: the options of
the job, and lists of components.
"""

import argparse
import json
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from allennlp.common import logging as common_logging

from attention_explain.archives import check_device
from attention_explain.commands.chunks import clear_merged
from attention_explain.errors import InputError
from attention_explain.files.atomic import check_new
from attention_explain.files.own_files import check_page, log_name
from attention_explain.files.records import read_json
from attention_explain.jsonnet import evaluate_file, find_config
from attention_explain.messages import shorten
from attention_explain.named_components import ComponentConfig
from attention_explain.output import check_outputs
from attention_explain.passes import DEFAULT_BUDGET, GPU_BUDGET

Place = Union[str, Path]
# What every command takes as a model, in its help.
MODEL = "model archive, folder of a training run, or folder of a transformer"
# Of files with a list of components.
ENDINGS = (".jsonnet", ".json", ".libsonnet")


@dataclass(frozen=True)
class JobOptions:
    """
    archive_file : model archive, or folder of a training run.
    data : what the archive's own dataset reader is to read.
    output_file : the parquet file to write.
    limit : do only so many texts, spread evenly over the data.
    batch_tokens : how many tokens, padding included, a pass may hold (default: by the device).
    seed : for what draws random numbers (default: its own).
    split_text : let the reader split strings for a model that was trained on tokens.
    overrides : JSON that changes the archive's config.
    force : replace an existing file, and drop unfinished work of another command.
    """

    archive_file: str
    data: str
    output_file: Union[str, Path]
    limit: Optional[int] = None
    batch_tokens: Optional[int] = None
    cuda_device: int = -1
    seed: Optional[int] = None
    split_text: bool = False
    overrides: str = ""
    force: bool = False

    def typed(self) -> Dict[str, Any]:
        """The options that decide the results, by the names that users type."""
        return {
            "limit": self.limit,
            "batch-tokens": self.batch_tokens,
            "seed": self.seed,
            "split-text": self.split_text,
            "overrides": self.overrides,
        }

    def check_numbers(self) -> None:
        for name, number in (("limit", self.limit), ("batch-tokens", self.batch_tokens)):
            if number is not None and number < 1:
                raise InputError(f"--{name} is {number}, but must be 1 or more")

    def check(
        self,
        reads: Sequence[Place] = (),
        writes: Mapping[str, Sequence[Place]] = MappingProxyType({}),
    ) -> None:
        """Refuses what cannot end well; `reads` and `writes` (by suffix) are further files."""
        self.check_numbers()
        output = Path(self.output_file)
        check_outputs(
            {".parquet": [output], **writes, ".log": [log_name(output)]},
            (self.archive_file, self.data, *reads),
        )
        clear_merged(output)
        check_new(output, self.force)
        for page in writes.get(".html", ()):
            check_page(page, self.force)
        check_device(self.cuda_device)


def add_job_arguments(subparser: argparse.ArgumentParser, data: bool = True) -> None:
    """The model, the file, and the data, unless the command asks for these itself."""
    subparser.add_argument("archive_file", help=MODEL)
    if data:
        subparser.add_argument("data", help="what the archive's own dataset reader is to read")
    subparser.add_argument(
        "-o", "--output-file", required=True, metavar="FILE", help="the parquet file to write"
    )


def add_job_options(subparser: argparse.ArgumentParser, verb: str) -> None:
    """How the work is done; `verb` is what is done to the texts."""
    subparser.add_argument(
        "--limit", type=int, help=f"{verb} only so many texts, spread evenly over the data"
    )
    subparser.add_argument(
        "--batch-tokens",
        type=int,
        help="how many tokens, padding included, a pass through the model may hold "
        f"(default: {DEFAULT_BUDGET}, on a GPU {GPU_BUDGET})",
    )
    subparser.add_argument("--cuda-device", type=int, default=-1, help="id of GPU to use")
    subparser.add_argument(
        "--seed", type=int, help="for what draws random numbers (default: its own)"
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
    # Every command takes these: they never come to a parser, which is only to list them.
    subparser.add_argument(
        "--trust-archive",
        action="store_true",
        help="let the archive run code of its own; otherwise it is opened as data",
    )
    subparser.add_argument(
        "--verbose",
        action="store_true",
        help="show the whole log, which otherwise goes to a file beside the output (FILE.log)",
    )


def job_options(args: argparse.Namespace) -> Dict[str, Any]:
    """What was given for them, by the names of `JobOptions`."""
    common_logging.FILE_FRIENDLY_LOGGING = args.file_friendly_logging
    names = [field.name for field in fields(JobOptions)]
    return {name: getattr(args, name) for name in names if hasattr(args, name)}


def listed_configs(arguments: Sequence[str], kind: str) -> List[ComponentConfig]:
    """
    Each argument is a name, a config as JSON, or a file with a list of either (or an object that
    has such a list under the name of its kind: `interpreters`, `perturbations`).
    """
    configs: List[ComponentConfig] = []
    for argument in arguments:
        if argument.endswith(ENDINGS):
            configs += _from_file(argument, kind)
        elif argument.startswith(("{", "[")):
            configs += _as_list(_from_json(argument, kind), argument, kind)
        else:
            configs.append(argument)
    return configs


def _from_file(path: str, kind: str) -> List[ComponentConfig]:
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


def _as_list(loaded: Any, source: str, kind: str) -> List[ComponentConfig]:
    if isinstance(loaded, dict) and "type" in loaded:
        return [loaded]
    if not isinstance(loaded, list):
        raise InputError(
            f"{shorten(source)}: is no list of {kind}, and no object with a list '{kind}'"
        )
    return loaded
