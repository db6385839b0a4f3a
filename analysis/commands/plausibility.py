"""
How near methods come to what people have marked as the reason of a label, beside chance and beside
how near people come to each other. A plausible explanation need not be true to the model. Files
whose configs differ only in their seeds are seeds of one model; all files have to be about the same
texts.
"""

import argparse
from pathlib import Path

from analysis.attributions import load_attributions
from analysis.formats import say, show
from analysis.models import check_same_texts, models_of
from analysis.output import Output
from analysis.plausibility.entries import add_entries
from analysis.plausibility.measures import SHARES, measures
from analysis.plausibility.table import shown_plausibility

HELP = "how near methods come to what people have marked, beside chance and people themselves"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="attribution files")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="the folder to write into")
    add(
        "--shares",
        nargs="+",
        type=_share,
        default=list(SHARES),
        metavar="SHARE",
        help="of a text, beside the length of the rationale: how many first tokens are a guess of "
        f"it (default: {' '.join(map(str, SHARES))})",
    )
    add("--absolute", action="store_true", help="order tokens by the sizes of signed scores")
    add(
        "--all-texts",
        action="store_true",
        help="also those whose explained class is not the gold one, for which people have marked",
    )


def run(arguments: argparse.Namespace) -> None:
    output = Output(arguments.output, section="plausibility")
    output.check()
    files = [load_attributions(path) for path in arguments.files]
    models = models_of(files)
    check_same_texts(files)
    chosen = measures(list(dict.fromkeys(arguments.shares)))
    table = add_entries(output, models, chosen, arguments.absolute, arguments.all_texts)
    parameters = {name: getattr(arguments, name) for name in ("shares", "absolute", "all_texts")}
    output.finish(arguments.command, files, parameters)
    show(shown_plausibility(table))
    for entry in output.entries:
        if entry["kind"] == "sentence":
            print()
            say(entry["caption"])
    print(f"\nwritten to {arguments.output}")


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"has to lie between 0 and 1, not {text}")
    return value
