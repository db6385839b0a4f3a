"""
The `verdict` subcommand answers for somebody's own model and texts whether attention can be trusted,
and what can. It makes the files that the answer rests on, if they are not there, and has them judged.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

from allennlp.commands.subcommand import Subcommand

from attention_explain.commands.attribute import DEFAULT_INTERPRETERS
from attention_explain.commands.batches import WORTH_A_WORD
from attention_explain.commands.job_options import (
    MODEL,
    JobOptions,
    add_job_options,
    job_options,
    listed_configs,
)
from attention_explain.commands.parts import clear_merged
from attention_explain.commands.verdict_plan import FILES, PREDICTIONS, Task, VerdictPlan, planned
from attention_explain.commands.whole_progress import WholeProgress
from attention_explain.errors import InputError
from attention_explain.files.options import check_options, write_options
from attention_explain.files.records import Damaged
from attention_explain.interpret.interpreter import InterpreterConfig
from attention_explain.messages.durations import in_words
from attention_explain.output import check_verdict_files, explained_failures, log_beside

# The exit code of `python -m analysis verdict --predictions` where there is something to judge.
SOMETHING = 3
FAILED = 2
ENOUGH = (
    "predictions are enough to say so: {} files were not made, which --anyway makes all the same"
)
# The options of the verdict, in its folder.
OPTIONS = ".options.json"
# What the folder of a verdict may hold: this and hidden files.
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
            "if not, what can? Explains, perturbs and judges what was not yet, and writes "
            "verdict.html, verdict.md and verdict.json. A killed run goes on where it was when the "
            "same command is given again.",
            help="Say whether attention can be trusted for a model and its texts.",
        )
        subparser.add_argument(
            "models",
            nargs="+",
            metavar="model",
            help=f"{MODEL}; several are seeds of one model",
        )
        subparser.add_argument("data", help="what the archive's own dataset reader is to read")
        subparser.add_argument(
            "-o", "--output-folder", required=True, metavar="FOLDER", help="the folder to write"
        )
        subparser.add_argument(
            "--methods",
            nargs="+",
            metavar="NAME",
            help="names of methods to judge beside attention, their configs as JSON, or a jsonnet "
            f"file with a list of them (default: those of {' '.join(DEFAULT_INTERPRETERS)} that the "
            "model allows)",
        )
        subparser.add_argument(
            "--quick",
            action="store_true",
            help="take out words in two ways instead of all, and do not ask how steady methods are",
        )
        subparser.add_argument(
            "--adversary",
            nargs="+",
            default=[],
            metavar="MODEL",
            help="archives or run folders of models trained to predict as this one while they attend "
            "elsewhere (callback adversarial_attention, with this model as base)",
        )
        subparser.add_argument(
            "--fail-under",
            type=float,
            metavar="SCORE",
            help="end with exit code 1 if attention's score is below this, not known, or from fewer than 20 "
            "texts, between 0 (chance) and 1 (the best order of words)",
        )
        subparser.add_argument(
            "--rationales",
            action="store_true",
            help="also ask whether attention is what people would mark, where the data say it",
        )
        subparser.add_argument(
            "--anyway",
            action="store_true",
            help="make all files, too, where predictions alone show that there is nothing to judge",
        )
        add_job_options(subparser, "judge")
        subparser.set_defaults(func=verdict_from_args)
        return subparser


def verdict_from_args(args: argparse.Namespace) -> None:
    with log_beside(Path(args.output_folder)):
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
    folder: Union[str, Path],
    methods: Optional[Sequence[InterpreterConfig]] = None,
    quick: bool = False,
    fail_under: Optional[float] = None,
    adversaries: Sequence[str] = (),
    rationales: bool = False,
    anyway: bool = False,
    **options: Any,
) -> int:
    """
    Makes what is missing, and has it judged. Parameters as on the command line; `options` are those
    of `JobOptions`. Returns the exit code.
    """
    folder = Path(folder)
    given = JobOptions(models[0], data, folder, **options)
    given.check_numbers()
    if fail_under is not None and not 0 <= fail_under <= 1:
        raise InputError(f"--fail-under is {fail_under:g}, but must be from 0 to 1")
    _check_folder(folder)
    typed = {**given.typed(), "methods": methods, "quick": quick}
    if any((folder / FILES).glob("*")) and not given.force:
        remedy = "give the same options, another folder, or --force to make it again"
        check_options(folder / OPTIONS, typed, f"{folder}: the verdict", remedy)
    plan = planned(models, folder, methods, quick, given, adversaries)
    missing, others = _missing(plan, folder, given.force)
    for sentence in plan.left_out:
        print(f"left out: {sentence}", file=sys.stderr)
    print(_announced(plan, missing), file=sys.stderr)
    for other in others:
        other.unlink()
    if missing and not anyway:
        _make(plan.predictions, lambda sentence: None)
        code = judge(folder, fail_under, rationales, predictions=True)
        if code != SOMETHING:
            if code != FAILED:
                print(ENOUGH.format(len(missing)), file=sys.stderr)
            return code
    shutil.rmtree(folder / PREDICTIONS, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    write_options(folder / OPTIONS, typed)
    _make(missing)
    return judge(folder, fail_under, rationales)


def judge(
    folder: Path,
    fail_under: Optional[float],
    rationales: bool = False,
    predictions: bool = False,
) -> int:
    """
    By the analysis, in a process of its own, which needs no torch. Its exit code: `SOMETHING` if only
    `predictions` are to be looked at, and they do not show that there is nothing to judge.
    """
    command = [sys.executable, "-m", "analysis", "verdict", os.fspath(folder)]
    if predictions:
        command.append("--predictions")
    if fail_under is not None:
        command += ["--fail-under", repr(fail_under)]
    if rationales:
        command.append("--rationales")
    return subprocess.run(command).returncode


def _check_folder(folder: Path) -> None:
    """Says before any work that it cannot be written, or is about something else; makes its parent."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise InputError(f"{folder}: cannot be written ({there} is no folder)")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: cannot be written (Permission denied)")
    places = ((folder, OURS), (folder / FILES, OUR_FILES), (folder / PREDICTIONS, OUR_FILES))
    for place, ours in places:
        strangers = sorted(
            path.name for path in place.glob("*") if ours.fullmatch(path.name) is None
        )
        if strangers:
            raise InputError(
                f"{place}: holds something else than a verdict, such as {strangers[0]!r}; give "
                "another folder"
            )
    check_verdict_files(folder)
    # The log lies there, and begins at once.
    with explained_failures(folder):
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)


