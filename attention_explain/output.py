"""
The output of commands: files that are written completely or not at all, and the log in the terminal.

AllenNLP logs hundreds of lines before anything happens. People need the sizes of the data, dropped texts, metrics
per epoch, the path of the result, and warnings. The complete log goes to a file: `out.log` of a training run, or
a file next to the output of other commands.
"""

import errno
import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from typing import TextIO

from tqdm import tqdm

from attention_explain.commands.startup.global_options import LOG_VARIABLE, PEOPLE
from attention_explain.errors import InputError
from attention_explain.files import atomic
from attention_explain.files.atomic import LOG_MARK, log_name


@contextmanager
def writing(path: str | Path) -> Iterator[Path]:
    """
    Yield a temporary name in the folder of `path`, and rename that file to `path` at the end. If anything fails,
    `path` is unchanged and nothing else is left. Errors are `InputError`s that name the file.
    """
    with describe_write_errors(path), atomic.writing(path) as unfinished:
        yield unfinished


@contextmanager
def describe_write_errors(path: str | Path) -> Iterator[None]:
    """Turn a full disk, a read-only folder and the like into an `InputError` that names the file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{path}: cannot be written ({reason})") from error


def check_outputs(
    written: Mapping[str, Sequence[str | Path]], read: Iterable[str | Path] = ()
) -> None:
    """
    Raise before any work if files, listed by suffix, cannot be written, or would replace an input or each other.
    Makes their folders.
    """
    atomic.check_outputs(written, read)
    for paths in written.values():
        for path in paths:
            check_writable(path)


def check_writable(path: str | Path) -> None:
    """Raise before any work if a file cannot be written; makes its folder."""
    path = Path(path)
    with describe_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with TemporaryFile(dir=path.parent):
            pass


LOG_FORMAT = "%(asctime)s - %(levelname)s - %(name)s - %(message)s"
# Messages of AllenNLP that the terminal shows, by logger; it shows all messages of our own loggers.
SHOWN = {
    "allennlp.common.util": "Metrics: ",
    "allennlp.models.archival": "archiving weights",
    # The table of metrics.
    "allennlp.training.callbacks.console_logger": ".* [|] ",
    "allennlp.training.gradient_descent_trainer": "Epoch |Ran out of patience",
}
# Warnings that the terminal does not show: training without `patience` is intended (the papers train all epochs),
# and the error message that ends a command repeats the others.
HIDDEN = {
    "allennlp.training.gradient_descent_trainer": ".* patience was set to None",
    "allennlp.data.vocabulary": "Namespace: |Token: ",
    "cached_path": "ETag request failed .* no cached version",
}


class Console(logging.StreamHandler):
    """
    Writes to the present stdout or stderr. AllenNLP's handlers keep the stream that existed when they were made,
    even after it was closed.
    """

    def __init__(self, stream: str, like: logging.Handler) -> None:
        logging.Handler.__init__(self, like.level)
        self._stream_name = stream
        self.filters = list(like.filters)
        self.setFormatter(like.formatter)

    @property
    def stream(self) -> TextIO:
        """The present stream."""
        return getattr(sys, self._stream_name)


class _PlainFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        return f"{record.levelname.lower()}: {text}" if record.levelno > logging.INFO else text


def show_log() -> None:
    """Replace the terminal handlers of the root logger by `Console`s."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        # Not derived classes: files, and handlers of test runners.
        if type(handler) is logging.StreamHandler:
            console = Console("stdout" if handler.stream is sys.stdout else "stderr", handler)
            if for_people():
                console.addFilter(_is_for_people)
                console.addFilter(_NoRepeats())
                console.setFormatter(_PlainFormatter("%(message)s"))
            root.removeHandler(handler)
            root.addHandler(console)


def for_people() -> bool:
    """Whether the terminal shows only the messages that people need."""
    return os.environ.get(LOG_VARIABLE) == PEOPLE


class _NoRepeats(logging.Filter):
    """Drops messages about data that were shown before: some commands read the same data several times."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        if not record.name.startswith("attention_explain.data"):
            return True
        message = record.getMessage()
        new = message not in self._shown
        self._shown.add(message)
        return new


def _is_for_people(record: logging.LogRecord) -> bool:
    if _matches(record, HIDDEN):
        return False
    ours = record.name.split(".")[0] == "attention_explain"
    return ours or record.levelno > logging.INFO or _matches(record, SHOWN)


def _matches(record: logging.LogRecord, patterns: Mapping[str, str]) -> bool:
    """Whether a message matches the pattern of its logger."""
    pattern = patterns.get(record.name)
    return pattern is not None and re.match(pattern, record.getMessage()) is not None


class _OwnLog(logging.FileHandler):
    """
    Appends to a log file; a new one starts with a line that identifies it. The file is opened for the first message,
    after the output was checked.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8", delay=True)

    def _open(self) -> TextIOWrapper:
        stream = super()._open()
        if stream.tell() == 0:
            stream.write(f"{LOG_MARK}\n")
        return stream


def close_progress_bars() -> None:
    """
    Close all progress bars. An error keeps the bars of the loops that it left; without this they would be drawn
    again below the error message.
    """
    for bar in list(tqdm._instances):
        with suppress(OSError):
            bar.close()


@contextmanager
def log_next_to(output: str | Path) -> Iterator[None]:
    """Write the complete log to a file next to the output, unless the terminal shows all of it."""
    if not for_people():
        yield
        return
    file = _OwnLog(log_name(output))
    file.setFormatter(logging.Formatter(LOG_FORMAT))
    logging.getLogger().addHandler(file)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(file)
        file.close()
    print(f"  complete log: {file.baseFilename}", file=sys.stderr)
