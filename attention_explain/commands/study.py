"""The `study` subcommand: plans and runs studies, with `attention_explain.workflow`."""

import argparse
import sys

from allennlp.commands.subcommand import Subcommand

from attention_explain.workflow.__main__ import DESCRIPTION, add_arguments, run_parsed


@Subcommand.register("study")
class StudyCommand(Subcommand):
    """Registered as a `Subcommand` with name "study"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name, description=DESCRIPTION, help="Plan and run all experiments of a paper."
        )
        add_arguments(subparser)
        subparser.set_defaults(func=study_from_args)
        return subparser


def study_from_args(args: argparse.Namespace) -> None:
    """Run the command with parsed arguments, and exit with its code."""
    sys.exit(run_parsed(args))
