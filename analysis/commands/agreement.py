"""
How far the methods of attribution files agree, text by text, with intervals and compared with what chance
gives. Files whose configs differ only in their seeds are seeds of one model; all files have to be
about the same texts.
"""

import argparse
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from analysis.agreement.agreement_table import NONE, OVERALL, check_groups, shown_agreements
from analysis.agreement.agreements import Agreement, Pair, Signs, agreements
from analysis.agreement.entries import add_entries
from analysis.errors import AnalysisError
from analysis.formats import say, show
from analysis.measures import Measure
from analysis.models import Model, check_same_texts, models_of
from analysis.output import Output
from analysis.statistics.samples import DRAWS
from analysis.statistics.significance import SignFlips
from analysis.text_files import Attributions, load_attributions
from attention_explain.files.attributions import RATIONALE

HELP = "how far methods agree, with intervals, compared with chance"
# Rows on the terminal, if they can be fewer.
MOST_PRINTED = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="attribution files")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="the folder to write into")
    add(
        "--pairs",
        nargs="+",
        metavar="FIRST:SECOND",
        help="methods to compare, as attention:gradient; the data's own `rationale` is one too "
        "(default: every two of a model)",
    )
    add(
        "--measures",
        nargs="+",
        default=["kendall"],
        metavar="MEASURE",
        help=f"with options as fagin:k=non-zero (default: kendall); {', '.join(Measure.names())}",
    )
    add(
        "--by",
        default="predicted",
        metavar="COLUMN",
        help=f"groups of texts: predicted (default), label, any other column, or {NONE}",
    )
    signs = parser.add_mutually_exclusive_group()
    signs.set_defaults(signs=Signs.LIKE)
    for option, value, words in (
        (
            "--absolute",
            Signs.SIZES,
            "compare all by the sizes of scores; default: pairs of which one is unsigned",
        ),
        ("--signed", Signs.GIVEN, "compare all scores as they are, signed ones with others too"),
    ):
        signs.add_argument(option, action="store_const", dest="signs", const=value, help=words)
    add("--draws", type=_at_least(100), default=SignFlips.draws, help="of signs, in tests")
    add("--control-draws", type=_at_least(2), default=DRAWS, help="of each control, for each text")
    add("--seed", type=_at_least(0), default=0, help="of tests and controls")


def run(arguments: argparse.Namespace) -> None:
    output = Output(arguments.output, section="agreement")
    output.check()
    measures = [Measure.named(name) for name in dict.fromkeys(arguments.measures)]
    files = [load_attributions(path) for path in arguments.files]
    models = models_of(files)
    check_same_texts(files)
    for file in files:
        check_groups(file, arguments.by)
    pairs = [chosen_pairs(model, arguments.pairs) for model in models]
    agreed = with_progress(
        models, pairs, measures, arguments.control_draws, arguments.seed, arguments.signs
    )
    flips = SignFlips(draws=arguments.draws, seed=arguments.seed)
    table = add_entries(output, agreed, measures, arguments.by, flips)
    parameters = {
        name: getattr(arguments, name)
        for name in ("measures", "by", "signs", "draws", "control_draws", "seed")
    }
    parameters["pairs"] = list(dict.fromkeys(":".join(pair) for some in pairs for pair in some))
    output.finish(arguments.command, files, parameters)
    if len(table) > MOST_PRINTED:
        table = table[table["group"] == OVERALL]
        print(f"all texts together; {arguments.output}/agreement.md has the groups\n")
    show(shown_agreements(table))
    for entry in output.entries:
        if entry["kind"] == "sentence":
            print()
            say(entry["caption"])
    print(f"\nwritten to {arguments.output}")


def _at_least(least: int):
    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"has to be at least {least}, not {value}")
        return value

    return number


def columns_of(file: Attributions) -> list[str]:
    """The methods, and the rationale if the texts have one."""
    has_rationale = RATIONALE in file.table and file.table[RATIONALE].notna().any()
    return file.methods + ([RATIONALE] if has_rationale else [])


def chosen_pairs(model: Model, wanted: Sequence[str] | None) -> list[Pair]:
    """The pairs given as `first:second`; without a choice, every two columns of the model."""
    if wanted:
        pairs = [_parsed(text) for text in wanted]
        for file in model.files:
            for pair in pairs:
                _check(pair, file)
        return list(dict.fromkeys(pairs))
    first = model.files[0]
    columns = columns_of(first)
    if len(columns) == 1:
        raise AnalysisError(
            f"{first.path}: {columns[0]} is the only method, and it takes two to agree"
        )
    return [Pair(*pair) for pair in combinations(columns, 2)]


def _parsed(text: str) -> Pair:
    names = text.split(":")
    if len(names) != 2 or not all(names):
        raise AnalysisError(f"'{text}' is no pair of methods; write one as attention:gradient")
    if names[0] == names[1]:
        raise AnalysisError(f"'{text}' pairs a method with itself")
    return Pair(*names)


def _check(pair: Pair, file: Attributions) -> None:
    columns = columns_of(file)
    for name in pair:
        if name not in columns:
            raise AnalysisError(f"{file.path}: has no method '{name}'; it has {', '.join(columns)}")


def with_progress(
    models: Sequence[Model],
    pairs: Sequence[Sequence[Pair]],
    measures: Sequence[Measure],
    draws: int,
    seed: int,
    signs: Signs,
) -> list[Agreement]:
    """Agreements of each model by its own pairs; progress is shown on terminals only."""
    files = sum(len(model.files) for model in models)
    steps = files * len(measures) * (1 + draws)
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if sys.stderr.isatty():
            end = "\n" if done == steps else ""
            print(f"\rcomparing: {100 * done // steps:3d} %", end=end, file=sys.stderr, flush=True)

    return [
        agreement
        for model, of_model in zip(models, pairs, strict=True)
        for agreement in agreements(model, of_model, measures, draws, seed, signs, step)
    ]
