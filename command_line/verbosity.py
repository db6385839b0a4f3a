"""Whether the whole log goes to the terminal, which is asked for anywhere on the command line."""

import os

from command_line.options_of_all import taken

OPTION = "--verbose"
# `people` for what a person needs; anything else for everything, as AllenNLP has it.
VARIABLE = "ATTENTION_EXPLAIN_LOG"
PEOPLE = "people"
# With these of AllenNLP's own somebody has already said what is to be logged.
ALLENNLP_VARIABLES = ("ALLENNLP_DEBUG", "ALLENNLP_LOG_LEVEL")


def take_option() -> None:
    if taken(OPTION):
        os.environ[VARIABLE] = "all"


def set_default() -> None:
    """A person reads it, unless somebody says otherwise. Processes that are started know it, too."""
    if not any(os.environ.get(name) for name in ALLENNLP_VARIABLES):
        os.environ.setdefault(VARIABLE, PEOPLE)


def for_people() -> bool:
    return os.environ.get(VARIABLE) == PEOPLE
