"""`python -m workflow run|plan STUDY`: what `make study` and `make study-plan` call."""

import argparse
import shlex
import signal
import sys
from pathlib import Path
from typing import List, Optional

from durable.damage import told
from workflow.errors import StudyError
from workflow.plan import Places, Plan, make_plan
from workflow.study import DATA, SIZES, load_study


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m workflow", description=__doc__)
    parser.add_argument("command", choices=("run", "plan"), help="do it, or say what it costs")
    add = parser.add_argument
    add("study", help="a name in training_configs/studies, or a .jsonnet file")
    add("--size", default="full", help=f"one of {', '.join(SIZES)}")
    add("--data", default=DATA, help="the folder that holds the corpora")
    add("--seeds", type=int, help="how many (default: those of the study)")
    add("--corpora", nargs="+", default=[], help="only these (default: all of the study)")
    add("--models", nargs="+", default=[], help="only these, and what they refer to")
    add("--limit", type=int, help="explain and perturb only so many texts")
    add("--runs", type=Path, default=Places.runs, help="where run folders lie")
    add("--results", type=Path, default=Places.results, help="where results go")
    add("--profile", default="workstation", help="workstation, slurm, or a folder of your own")
    add("--cores", type=int, help="of this machine (default: all that we may use)")
    add("--gpus", type=int, default=0, help="of this machine, one run at a time each")
    add("--snakemake", default="snakemake", help="the command")
    parsed = parser.parse_args(arguments)
    try:
        plan = _plan(parsed)
        if parsed.command == "plan":
            from workflow.overview import show

            return show(plan, parsed.cores)
        from workflow.run import run

        command = make_command(parsed)
        return run(plan, parsed.profile, parsed.cores, parsed.gpus, parsed.snakemake, command)
    except StudyError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {told(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 128 + signal.SIGINT


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
    for name in ("seeds", "limit"):
        if getattr(parsed, name) is not None:
            said.append(f"{name.upper()}={getattr(parsed, name)}")
    return " ".join(said)


def _plan(parsed: argparse.Namespace) -> Plan:
    study = load_study(
        parsed.study, parsed.size, parsed.data, parsed.seeds, parsed.corpora, parsed.models
    )
    return make_plan(study, Places(parsed.runs, parsed.results), parsed.limit)


if __name__ == "__main__":
    sys.exit(main())
