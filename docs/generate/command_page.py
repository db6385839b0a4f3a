"""The reference page of all commands, from their argument parsers."""

import argparse
from typing import Iterator, List, Tuple

TITLE = """# Commands

This page is generated from the argument parsers. `COMMAND --help` prints the same text in a terminal.
"""
WIDTH = 78


def command_page() -> str:
    """The page as Markdown."""
    from attention_explain.commands.startup import global_options

    sections = [TITLE]
    for name, parser in _commands():
        sections.append(_section(name, parser))
    sections.append(
        "## Options of every `allennlp` command\n\n"
        + _table(
            [
                (f"`{global_options.VERBOSE}`", "print the whole log in the terminal"),
                (
                    f"`{global_options.TRUST}`",
                    "let the archive run code of its own; see [safety](safety.md)",
                ),
            ]
        )
    )
    return "\n\n".join(sections) + "\n"


def _commands() -> Iterator[Tuple[str, argparse.ArgumentParser]]:
    """Every command of this project with its parser; a command of commands yields each of them."""
    from allennlp.commands import ArgumentParserWithDefaults, Subcommand

    import analysis.__main__ as analysis_main
    import attention_explain.plugin  # noqa: F401  (registers the subcommands)
    from analysis.commands import COMMANDS

    allennlp = ArgumentParserWithDefaults(prog="allennlp")
    added = allennlp.add_subparsers(metavar="")
    for name in sorted(Subcommand.list_available()):
        subcommand = Subcommand.by_name(name)
        if subcommand.__module__.startswith("attention_explain"):
            yield from _leaves(f"allennlp {name}", subcommand().add_subparser(added))
    analysis = argparse.ArgumentParser(prog="python -m analysis", description=analysis_main.__doc__)
    commands = analysis.add_subparsers()
    for name, command in COMMANDS.items():
        parser = commands.add_parser(name, help=command.HELP, description=command.__doc__)
        command.add_arguments(parser)
        yield f"python -m analysis {name}", parser


def _leaves(
    name: str, parser: argparse.ArgumentParser
) -> Iterator[Tuple[str, argparse.ArgumentParser]]:
    inner = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    if not inner:
        yield name, parser
    for action in inner:
        for word, leaf in action.choices.items():
            yield f"{name} {word}", leaf


def _section(name: str, parser: argparse.ArgumentParser) -> str:
    actions = [
        action
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction) and action.help is not argparse.SUPPRESS
    ]
    formatter = argparse.HelpFormatter(prog=name, width=WIDTH)
    formatter.add_usage(None, actions, parser._mutually_exclusive_groups, prefix="")
    usage = formatter.format_help().strip()
    rows = [_row(action, formatter) for action in actions]
    description = " ".join((parser.description or "").split())
    return f"## `{name}`\n\n{_sentence(description)}\n\n```text\n{usage}\n```\n\n{_table(rows)}"


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?")) else f"{text}."


def _row(action: argparse.Action, formatter: argparse.HelpFormatter) -> Tuple[str, str]:
    names = ", ".join(action.option_strings)
    value = "" if action.nargs == 0 else formatter._format_args(action, _metavar(action))
    meaning = formatter._expand_help(action) if action.help else ""
    if action.choices is not None and isinstance(action.metavar, str):
        meaning += f" (one of {', '.join(map(str, action.choices))})"
    if _has_default(action) and "default" not in meaning:
        meaning += f" (default: {action.default})"
    return f"`{f'{names} {value}'.strip()}`", meaning.strip()


def _metavar(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    return action.dest.upper() if action.option_strings else action.dest


def _has_default(action: argparse.Action) -> bool:
    none = action.default in (None, False, "", argparse.SUPPRESS) or action.default == []
    return not none and not action.required


def _table(rows: List[Tuple[str, str]]) -> str:
    lines = [("argument", "meaning"), ("---", "---")]
    lines += [(cell(name), cell(meaning)) for name, meaning in rows]
    return "\n".join(f"| {name} | {meaning} |" for name, meaning in lines)


def cell(text: str) -> str:
    """A text that can stand in a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")
