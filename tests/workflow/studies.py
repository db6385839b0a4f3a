"""Study files for tests, small enough to be planned at once and run in seconds."""

import shutil
from functools import cache
from pathlib import Path

import pytest

from attention_explain.workflow.configs import Experiments, load_experiments
from attention_explain.workflow.plan import Folders, Plan, make_plan
from attention_explain.workflow.study_file import STUDIES, load_study
from tests.commands_run import PROJECT

NAMES = sorted(path.stem for path in STUDIES.glob("*.jsonnet"))

LIB = PROJECT / "training_configs" / "lib"
ENGINE = PROJECT / ".venv-workflow" / "bin" / "snakemake"

# A base, its adversary, a model that is guided by it, and one that has to do with none of them.
FAMILY = """
local lib = import 'lib/lib.libsonnet';
local study = import 'lib/study.libsonnet';
study {
  title: 'A family',
  seeds: [1, 2],
  data:: { planted: lib.data.planted() },
  local training = lib.training.jain_wallace,
  runs(data)::
    local base = lib.experiment(data, lib.encoders.bilstm, lib.attention.tanh, training);
    {
      base: { config: base, attributions: { attention: ['attention'] } },
      adversary: {
        config: lib.adversary(base, study.run('base'), lambda=0.001),
        attributions: { attention: ['attention'] },
        perturbations: {
          other: [{ type: 'other-model', file: study.attributions('base', 'attention') }],
        },
      },
      guided: {
        config: lib.experiment(
          lib.guided(data, study.guide('base')), lib.encoders.affine, lib.attention.guide, training
        ),
      },
      stranger: { config: lib.experiment(data, lib.encoders.affine, lib.attention.tanh, training) },
    },
  tables: [study.table('wiegreffe-pinter', ['runs', 'attributions/attention'])],
}
"""

# Trains and explains in seconds.
TINY = """
local lib = import 'lib/lib.libsonnet';
local study = import 'lib/study.libsonnet';
study {
  title: 'Tiny',
  seeds: [1],
  data:: { planted: lib.data.planted() { dataset_reader+: { sizes: { train: 200, dev: 30, test: 30 } } } },
  runs(data):: {
    [encoder]: {
      config: lib.experiment(data, lib.encoders[encoder], lib.attention.tanh, lib.training.jain_wallace)
              + { trainer+: { num_epochs: EPOCHS } },
      attributions: { jain_wallace: ['attention', { type: 'gradient-x-input', absolute: true, detach_attention: true, of: 'probability' }, { type: 'leave-one-out', at: 'input', measure: 'tvd' }] },
    }
    for encoder in ENCODERS
  },
  tables: [study.table('jain-wallace', ['attributions/jain_wallace'])],
}
"""


def write_study(folder: Path, text: str, name: str = "family") -> Path:
    """Next to a copy of the library, so that a test may change it."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "lib").exists():
        shutil.copytree(LIB, folder / "lib")
    path = folder / f"{name}.jsonnet"
    path.write_text(text)
    return path


def tiny(folder: Path, epochs: int = 2, encoders: str = "['affine']", name: str = "tiny") -> Path:
    text = TINY.replace("EPOCHS", str(epochs)).replace("ENCODERS", encoders)
    return write_study(folder, text, name)


def planned(
    folder: Path, text: str = FAMILY, limit=None, runs: str = "runs", name=None, **options
) -> Plan:
    study = load_study(str(write_study(folder, text)), **options)
    return make_plan(study, Folders(folder / runs, folder / "results"), limit, name)


@cache
def experiments(study: str, size: str = "full", seed: int = 7) -> Experiments:
    """Those of a study of the project, with `data` as the folder of data."""
    return load_experiments(study, size, seed=seed)


def engine() -> str:
    found = str(ENGINE) if ENGINE.exists() else shutil.which("snakemake")
    if not found:
        pytest.skip("no Snakemake here: `make .venv-workflow/.installed` sets it up")
    return found
