"""Whether archives are trusted to run code, which is asked for anywhere on the command line."""

import os

from command_line.options_of_all import taken

OPTION = "--trust-archive"
# Set for the processes that a command starts, too.
VARIABLE = "ATTENTION_EXPLAIN_TRUST_ARCHIVES"


def take_option() -> None:
    if taken(OPTION):
        os.environ[VARIABLE] = "yes"


def is_asked_for() -> bool:
    return os.environ.get(VARIABLE) == "yes"
