"""
The `allennlp` command of this project's environment: AllenNLP's own, with the plugin loaded before
it (in any folder), without the noise of its old companions, and with errors for people.
"""

import json
import os
import sys

import attention_explain  # noqa: F401  (registers everything, and quiets imports to come)

# How the messages of jsonnet begin, which reach Python as bare RuntimeErrors.
JSONNET_ERRORS = ("RUNTIME ERROR:", "STATIC ERROR:")


def main() -> None:
    """Runs `allennlp`. A mistake in config or data ends in one sentence and exit code 2."""
    # Imported here, because importing it sets up logging.
    from allennlp.__main__ import run
    from allennlp.common.checks import ConfigurationError

    try:
        run()
    except (ConfigurationError, FileNotFoundError) as error:
        _end(str(error), error)
    except json.JSONDecodeError as error:
        _end(f"not JSON: {_shortened(error.doc)} ({error})", error)
    except RuntimeError as error:
        if not str(error).startswith(JSONNET_ERRORS):
            raise
        # The message, and the innermost place; who imported it is not what is wrong.
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        _end(" at ".join(lines[:2]), error)


def _shortened(text: str, most: int = 80) -> str:
    return repr(text if len(text) <= most else text[:most] + "...")


def _end(message: str, error: Exception) -> None:
    if os.environ.get("ALLENNLP_DEBUG"):
        raise error
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
