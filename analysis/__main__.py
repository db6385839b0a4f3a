"""`python -m analysis COMMAND`: tables, figures and a report from the files that were written."""

import argparse
import signal
import sys

from attention_explain import signals


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 2 after a mistake that a person can fix, 130 after Ctrl-C, 143 after SIGTERM."""
    signals.raise_on_sigterm()
    try:
        return _run(arguments)
    except KeyboardInterrupt as error:
        print("\nstopped", file=sys.stderr)
        return signals.exit_code(error) or 1


def parse(arguments: list[str]) -> argparse.Namespace:
    """What was asked for; `parsed.run(parsed)` does it."""
    # Imported here, because that takes a second, in which there can be a Ctrl-C.
    from analysis.commands import COMMANDS

    parser = argparse.ArgumentParser(prog="python -m analysis", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        added = commands.add_parser(name, help=command.HELP, description=command.__doc__)
        command.add_arguments(added)
        added.set_defaults(run=command.run)
    parsed = parser.parse_args(arguments)
    # For the manifest of what the command writes.
    parsed.command = ["python", "-m", "analysis", *arguments]
    return parsed


def _run(arguments: list[str] | None) -> int:
    from attention_explain.errors import InputError
    from attention_explain.files.records import describe_os_error

    parsed = parse(sys.argv[1:] if arguments is None else arguments)
    try:
        return parsed.run(parsed) or 0
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {describe_os_error(error)}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    # `python -m analysis ... | head` ends when head has had enough, without a word.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
