"""
`python -m attention_explain.workflow.in_one_process JSON`: runs several `allennlp` commands, given as lists of
arguments, in one process. Imports often take longer than the command itself.
"""

import json
import sys


def main(commands: list[list[str]]) -> None:
    """Run the commands; the first that fails ends the process with its exit code."""
    from attention_explain.__main__ import main as allennlp

    for command in commands:
        sys.argv = ["allennlp", *command]
        allennlp()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
