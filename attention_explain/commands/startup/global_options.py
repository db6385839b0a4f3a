"""
Options of all commands, allowed anywhere on the command line: whether the terminal shows the complete log, and
whether archives may run code. They are removed before AllenNLP parses the arguments, and passed to child processes
through the environment.
"""

import os
import sys

VERBOSE = "--verbose"
# `people` for the messages that people need; any other value for all messages, as AllenNLP shows them.
LOG_VARIABLE = "ATTENTION_EXPLAIN_LOG"
PEOPLE = "people"
# AllenNLP's own variables for the log; if one is set, it decides.
ALLENNLP_VARIABLES = ("ALLENNLP_DEBUG", "ALLENNLP_LOG_LEVEL")

TRUST = "--trust-archive"
TRUST_VARIABLE = "ATTENTION_EXPLAIN_TRUST_ARCHIVES"


def take_options() -> None:
    """Move the options from the arguments to the environment."""
    if _remove(VERBOSE):
        os.environ[LOG_VARIABLE] = "all"
    if _remove(TRUST):
        os.environ[TRUST_VARIABLE] = "yes"


def _remove(option: str) -> bool:
    if option not in sys.argv[1:]:
        return False
    sys.argv = [sys.argv[0], *(given for given in sys.argv[1:] if given != option)]
    return True


def log_for_people_by_default() -> None:
    """Show only the messages that people need, unless a variable says otherwise."""
    if not any(os.environ.get(name) for name in ALLENNLP_VARIABLES):
        os.environ.setdefault(LOG_VARIABLE, PEOPLE)
