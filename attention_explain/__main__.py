"""
The `allennlp` command of this project's environment: AllenNLP's own, with the plugin loaded before
it (in any folder), without the noise of its old companions, and with a log and errors for people.
"""

import logging
import os
import sys
from contextlib import contextmanager, suppress
from typing import Iterator

import attention_explain.plugin  # noqa: F401  (registers everything, and quiets imports to come)
from attention_explain import output, signals
from attention_explain.commands.startup import global_options
from attention_explain.sentences import sentence_of


def main() -> None:
    """
    Runs `allennlp`. A mistake in config or data ends in one sentence and exit code 2, Ctrl-C in a
    word and 130, SIGTERM in a word and 143. If nobody reads the output any more, as in
    `allennlp predict ... | head`, it ends without a word.
    """
    global_options.take_options()
    global_options.log_for_people_by_default()
    try:
        signals.raise_on_sigterm()
        # Imported here, because importing it sets up logging.
        from allennlp.__main__ import run

        output.show_log()
        with _quiet_about_logs(), _progress_bars_closed():
            run()
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        if isinstance(error, BrokenPipeError) and signals.output_is_closed():
            signals.discard_output()
            sys.exit(signals.CLOSED_PIPE_CODE)
        if os.environ.get("ALLENNLP_DEBUG"):
            raise
        if (code := signals.exit_code(error)) is not None:
            _end("\nstopped", code)
        message = sentence_of(error)
        if message is None:
            raise
        _end(f"error: {message}", 2)


@contextmanager
def _quiet_about_logs() -> Iterator[None]:
    """A log that cannot be written is no reason to stop, nor to say so line by line."""
    kept, logging.raiseExceptions = logging.raiseExceptions, False
    try:
        yield
    finally:
        logging.raiseExceptions = kept


@contextmanager
def _progress_bars_closed() -> Iterator[None]:
    """What is said about an error comes below them."""
    try:
        yield
    finally:
        output.close_progress_bars()


def _end(message: str, code: int) -> None:
    # If nobody reads it, the exit code still says it.
    with suppress(OSError):
        print(message, file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
