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
from attention_explain.commands.batches import LONG_JOB, TotalProgress
from attention_explain.commands.chunks import check_options, clear_merged, write_options
from attention_explain.commands.job_options import (
    MODEL,
    JobOptions,
    add_job_options,
    job_options,
    listed_configs,
)
from attention_explain.commands.verdict_plan import (
    FILES,
    PREDICTIONS,
    Task,
    VerdictPlan,
    plan_verdict,
)
from attention_explain.errors import InputError
from attention_explain.files.atomic import check_verdict_files
from attention_explain.files.records import DamagedFileError
from attention_explain.interpret.interpreter import InterpreterConfig
from attention_explain.messages import in_words
from attention_explain.output import describe_write_errors, log_next_to

# The exit code if attention's score is below --fail-under.
BELOW = 1
ENOUGH = "the predictions are enough for this: {} files were not made (--anyway makes them)"
# The options of the verdict, in its folder.
OPTIONS = ".options.json"
# The folder of a verdict may have these and hidden files.
OURS = re.compile(rf"{FILES}|{PREDICTIONS}|verdict\..*|manifest\..*|\..*")
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
            **job_options(args),
        )
    if code:
        sys.exit(code)


def verdict_from_files(
    models: Sequence[str],
    data: str,
    folder: str | Path,
    methods: Sequence[InterpreterConfig] | None = None,
    quick: bool = False,
    fail_under: float | None = None,
    adversaries: Sequence[str] = (),
    rationales: bool = False,
    anyway: bool = False,
    **options: Any,
) -> int:
    """
    Make the files that are missing and judge them. Parameters as on the command line; `options` are those
    of `JobOptions`. Returns the exit code.
    """
    # Imported here, so that the other commands do not load pandas and matplotlib.
    from analysis.verdict.output import passes, write_if_nothing_to_judge, write_verdict

    folder = Path(folder)
    job_options = JobOptions(models[0], data, folder, **options)
    job_options.check_numbers()
    if fail_under is not None and not 0 <= fail_under <= 1:
        raise InputError(f"--fail-under is {fail_under:g}, but must be from 0 to 1")
    _check_folder(folder)
    typed = {**job_options.typed(), "methods": methods, "quick": quick}
    if any((folder / FILES).glob("*")) and not job_options.force:
        remedy = "give the same options, another folder, or --force to make it again"
        check_options(folder / OPTIONS, typed, f"{folder}: the verdict", remedy)
    plan = plan_verdict(models, folder, methods, quick, job_options, adversaries)
    missing, others = _missing(plan, folder, job_options.force)
    for sentence in plan.left_out:
        print(f"left out: {sentence}", file=sys.stderr)
    print(_announcement(plan, missing), file=sys.stderr)
    for other in others:
        other.unlink()
    verdict = None
    if missing and not anyway:
        _run(plan.predictions, reports=False)
        verdict = write_if_nothing_to_judge(folder)
    if verdict is not None:
        print(ENOUGH.format(len(missing)), file=sys.stderr)
    else:
        shutil.rmtree(folder / PREDICTIONS, ignore_errors=True)
        folder.mkdir(exist_ok=True)
        write_options(folder / OPTIONS, typed)
        _run(missing)
        verdict = write_verdict(folder, rationales)
    return 0 if passes(verdict, fail_under) else BELOW


def _check_folder(folder: Path) -> None:
    """Raise before any work if the folder cannot be written or has other files; make its parent."""
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise InputError(f"{folder}: cannot be written ({existing} is not a folder)")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: cannot be written (Permission denied)")
    allowed = {folder: OURS, folder / FILES: OUR_FILES, folder / PREDICTIONS: OUR_FILES}
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


def _missing(plan: VerdictPlan, folder: Path, force: bool) -> tuple[list[Task], list[Path]]:
    """The files to make, and those of other models to delete if `force` is given."""
    missing = []
    for task in plan.tasks:
        if not task.output.exists():
            missing.append(task)
            continue
        read_again = any(task.reads == other.output for other in missing)
        different = ["scores"] if read_again else _differences(task, force)
        if different and not force:
            raise InputError(
                f"{task.output}: was made with other {' and '.join(different)}. Give another folder, or "
                "--force to make it again."
            )
        if different:
            missing.append(task)
        else:
            clear_merged(task.output)
    known = {task.output for task in plan.tasks}
    others = [path for path in (folder / FILES).glob("*.parquet") if path not in known]
    if others and not force:
        raise InputError(
            f"{min(others)}: does not belong to this verdict. Give another folder, or --force to delete it."
        )
    return missing, others


def _differences(task: Task, force: bool) -> list[str]:
    try:
        return task.make().differences()
    except DamagedFileError as error:
        if force:
            return ["content"]
        raise InputError(f"{error}. Give --force to make it again.") from error


def _announcement(plan: VerdictPlan, missing: Sequence[Task]) -> str:
    if not missing:
        return f"all {len(plan.tasks)} files exist"
    seconds = sum(task.seconds for task in missing)
    long = f"about {in_words(seconds)}" if seconds >= LONG_JOB else "less than a minute"
    fewer = "; --limit uses fewer texts" if seconds >= LONG_JOB else ""
    return (
        f"{len(missing)} of {len(plan.tasks)} files to make, for {plan.texts} texts: {long} on this "
        f"machine{fewer}"
    )


def _run(tasks: Sequence[Task], reports: bool = True) -> None:
    """Run the jobs under one progress bar; with `reports`, each prints a line at its end."""
    if not tasks:
        return
    progress = TotalProgress([task.seconds for task in tasks], reports)
    try:
        for index, task in enumerate(tasks):
            task.make().run(progress.of_job(index))
    finally:
        progress.close()
