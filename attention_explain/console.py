"""
What of the log is shown in the terminal. AllenNLP logs hundreds of lines before anything happens; a
person needs data sizes, what was dropped, metrics an epoch, where the result is, and any warning.
The whole log goes to a file: `out.log` of a training run, and beside what other commands write.
"""

import logging
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, TextIO, Union

from command_line.options_of_all import for_people

FORMAT = "%(asctime)s - %(levelname)s - %(name)s - %(message)s"
# What AllenNLP logs for people, by logger; everything of ours is.
SHOWN = {
    "allennlp.common.util": "Metrics: ",
    "allennlp.models.archival": "archiving weights",
    # The table of metrics.
    "allennlp.training.callbacks.console_logger": ".* [|] ",
    "allennlp.training.gradient_descent_trainer": "Epoch |Ran out of patience",
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


def show() -> None:
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


def _is_for_people(record: logging.LogRecord) -> bool:
    if record.levelno > logging.INFO or record.name.split(".")[0] == "attention_explain":
        return True
    pattern = SHOWN.get(record.name)
    return pattern is not None and re.match(pattern, record.getMessage()) is not None


@contextmanager
def log_beside(output: Union[str, Path]) -> Iterator[None]:
    """Within it, if the terminal has not the whole log, a file beside the output has."""
    if not for_people():
        yield
        return
    # Written to when there is something to write: after the output was found to be writable.
    file = logging.FileHandler(f"{output}.log", encoding="utf-8", delay=True)
    file.setFormatter(logging.Formatter(FORMAT))
    logging.getLogger().addHandler(file)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(file)
        file.close()
    print(f"  the whole log: {output}.log", file=sys.stderr)
