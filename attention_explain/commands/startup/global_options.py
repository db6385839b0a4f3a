"""
Options that every command has, anywhere on the command line: whether the whole log goes to the
terminal, and whether archives are trusted to run code. They come to none of AllenNLP's parsers; the
processes that a command starts know them from the environment.
"""

import os
import sys

VERBOSE = "--verbose"
# `people` for what a person needs; anything else for everything, as AllenNLP has it.
LOG_VARIABLE = "ATTENTION_EXPLAIN_LOG"
PEOPLE = "people"
# With these of AllenNLP's own somebody has already said what is to be logged.
ALLENNLP_VARIABLES = ("ALLENNLP_DEBUG", "ALLENNLP_LOG_LEVEL")

TRUST = "--trust-archive"
TRUST_VARIABLE = "ATTENTION_EXPLAIN_TRUST_ARCHIVES"


def take_options() -> None:
    """Takes them from the arguments, before or behind the name of the command."""
    if _taken(VERBOSE):
        os.environ[LOG_VARIABLE] = "all"
    if _taken(TRUST):
        os.environ[TRUST_VARIABLE] = "yes"


def _taken(option: str) -> bool:
    if option not in sys.argv[1:]:
        return False
    sys.argv = [sys.argv[0], *(given for given in sys.argv[1:] if given != option)]
    return True


def log_for_people_by_default() -> None:
    """A person reads the log, unless somebody says otherwise."""
    if not any(os.environ.get(name) for name in ALLENNLP_VARIABLES):
        os.environ.setdefault(LOG_VARIABLE, PEOPLE)
