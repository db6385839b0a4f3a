"""
The arguments of `allennlp study run|plan|configs|config`, and what each of them does. Neither torch nor
AllenNLP is loaded, so that a plan or a list of configs is there at once.
"""

import argparse
import shlex
import sys
from pathlib import Path
from typing import Dict, List, Optional

from attention_explain.commands.startup import closed_pipes, interrupts
from attention_explain.files.records import told
from attention_explain.workflow.errors import StudyError
from attention_explain.workflow.identity import missing_files
from attention_explain.workflow.plan import Folders, Plan, make_plan
from attention_explain.workflow.study import Study
from attention_explain.workflow.study_file import DATA, FIRST, SIZES, load_study

# Of the numbers that can be given.
LEAST = {"seeds": 1, "limit": 1, "cores": 1, "gpus": 0}


DESCRIPTION = (
    "Run all experiments of a study, show the plan with its expected time, list the single experiments, "
    "or print the config of one."
)


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs `allennlp study` with these arguments and returns its exit code."""
    parser = argparse.ArgumentParser(prog="allennlp study", description=DESCRIPTION)
    add_arguments(parser)
    return run_parsed(parser.parse_args(arguments))


def run_parsed(parsed: argparse.Namespace) -> int:
    """Runs what the parsed arguments ask for; an error becomes a message and an exit code."""
    interrupts.raise_on_sigterm()
    try:
        code = parsed.act(parsed)
        sys.stdout.flush()
        return code
    except StudyError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # `... plan | head` ends when head has had enough, without a word, at the end of the process, too.
        closed_pipes.write_no_more()
        return closed_pipes.EXIT_CODE
    except OSError as error:
        print(f"error: {told(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:
        print("\nstopped", file=sys.stderr)
        return interrupts.exit_code(error)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the subcommands `run`, `plan`, `configs` and `config`."""
    commands = parser.add_subparsers(required=True, metavar="command")
    for act, name, does in (
        (_run, "run", "trains, explains and compares all of a study"),
        (_show, "plan", "says what of it is left to do, and how long that takes"),
    ):
        one = _of_a_study(commands, act, name, does)
        add = one.add_argument
        add("--seeds", type=int, help="how many (default: those of the study)")
        add("--corpora", nargs="+", default=[], help="only these (default: all of the study)")
        add("--models", nargs="+", default=[], help="only these, and what they refer to")
        add("--limit", type=int, help="explain and perturb only so many texts")
        add("--runs", type=Path, default=Folders.runs, help="where run folders lie")
        add("--results", type=Path, default=Folders.results, help="where results go")
        add("--name", help="of the folder there (default: the study and its corpora)")
        add("--profile", default="workstation", help="workstation, slurm, or a folder of your own")
        add("--cores", type=int, help="of this machine (default: all that we may use)")
        add("--gpus", type=int, default=0, help="of this machine, one run at a time each")
        add("--snakemake", default="snakemake", help="the command")
    _of_a_study(commands, _list_configs, "configs", "lists the single experiments of a study")
    one = _of_a_study(commands, _derive_config, "config", "prints the config of one, to train")
    add = one.add_argument
    add("corpus", help="as `configs` lists it")
    add("run", help="as `configs` lists it")
    add("--seed", type=int, default=FIRST, help=f"any (default: {FIRST})")
    add("-o", "--output", type=Path, metavar="FILE.jsonnet", help="writes it there")
    add("--force", action="store_true", help="replace an existing file")


def _of_a_study(commands, act, name: str, does: str) -> argparse.ArgumentParser:
    one = commands.add_parser(name, help=does, description=does)
    one.set_defaults(act=act)
    one.add_argument("study", help="a name in training_configs/studies, or a .jsonnet file")
    one.add_argument("--size", default=SIZES[-1], help=f"one of {', '.join(SIZES)}")
    one.add_argument("--data", default=DATA, help="the folder that holds the corpora")
    return one


def _run(parsed: argparse.Namespace) -> int:
    from attention_explain.workflow.check_data import check_data
    from attention_explain.workflow.run import run

    plan, command = _plan(parsed), make_command(parsed)
    check_data(plan)
    return run(plan, parsed.profile, parsed.cores, parsed.gpus, parsed.snakemake, command)


def _show(parsed: argparse.Namespace) -> int:
    from attention_explain.workflow.overview import show

    return show(_plan(parsed), parsed.cores)


def _list_configs(parsed: argparse.Namespace) -> int:
    from attention_explain.workflow.configs import load_experiments

    print(load_experiments(parsed.study, parsed.size, parsed.data).listed())
    return 0


def _derive_config(parsed: argparse.Namespace) -> int:
    from attention_explain.workflow.configs import load_experiments, write_config

    experiments = load_experiments(parsed.study, parsed.size, parsed.data, parsed.seed)
    config = experiments.config(parsed.corpus, parsed.run)
    if parsed.output is None:
        print(config, end="")
    else:
        write_config(config, parsed.output, parsed.study, parsed.force)
    return 0


def make_command(parsed: argparse.Namespace) -> str:
    """What does the same on another machine, whose folders are its own."""
    said = [f"make study STUDY={shlex.quote(parsed.study)}"]
    if parsed.size != SIZES[-1]:
        said.append(f"SIZE={parsed.size}")
    elif parsed.data != DATA:
        said.append("DATA=/path/to/corpora")
    for name in ("corpora", "models"):
        given = getattr(parsed, name)
        if given:
            words = " ".join(given)
            said.append(
                f'{name.upper()}="{words}"' if len(given) > 1 else f"{name.upper()}={words}"
            )
    for name in ("seeds", "limit", "name"):
        if getattr(parsed, name) is not None:
            said.append(f"{name.upper()}={getattr(parsed, name)}")
    return " ".join(said)


def _check_numbers(parsed: argparse.Namespace) -> None:
    for name, least in LEAST.items():
        number = getattr(parsed, name)
        if number is not None and number < least:
            raise StudyError(f"--{name} is {number}, but must be {least} or more")


def _plan(parsed: argparse.Namespace) -> Plan:
    _check_numbers(parsed)
    study = load_study(
        parsed.study, parsed.size, parsed.data, parsed.seeds, parsed.corpora, parsed.models
    )
    _check_files(study, parsed.data)
    return make_plan(study, Folders(parsed.runs, parsed.results), parsed.limit, parsed.name)


def _check_files(study: Study, data: str) -> None:
    """Before hours are spent, or promised, on trainings that would end one by one."""
    by_corpus: Dict[str, Dict[str, None]] = {}
    for run in study.runs.values():
        for path in missing_files(run.config):
            by_corpus.setdefault(run.key.corpus, {})[path] = None
    if by_corpus:
        files = [path for paths in by_corpus.values() for path in paths]
        others = f" (and {len(files) - 1} others)" if len(files) > 1 else ""
        raise StudyError(
            f"there is no {files[0]}{others}, for {', '.join(by_corpus)}: is --data {data!r} the folder that holds the "
            "corpora (docs/how-to/data.md)? --corpora names those that you have"
        )


if __name__ == "__main__":
    sys.exit(main())
