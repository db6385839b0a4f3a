"""
Every benchmark runs to its end at a tiny size, so that a change of the project that breaks one fails
here. Nothing is measured: the ratios of such sizes say nothing.
"""

import importlib
import math
from typing import Any, Dict

import pytest

from benchmarks import harness, peers
from benchmarks.__main__ import benchmark_names
from tests.commands_run import PROJECT

# The constants of each benchmark that set its size; `module.NAME` where another module has it.
SIZES: Dict[str, Dict[str, Any]] = {
    "adaptive_steps": {
        "TEXTS": 2,
        "EPOCHS": 1,
        "FIXED": 4,
        "EXACT": 8,
        "PLANTED": {"type": "planted", "sizes": {"train": 40, "dev": 10, "test": 10}},
    },
    "adversarial_epoch": {"training_step.TEXTS": 8},
    "agreement_measures": {"TEXTS": 18, "TOKENS": 12, "LONG": 24},
    "faithfulness": {
        "TEXTS": 8,
        "METHODS": 2,
        "RANDOM_ORDERS": 2,
        "LOOPED": 2,
        "SEARCHED": 1,
        "MIDDLING": 1,
        "MIDDLING_TOKENS": 6,
        "LONG": 40,
    },
    "house": {},
    "input_to_hidden": {"CASES": ((4, 1, 1, None), (4, 32, 1, None))},
    "instance_adversary": {"TEXTS": 4, "TOKENS": 6, "STEPS": 2},
    "integrated_gradients": {
        "STEPS": 4,
        "TEXTS": 4,
        "TOKENS": 5,
        "LONG_TEXTS": 4,
        "LONG_TOKENS": 10,
        "BUDGETS": (64,),
    },
    "leave_one_out": {
        "SIZES": ((6, "untrained", 1, 1), (6, "trained", 1, 1), (6, "forgets nothing", 1, 1)),
        "TRAINING": 32,
        "TELLING": 4,
        "PASSAGE": 6,
    },
    "library": {"TEXTS": 4, "TOKENS": 5},
    "lrp": {"LENGTHS": (4,)},
    "optimizer_step": {"WORDS": 10, "STEPS": 1},
    "peers": {"TEXTS": 2, "STEPS": 2, "pretrained.PIECES": 200},
    "pretrained": {
        "TEXTS": 2,
        "METHODS": 2,
        "EVERY": 1,
        "BATCHES": (1, 2),
        "PASSES": 1,
        "STEPS": 2,
        "INTEGRATED": 2,
        "LONGEST": 8,
        "BUDGETS": (64,),
        "TRAINED": 8,
        "PIECES": 200,
    },
    "saturated_attention": {"STEPS": 1, "TEXTS": 2, "TOKENS": 3},
    "start_up": {},
    "training_step": {"TEXTS": 8},
}
# They start processes, or train for some epochs.
SLOW = {"faithfulness", "house", "integrated_gradients", "pretrained", "start_up"}
ALONE = [
    pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
    for name in SIZES
    if name != "peers"
]


def test_every_benchmark_is_run_here():
    assert sorted(SIZES) == benchmark_names()


@pytest.fixture
def tiny(request, monkeypatch):
    """The benchmark of that name at its tiny size, each of its comparisons run once."""
    name = request.param
    module = importlib.import_module(f"benchmarks.{name}")
    for constant, value in SIZES[name].items():
        monkeypatch.setattr(
            f"benchmarks.{constant if '.' in constant else f'{name}.{constant}'}", value
        )

    def compare_once(*ways: Any, **options: Any) -> harness.Result:
        return harness.compare(*ways, **{**options, "repeats": 1, "warm_up": False})

    if hasattr(module, "compare"):
        monkeypatch.setattr(module, "compare", compare_once)
    monkeypatch.chdir(PROJECT)
    return module


@pytest.mark.parametrize("tiny", ALONE, indirect=True)
def test_it_runs_to_its_end(tiny):
    check(list(tiny.main()))


@pytest.mark.parametrize("tiny", ["peers"], indirect=True)
def test_our_side_of_the_comparison_with_peers_runs_to_its_end(tiny, monkeypatch):
    """With scores as the other side returns them: its environment takes minutes to set up."""

    def scores(python, where, texts):
        positions = [len(text.split()) + 2 for text in texts]
        return {
            "scores": [
                [[(-1) ** position / position for position in range(1, number + 1)]] * 4
                for number in positions
            ],
            "normed": [[0.1] * number for number in positions],
            "measured": [[[0.5, 0.5]] * 4 for _ in texts],
            "seconds": dict.fromkeys(("integrated gradients", "normed", "evaluation"), 1.0),
        }

    monkeypatch.setattr(peers, "environment", lambda: "python")
    monkeypatch.setattr(peers, "theirs", scores)
    check(tiny.main(2))


def check(results) -> None:
    assert results
    for result in results:
        assert str(result)
        if isinstance(result, harness.Result):
            assert math.isfinite(result.ratio) and result.ratio > 0
