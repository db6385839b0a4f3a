"""The `allennlp` command of this project's environment."""

import sys

from command_line import interrupts, options_of_all


def main() -> None:
    """
    Answers at once what the arguments alone can answer; everything else is AllenNLP's, with the
    plugin loaded.
    """
    if "torch" not in sys.modules:
        interrupts.end_at_once()
        options_of_all.take_options()
        from command_line.arguments import answer_at_once

        answer_at_once()
    from attention_explain.__main__ import main

    main()


if __name__ == "__main__":
    main()