def _missing(plan: VerdictPlan, folder: Path, force: bool) -> Tuple[List[Task], List[Path]]:
    """The files to make, and those to take away: of other models, where that was asked for."""
    missing = []
    for task in plan.tasks:
        if not task.output.exists():
            missing.append(task)
            continue
        read_again = any(task.reads == other.output for other in missing)
        different = ["scores"] if read_again else _differences(task, force)
        if different and not force:
            raise InputError(
                f"{task.output}: was made with other {' and '.join(different)}; give another folder, "
                "or --force to make it anew"
            )
        if different:
            missing.append(task)
        else:
            clear_merged(task.output)
    known = {task.output for task in plan.tasks}
    others = [path for path in (folder / FILES).glob("*.parquet") if path not in known]
    if others and not force:
        raise InputError(
            f"{min(others)}: is no part of this verdict; give another folder, or --force to drop it"
        )
    return missing, others


def _differences(task: Task, force: bool) -> List[str]:
    try:
        return task.make().differences()
    except Damaged as error:
        if force:
            return ["content"]
        raise InputError(f"{error}; give --force to make it anew") from error


def _announced(plan: VerdictPlan, missing: Sequence[Task]) -> str:
    if not missing:
        return f"all {len(plan.tasks)} files are there"
    seconds = sum(task.seconds for task in missing)
    long = f"about {in_words(seconds)}" if seconds >= WORTH_A_WORD else "less than a minute"
    fewer = "; --limit takes fewer texts" if seconds >= WORTH_A_WORD else ""
    return (
        f"{len(missing)} of {len(plan.tasks)} files to make, of {plan.texts} texts: {long} on this "
        f"machine{fewer}"
    )


def _make(tasks: Sequence[Task], say: Optional[Callable[[str], None]] = None) -> None:
    """What was done is said on the terminal, unless somebody else is to hear it."""
    if not tasks:
        return
    progress = WholeProgress([task.seconds for task in tasks])
    say = say or progress.write
    try:
        for place, task in enumerate(tasks):
            job = task.make()
            job.make_bar = progress.of_job(place)
            job.tell = lambda lines, output=task.output: say(f"{output}: {lines[0]}")
            job.run()
    finally:
        progress.close()
