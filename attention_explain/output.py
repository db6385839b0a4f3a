"""
What a command leaves for the person who typed it: files that are whole or not there, and one sentence
where that cannot be; and what of the log is shown in the terminal.

AllenNLP logs hundreds of lines before anything happens; a person needs data sizes, what was dropped,
metrics an epoch, where the result is, and any warning. The whole log goes to a file: `out.log` of a
training run, and beside what other commands write.
"""

import errno
import logging
import os
import re
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Iterable, Iterator, Mapping, Sequence, TextIO, Union

from tqdm import tqdm

from attention_explain.commands.startup.global_options import LOG_VARIABLE, PEOPLE
from attention_explain.errors import InputError
from attention_explain.files import own_files, whole
from attention_explain.files.own_files import LOG_MARK, log_name


@contextmanager
def writing(path: Union[str, Path]) -> Iterator[Path]:
    """
    Gives a name to write to, in the folder of `path`; on leaving, what was written there takes its
    place. If anything fails, `path` is as it was and nothing else is left.
    """
    with explained_failures(path), whole.writing(path) as unfinished:
        yield unfinished


@contextmanager
def explained_failures(path: Union[str, Path]) -> Iterator[None]:
    """A full disk, a read-only folder and the like become one sentence that names the file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{path}: cannot be written ({reason})") from error


def check_outputs(
    written: Mapping[str, Sequence[Union[str, Path]]], read: Iterable[Union[str, Path]] = ()
) -> None:
    """
    Says before any work that files, listed by suffix, cannot be written, or would cost a file that is
    read or another of them; makes the folders they are to lie in.
    """
    with _costs_explained():
        whole.check_outputs(written, read)
    for paths in written.values():
        for path in paths:
            check_writable(path)


def check_spared(written: Sequence[Union[str, Path]], read: Iterable[Union[str, Path]]) -> None:
    """Only that none of the files costs another."""
    with _costs_explained():
        whole.check_spared(written, read)


def check_new(path: Union[str, Path], force: bool) -> None:
    """That nothing is replaced unless that was asked for."""
    with _costs_explained():
        whole.check_new(path, force)


def check_page(path: Union[str, Path], force: bool) -> None:
    """That a page replaces no file of the user, unless that was asked for."""
    with _costs_explained():
        own_files.check_page(path, force)


def check_verdict_files(folder: Path) -> None:
    """That a verdict replaces no file of the user."""
    with _costs_explained():
        own_files.check_verdict_files(folder)


@contextmanager
def _costs_explained() -> Iterator[None]:
    try:
        yield
    except whole.Costly as error:
        raise InputError(str(error)) from error


def check_writable(path: Union[str, Path]) -> None:
    """Says before any work that a file cannot be written; makes the folder it is to lie in."""
    path = Path(path)
    with explained_failures(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with TemporaryFile(dir=path.parent):
            pass


LOG_FORMAT = "%(asctime)s - %(levelname)s - %(name)s - %(message)s"
# What AllenNLP logs for people, by logger; everything of ours is.
SHOWN = {
    "allennlp.common.util": "Metrics: ",
    "allennlp.models.archival": "archiving weights",
    # The table of metrics.
    "allennlp.training.callbacks.console_logger": ".* [|] ",
    "allennlp.training.gradient_descent_trainer": "Epoch |Ran out of patience",
}
# What it warns of although it is meant, as the papers train all their epochs; and what the error that
# ends the command says, too.
MEANT = {
    "allennlp.training.gradient_descent_trainer": ".* patience was set to None",
    "allennlp.data.vocabulary": "Namespace: |Token: ",
    "cached_path": "ETag request failed .* no cached version",
}


class Console(logging.StreamHandler):
    """
    Writes to what is stdout or stderr at the time. AllenNLP's handlers keep the stream of the moment
    they were made, and go on writing to it when it is long closed.
    """

    def __init__(self, stream: str, like: logging.Handler) -> None:
        logging.Handler.__init__(self, like.level)
        self._stream_name = stream
        self.filters = list(like.filters)
        self.setFormatter(like.formatter)

    @property
    def stream(self) -> TextIO:
        return getattr(sys, self._stream_name)


class _Sentence(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        return f"{record.levelname.lower()}: {text}" if record.levelno > logging.INFO else text


def show_log() -> None:
    """Gives the terminals of the root logger what is to be shown there."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        # Not what is derived from it: files, and what test runners put there.
        if type(handler) is logging.StreamHandler:
            console = Console("stdout" if handler.stream is sys.stdout else "stderr", handler)
            if for_people():
                console.addFilter(_is_for_people)
                console.setFormatter(_Sentence("%(message)s"))
            root.removeHandler(handler)
            root.addHandler(console)


def for_people() -> bool:
    """Whether the terminal gets only what a person needs of the log."""
    return os.environ.get(LOG_VARIABLE) == PEOPLE


def _is_for_people(record: logging.LogRecord) -> bool:
    if _says(record, MEANT):
        return False
    ours = record.name.split(".")[0] == "attention_explain"
    return ours or record.levelno > logging.INFO or _says(record, SHOWN)


def _says(record: logging.LogRecord, patterns: Mapping[str, str]) -> bool:
    """Whether it is one of these, which are listed by logger."""
    pattern = patterns.get(record.name)
    return pattern is not None and re.match(pattern, record.getMessage()) is not None


class _OwnLog(logging.FileHandler):
    """
    Appends to a log, and begins a new one with a line that says whose it is. It is opened when there is
    something to write: after the output was found to be writable.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8", delay=True)

    def _open(self) -> TextIO:
        stream = super()._open()
        if stream.tell() == 0:
            stream.write(f"{LOG_MARK}\n")
        return stream


def close_progress_bars() -> None:
    """
    Draws them a last time. An error keeps those of the loops that it ended, and they would otherwise be
    drawn when it is forgotten, below the message about it.
    """
    for bar in list(tqdm._instances):
        with suppress(OSError):
            bar.close()


@contextmanager
def log_beside(output: Union[str, Path]) -> Iterator[None]:
    """Within it, if the terminal has not the whole log, a file beside the output has."""
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
    print(f"  the whole log: {file.baseFilename}", file=sys.stderr)
