"""Registers all subcommands of this project with `allennlp`."""

from attention_explain.commands.attribute import Attribute
from attention_explain.commands.explore import Explore
from attention_explain.commands.faithfulness import FaithfulnessCommand
from attention_explain.commands.perturb import Perturb
from attention_explain.commands.study import StudyCommand
from attention_explain.commands.truth import TruthCommand
from attention_explain.commands.verdict import VerdictCommand

__all__ = [
    "Attribute",
    "Explore",
    "FaithfulnessCommand",
    "Perturb",
    "StudyCommand",
    "TruthCommand",
    "VerdictCommand",
]
