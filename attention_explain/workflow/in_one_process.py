"""
`python -m attention_explain.workflow.in_one_process JSON`: several `allennlp` commands one after another, each a list
of arguments. The imports of one cost more than many a command.
"""

import json
import sys


def main(commands: list) -> None:
    from attention_explain.__main__ import main as allennlp

    for command in commands:
        # Ends the process with a code of its own if the command fails.
        sys.argv = ["allennlp", *command]
        allennlp()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
