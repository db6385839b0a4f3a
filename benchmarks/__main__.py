"""`python -m benchmarks [NAME ...]`: runs the benchmarks, all of them by default."""

import argparse
import importlib
import logging
import pkgutil
import sys

import torch

import benchmarks

NOT_BENCHMARKS = {"__main__", "harness", "peers_side"}


def benchmark_names() -> list[str]:
    """The modules of this package that are benchmarks."""
    return sorted(
        module.name
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if module.name not in NOT_BENCHMARKS
    )


def main() -> int:
    names = benchmark_names()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *names], default=[], metavar="NAME")
    chosen = parser.parse_args().names or names
    logging.disable(logging.WARNING)
    torch.set_num_threads(2)
    missed = 0
    for name in chosen:
        for result in importlib.import_module(f"benchmarks.{name}").main():
            print(result, flush=True)
            missed += result.missed
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
