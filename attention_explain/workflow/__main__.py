"""
The command `allennlp study run|plan|configs|config`. It loads neither torch nor AllenNLP, so that a plan or a
list of configs appears at once.
"""

import argparse
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from attention_explain import signals
from attention_explain.errors import InputError
from attention_explain.files.records import describe_os_error
from attention_explain.workflow.identity import missing_files
from attention_explain.workflow.plan import Folders, Plan, make_plan
from attention_explain.workflow.study import Study, StudyError
from attention_explain.workflow.study_file import DATA, FIRST, SIZES, load_study

# The smallest value of each numeric option.
LEAST = {"seeds": 1, "limit": 1, "cores": 1, "gpus": 0}


DESCRIPTION = (
    "Run all experiments of a study, show the plan with its expected time, list the single experiments, "
    "or print the config of one."
)


def main(arguments: list[str] | None = None) -> int:
    """Run `allennlp study` with these arguments and return its exit code."""
    parser = argparse.ArgumentParser(prog="allennlp study", description=DESCRIPTION)
    add_arguments(parser)
    return run_parsed(parser.parse_args(arguments))


def run_parsed(parsed: argparse.Namespace) -> int:
    """Run the chosen subcommand; an error becomes a message and an exit code."""
    signals.raise_on_sigterm()
    try:
        code = parsed.act(parsed)
        sys.stdout.flush()
        return code
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # `... plan | head` ends silently when head has read enough.
        signals.discard_output()
        return signals.CLOSED_PIPE_CODE
    except OSError as error:
        print(f"error: {describe_os_error(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:
        print("\nstopped", file=sys.stderr)
        return signals.exit_code(error) or 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands `run`, `plan`, `configs` and `config`."""
    commands = parser.add_subparsers(required=True, metavar="command")
    for act, name, description in (
        (_run, "run", "Train, explain and compare all models of a study."),
        (_show, "plan", "Show the steps that are left, and the expected time."),
    ):
        add = _add_command(commands, act, name, description).add_argument
        add("--seeds", type=int, help="number of seeds (default: those of the study)")
        add("--corpora", nargs="+", default=[], help="only these corpora (default: all)")
        add("--models", nargs="+", default=[], help="only these models and those they refer to")
        add("--limit", type=int, help="number of texts to explain and perturb")
        add("--runs", type=Path, default=Folders.runs, help="folder of the trained runs")
        add("--results", type=Path, default=Folders.results, help="folder for results")
        add("--name", help="name of the results folder (default: the study and its corpora)")
        add("--profile", default="workstation", help="workstation, slurm, or a profile folder")
        add("--cores", type=int, help="cores of this machine to use (default: all available)")
        add(
            "--gpus", type=int, default=0, help="GPUs of this machine; each runs one step at a time"
        )
        add("--snakemake", default="snakemake", help="the command that starts Snakemake")
    _add_command(commands, _list_configs, "configs", "List the single experiments of a study.")
    add = _add_command(
        commands, _derive_config, "config", "Print the training config of one experiment."
    ).add_argument
    add("corpus", help="as listed by `configs`")
    add("run", help="as listed by `configs`")
    add("--seed", type=int, default=FIRST, help=f"random seed (default: {FIRST})")
    add("-o", "--output", type=Path, metavar="FILE.jsonnet", help="write the config to this file")
    add("--force", action="store_true", help="replace an existing file")


def _add_command(
    commands: argparse._SubParsersAction,
    act: Callable[[argparse.Namespace], int],
    name: str,
    description: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=description, description=description)
    parser.set_defaults(act=act)
    parser.add_argument("study", help="a name in training_configs/studies, or a .jsonnet file")
    parser.add_argument("--size", default=SIZES[-1], help=f"one of {', '.join(SIZES)}")
    parser.add_argument("--data", default=DATA, help="folder of the corpora")
    return parser


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

    print(load_experiments(parsed.study, parsed.size, parsed.data).to_text())
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
    """The `make` command that does the same on another machine, without the folders of this one."""
    words = [f"make study STUDY={shlex.quote(parsed.study)}"]
    if parsed.size != SIZES[-1]:
        words.append(f"SIZE={parsed.size}")
    elif parsed.data != DATA:
        words.append("DATA=/path/to/corpora")
    for name in ("corpora", "models"):
        values = getattr(parsed, name)
        if values:
            quote = '"' if len(values) > 1 else ""
            words.append(f"{name.upper()}={quote}{' '.join(values)}{quote}")
    for name in ("seeds", "limit", "name"):
        if getattr(parsed, name) is not None:
            words.append(f"{name.upper()}={getattr(parsed, name)}")
    return " ".join(words)


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
    """Raise before any training if a data file is missing."""
    by_corpus: dict[str, dict[str, None]] = {}
    for run in study.runs.values():
        for path in missing_files(run.config):
            by_corpus.setdefault(run.key.corpus, {})[path] = None
    if by_corpus:
        files = [path for paths in by_corpus.values() for path in paths]
        others = f" (and {len(files) - 1} others)" if len(files) > 1 else ""
        raise StudyError(
            f"there is no {files[0]}{others}, for {', '.join(by_corpus)}: is --data {data!r} the folder of the "
            "corpora (docs/how-to/data.md)? Select those that you have with --corpora"
        )


if __name__ == "__main__":
    sys.exit(main())
