"""The `allennlp` command of this project's environment."""

import sys

from attention_explain import signals
from attention_explain.commands.startup import global_options


def main() -> None:
    """
    Answer at once if the arguments alone are enough; otherwise load the plugin and run AllenNLP.
    """
    if "torch" not in sys.modules:
        signals.exit_immediately()
        global_options.take_options()
        if sys.argv[1:2] == ["study"]:
            # Studies start their own processes; this one needs neither torch nor AllenNLP.
            from attention_explain.workflow.__main__ import main as study

            sys.exit(study(sys.argv[2:]))
        from attention_explain.commands.startup.arguments import answer_at_once

        answer_at_once()
    try:
        from attention_explain.__main__ import main
    except ImportError as error:
        # The plugin says which package is missing and how to install it.
        if not isinstance(error.__cause__, ModuleNotFoundError):
            raise
        sys.exit(f"error: {error}")
    main()


if __name__ == "__main__":
    main()
