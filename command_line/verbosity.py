"""Whether the whole log goes to the terminal, which is asked for anywhere on the command line."""

import os
import sys

OPTION = "--verbose"
# `people` for what a person needs; anything else for everything, as AllenNLP has it.
VARIABLE = "ATTENTION_EXPLAIN_LOG"
PEOPLE = "people"
# With these of AllenNLP's own somebody has already said what is to be logged.
ALLENNLP_VARIABLES = ("ALLENNLP_DEBUG", "ALLENNLP_LOG_LEVEL")


def take_option() -> None:
    """Takes the option from the arguments: it may stand before or after the name of any command."""
    if OPTION in sys.argv[1:]:
        sys.argv = [sys.argv[0], *(given for given in sys.argv[1:] if given != OPTION)]
        os.environ[VARIABLE] = "all"


def set_default() -> None:
    """A person reads it, unless somebody says otherwise. Processes that are started know it, too."""
    if not any(os.environ.get(name) for name in ALLENNLP_VARIABLES):
        os.environ.setdefault(VARIABLE, PEOPLE)


def for_people() -> bool:
    return os.environ.get(VARIABLE) == PEOPLE
