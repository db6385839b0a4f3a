"""
The `allennlp` command of this project: AllenNLP's own command with the plugin loaded, without warnings of its old
dependencies, and with a log and error messages for people.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import attention_explain.plugin  # noqa: F401  (registers everything, and quiets imports to come)
from attention_explain import output, signals
from attention_explain.commands.startup import global_options
from attention_explain.sentences import sentence_of


def main() -> None:
    """
    Run `allennlp`. A mistake in config or data ends with an error message and exit code 2, Ctrl-C with code 130,
    SIGTERM with 143. If the output is a closed pipe, as in `allennlp predict ... | head`, it ends silently.
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
        message = sentence_of(error) if isinstance(error, Exception) else None
        if message is None:
            raise
        _end(f"error: {message}", 2)


@contextmanager
def _quiet_about_logs() -> Iterator[None]:
    """Do not report, line by line, that a log cannot be written."""
    kept, logging.raiseExceptions = logging.raiseExceptions, False
    try:
        yield
    finally:
        logging.raiseExceptions = kept


@contextmanager
def _progress_bars_closed() -> Iterator[None]:
    """Close progress bars at the end, so that error messages come below them."""
    try:
        yield
    finally:
        output.close_progress_bars()


def _end(message: str, code: int) -> None:
    # The message is lost if the output is closed; the exit code remains.
    with suppress(OSError):
        print(message, file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
