"""
The `verdict` subcommand: can attention be trusted as the explanation of a model, and if not, which method
can? Computes the files that the answer is based on, unless they exist, and judges them.
"""

import argparse
import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from allennlp.commands.subcommand import Subcommand

from attention_explain import defaults
from attention_explain.archives import OpenedModel
from attention_explain.commands.batches import LONG_JOB
from attention_explain.commands.chunks import check_options, write_options
from attention_explain.commands.job_options import (
    MODEL,
    JobOptions,
    add_job_options,
    job_options,
    listed_configs,
)
from attention_explain.commands.verdict_plan import FILES, PREDICTIONS, plan_verdict
from attention_explain.commands.verdict_texts import MINUTE, STEP, GrowingFiles, Work, run
from attention_explain.data.any_reader import GivenTexts
from attention_explain.errors import InputError
from attention_explain.files.atomic import check_verdict_files
from attention_explain.files.stopping import FIRST, next_number
from attention_explain.interpret.interpreter import InterpreterConfig
from attention_explain.messages import in_words
from attention_explain.output import describe_write_errors, log_next_to

# In minutes.
BUDGET = 10.0
# Texts for the question whether there is anything to judge.
PREDICTED = 500
# The exit code if attention's score is below --fail-under.
BELOW = 1
ENOUGH = "the predictions are enough for this: {} files were not made (--anyway makes them)"
# The options of the verdict, in its folder.
OPTIONS = ".options.json"
# The folder of a verdict may have these and hidden files.
OURS = re.compile(rf"{FILES}|{STEP}|{PREDICTIONS}|verdict\..*|manifest\..*|\..*")
OUR_FILES = re.compile(
    r"(attributions|perturbations|faithfulness|adversary|predictions)-\d+\.parquet(\.parts)?|\..*"
)


