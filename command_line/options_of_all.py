"""Options that every command has: they come to none of AllenNLP's parsers."""

import sys


def taken(option: str) -> bool:
    """Takes it from the arguments, before or behind the name of the command, if it is there."""
    if option not in sys.argv[1:]:
        return False
    sys.argv = [sys.argv[0], *(given for given in sys.argv[1:] if given != option)]
    return True
