"""
The `allennlp` command of this project's environment: AllenNLP's own, with the plugin loaded before
it (in any folder), without the noise of its old companions, and with a log and errors for people.
"""

import logging
import os
import sys
from contextlib import contextmanager
from typing import Iterator

import attention_explain  # noqa: F401  (registers everything, and quiets imports to come)
from attention_explain import output
from attention_explain.sentences import sentence_of
from command_line import interrupts, options_of_all


def main() -> None:
    """
    Runs `allennlp`. A mistake in config or data ends in one sentence and exit code 2, Ctrl-C in a
    word and 130.
    """
    options_of_all.take_options()
    options_of_all.log_for_people_by_default()
    try:
        # Imported here, because importing it sets up logging.
        from allennlp.__main__ import run

        output.show_log()
        with _quiet_about_logs():
            run()
    except (Exception, KeyboardInterrupt) as error:
        if os.environ.get("ALLENNLP_DEBUG"):
            raise
        if (code := interrupts.exit_code(error)) is not None:
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


def _end(message: str, code: int) -> None:
    print(message, file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