@Subcommand.register("verdict")
class VerdictCommand(Subcommand):
    """Registered as a `Subcommand` with name "verdict"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Can attention be trusted as the explanation of this model's predictions, and "
            "if not, which method can? Computes attributions, perturbations and faithfulness measures, and "
            "writes verdict.html, verdict.md and verdict.json. The same command resumes a killed run.",
            help="Judge whether attention can be trusted for a model and its texts.",
        )
        subparser.add_argument(
            "models",
            nargs="+",
            metavar="model",
            help=f"{MODEL}; several are seeds of one model",
        )
        subparser.add_argument("data", help="data for the archive's own dataset reader")
        subparser.add_argument(
            "-o", "--output-folder", required=True, metavar="FOLDER", help="folder for all output"
        )
        subparser.add_argument(
            "--methods",
            nargs="+",
            metavar="NAME",
            help="methods to compare with attention: names, configs as JSON, or a jsonnet file with a "
            f"list of them (default: those of {' '.join(defaults.INTERPRETERS)} that the model supports)",
        )
        subparser.add_argument(
            "--quick",
            action="store_true",
            help="use two removal methods instead of all, and skip the measure of stability under noise",
        )
        subparser.add_argument(
            "--adversary",
            nargs="+",
            default=[],
            metavar="MODEL",
            help="archives or run folders of models trained to predict like this one and attend elsewhere "
            "(callback adversarial_attention, with this model as base)",
        )
        subparser.add_argument(
            "--fail-under",
            type=float,
            metavar="SCORE",
            help="exit with code 1 if attention's score (0 = random order, 1 = best order found) is below "
            "this, not known, or from fewer than 20 texts",
        )
        subparser.add_argument(
            "--rationales",
            action="store_true",
            help="also ask whether attention agrees with the words that people marked, if the data have "
            "rationales",
        )
        subparser.add_argument(
            "--anyway",
            action="store_true",
            help="make all files even if the predictions show that there is nothing to judge",
        )
        subparser.add_argument(
            "--budget",
            type=float,
            default=BUDGET,
            metavar="MINUTES",
            help="texts are added in a random order until the answer is decided, or until this time is over "
            f"(default: {BUDGET:g} minutes; at least {FIRST} texts, at most --limit)",
        )
        add_job_options(subparser, "judge")
        subparser.set_defaults(func=verdict_from_args)
        return subparser


def verdict_from_args(args: argparse.Namespace) -> None:
    with log_next_to(Path(args.output_folder)):
        code = verdict_from_files(
            args.models,
            folder=args.output_folder,
            methods=args.methods and listed_configs(args.methods, "methods"),
            quick=args.quick,
            fail_under=args.fail_under,
            adversaries=args.adversary,
            rationales=args.rationales,
            anyway=args.anyway,
            budget=args.budget,
            **job_options(args),
        )
    if code:
        sys.exit(code)


def verdict_from_files(
    models: Sequence[str | OpenedModel],
    data: str | GivenTexts,
    folder: str | Path,
    methods: Sequence[InterpreterConfig] | None = None,
    quick: bool = False,
    fail_under: float | None = None,
    adversaries: Sequence[str] = (),
    rationales: bool = False,
    anyway: bool = False,
    budget: float = BUDGET,
    **options: Any,
) -> int:
    """
    Make the files that are missing and judge them. Parameters as on the command line; `options` are those
    of `JobOptions`; models and texts may be in memory. Returns the exit code.
    """
    # Imported here, so that the other commands do not load pandas and matplotlib.
    from analysis.verdict.interim import interim
    from analysis.verdict.output import passes, write_if_nothing_to_judge, write_verdict

    folder = Path(folder)
    job_options = JobOptions(models[0], data, folder, **options)
    job_options.check_numbers()
    if fail_under is not None and not 0 <= fail_under <= 1:
        raise InputError(f"--fail-under is {fail_under:g}, but must be from 0 to 1")
    if not budget > 0:
        raise InputError(f"--budget is {budget:g}, but must be above 0 minutes")
    _check_folder(folder)
    typed = {**job_options.typed(), "methods": methods, "quick": quick}
    existing = [*(folder / FILES).glob("*"), *(folder / STEP).glob("*")]
    if existing and not job_options.force:
        remedy = "give the same options, another folder, or --force to make it again"
        check_options(folder / OPTIONS, typed, f"{folder}: the verdict", remedy)
    plan = plan_verdict(models, folder, methods, quick, job_options, adversaries)
    growing = GrowingFiles(plan, folder, job_options.force)
    for sentence in plan.left_out:
        print(f"left out: {sentence}", file=sys.stderr)
    print(_announcement(growing, budget), file=sys.stderr)
    growing.clear()
    verdict = None
    if not growing.texts and not anyway:
        ids = plan.order[:PREDICTED]
        run([Work(task, folder / PREDICTIONS, ids) for task in plan.predictions], reports=False)
        verdict = write_if_nothing_to_judge(folder)
    if verdict is not None:
        print(ENOUGH.format(len(growing.missing)), file=sys.stderr)
    else:
        shutil.rmtree(folder / PREDICTIONS, ignore_errors=True)
        folder.mkdir(exist_ok=True)
        write_options(folder / OPTIONS, typed)
        stopped = growing.grow(budget, lambda: interim(folder, job_options.seed))
        print(stopped, file=sys.stderr)
        verdict = write_verdict(folder, rationales)
    return 0 if passes(verdict, fail_under) else BELOW


def _check_folder(folder: Path) -> None:
    """Raise before any work if the folder cannot be written or has other files; make its parent."""
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise InputError(f"{folder}: cannot be written ({existing} is not a folder)")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: cannot be written (Permission denied)")
    allowed = {folder: OURS, **{folder / name: OUR_FILES for name in (FILES, STEP, PREDICTIONS)}}
    for path, ours in allowed.items():
        others = sorted(each.name for each in path.glob("*") if ours.fullmatch(each.name) is None)
        if others:
            raise InputError(
                f"{path}: has other files than those of a verdict, such as {others[0]!r}. Give another "
                "folder."
            )
    check_verdict_files(folder)
    # The log is written there from the start.
    with describe_write_errors(folder):
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)


def _announcement(growing: GrowingFiles, budget: float) -> str:
    missing, number = growing.missing, len(growing.plan.tasks)
    if not missing:
        return f"all {number} files exist"
    # The first texts are judged however long that takes.
    least = growing.seconds_for(next_number(0, growing.available))
    left = max(MINUTE * budget - growing.record.seconds, 0.0)
    all_texts = growing.seconds_for(growing.available)
    seconds = min(max(left, least), all_texts)
    long = f"about {in_words(seconds)}" if seconds >= LONG_JOB else "less than a minute"
    most = "at most " if growing.available > FIRST else ""
    fewer = ""
    if seconds >= LONG_JOB:
        fewer = "; --limit uses fewer texts" if seconds == all_texts else "; --budget changes it"
    return (
        f"{len(missing)} of {number} files to make, for {most}{growing.available} texts: {most}{long} on "
        f"this machine{fewer}"
    )
