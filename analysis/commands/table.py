"""The tables and figures of a paper from files and training runs, compared with what was published."""

import argparse
from dataclasses import replace
from pathlib import Path

from analysis.errors import AnalysisError
from analysis.formats import say
from analysis.output import Output
from analysis.papers.discovery import EXHIBITIONS, NAMES
from analysis.papers.shared.paper import Exhibition
from analysis.papers.shared.study_files import load_study
from attention_explain.messages import did_you_mean

HELP = "a paper's tables and figures, compared with what was published"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help=f"one of {', '.join(NAMES)}")
    parser.add_argument(
        "runs",
        nargs="+",
        type=Path,
        metavar="RUN",
        help="attribution files, perturbation files, folders that hold some, or run folders",
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder to write into")


def run(arguments: argparse.Namespace) -> None:
    paper = find_exhibits(arguments.name)
    output = Output(arguments.output, paper.title)
    output.check()
    study = load_study(arguments.runs)
    for sentence in paper.fill(study, output):
        say(sentence)
    replaced = output.finish(arguments.command, study.sources)
    for entry in output.entries:
        words = entry["caption"] if entry["kind"] == "sentence" else entry["name"]
        say(f"{entry['kind']}: {words}")
    for sentence in replaced:
        say(sentence)
    print(f"written to {arguments.output}")


def find_exhibits(name: str) -> Exhibition:
    """All that is called so; or the one exhibit of that name, alone in its exhibition."""
    for exhibition in EXHIBITIONS:
        if name == exhibition.name and exhibition.exhibits:
            return exhibition
        for exhibit in exhibition.exhibits:
            if name == exhibit.name:
                return replace(exhibition, exhibits=(exhibit,))
    meant = did_you_mean(name, NAMES)
    whole = ", ".join(dict.fromkeys(each.name for each in EXHIBITIONS if each.exhibits))
    raise AnalysisError(
        f"there is no table '{name}'; {meant}there are {whole}, and single parts of these (--help)"
    )
