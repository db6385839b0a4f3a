"""
What the commands that work through a data set have in common on the command line, and what they
check before any work.
"""

import argparse
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, Optional, Sequence, Union

from allennlp.common import logging as common_logging
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import SigTermReceived

from attention_explain.archives import check_device
from attention_explain.budget import DEFAULT_BUDGET, GPU_BUDGET
from attention_explain.commands.parts import Parts, clear_merged
from attention_explain.files import check_outputs


def add_job_arguments(subparser: argparse.ArgumentParser) -> None:
    """The model, the data and the file."""
    subparser.add_argument("archive_file", help="model archive, or folder of a training run")
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
    """What was given for them, by the names that the commands' functions have."""
    common_logging.FILE_FRIENDLY_LOGGING = args.file_friendly_logging
    names = ("archive_file", "data", "output_file", "limit", "batch_tokens", "cuda_device")
    return {
        name: getattr(args, name) for name in (*names, "seed", "split_text", "overrides", "force")
    }


def check_job(
    output: Path,
    limit: Optional[int],
    batch_tokens: Optional[int],
    cuda_device: int,
    force: bool,
    inputs: Sequence[Union[str, Path]],
    html: Optional[Union[str, Path]] = None,
) -> None:
    """Refuses what cannot end well; `inputs` are the files that are read."""
    for name, number in (("limit", limit), ("batch-tokens", batch_tokens)):
        if number is not None and number < 1:
            raise ConfigurationError(f"--{name} is {number}, but must be 1 or more")
    pages = [] if html is None else [html]
    check_outputs({".parquet": [output], ".html": pages, ".log": [f"{output}.log"]}, inputs)
    clear_merged(output)
    if output.exists() and not force:
        raise ConfigurationError(f"{output}: exists already; give --force to replace it")
    check_device(cuda_device)


@contextmanager
def resumable(parts: Parts) -> Iterator[None]:
    """Whoever stops the work is told that it can go on."""
    try:
        yield
    except (KeyboardInterrupt, SigTermReceived):
        print(
            f"\nstopped; what is finished is in {parts.folder}, and the same command goes on "
            "from there",
            file=sys.stderr,
        )
        sys.exit(130)
