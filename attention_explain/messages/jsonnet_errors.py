"""jsonnet's messages in one line, for studies and for all that the plugin reads."""

from os import PathLike
from typing import Union

# jsonnet's own library, in which nobody can mend anything.
LIBRARY = "std.jsonnet:"


def jsonnet_sentence(error: RuntimeError, file: Union[str, PathLike]) -> str:
    """
    What is wrong, where, and in which file that was asked for, if it is another one.

    # Parameters

    error : `RuntimeError`
        A message, then the places that led there, the innermost first, each after a tab.
    file : `str` or `PathLike`
        What was evaluated.
    """
    lines = str(error).splitlines()
    message = " ".join(line.strip() for line in lines if line.strip() and line[0] != "\t")
    places = [line.split("\t")[1] for line in lines if line.startswith("\t") and ":" in line]
    places = [place for place in places if not place.startswith(LIBRARY)]
    sentence = f"{message} at {places[0]}" if places else message
    if f" {file}:" in sentence:
        return sentence
    own = next((place for place in places if place.startswith(f"{file}:")), file)
    return f"{sentence}, in {own}"
