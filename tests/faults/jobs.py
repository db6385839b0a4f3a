"""
The commands that are killed, each with what it takes to go on, and with what has to come out. One that
is to be killed too is one more entry in JOBS.
"""

import json
import tarfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Callable, Dict, Tuple

import torch

from attention_explain.files.tables import read_sealed
from tests.commands_run import PROJECT
from tests.faults.commands import Zygote
from tests.training.runs import run_config

# By file, in a form in which what has to be the same is equal.
Outputs = Dict[str, Any]


def rows(name: str) -> Callable[[Path], Outputs]:
    """A parquet file with everything in it, but how long it took."""

    def read(folder: Path) -> Outputs:
        path = folder / name
        if not path.exists():
            return {}
        table = read_sealed(path)
        (metadata,) = table.schema.metadata.values()
        told = json.loads(metadata)
        told.pop("seconds")
        return {name: (table.to_pylist(), told)}

    return read


def verdict(folder: Path) -> Outputs:
    """The files that it rests on, and what it says, but for what comes from how long things took."""
    found: Outputs = {}
    for kind in ("attributions", "perturbations", "faithfulness"):
        found.update(rows(f"new/files/{kind}-1.parquet")(folder))
    for _, told in found.values():
        # Their hashes are those of a file that says how long it took.
        for name in ("attributions", "reads"):
            told.pop(name, None)
    said = folder / "new" / "verdict.json"
    if said.exists():
        answers = json.loads(said.read_text())
        found["verdict.json"] = {name: answers[name] for name in ("attention", "questions")}
    for name in ("verdict.md", "verdict.html"):
        if (folder / "new" / name).exists():
            found[name] = (folder / "new" / name).read_text().rstrip()[-7:]
    return found


def files(name: str) -> Callable[[Path], Outputs]:
    """A file, or all those of a folder, byte by byte. Hidden ones are nobody's business."""

    def read(folder: Path) -> Outputs:
        place = folder / name
        found = place.iterdir() if place.is_dir() else [place]
        return {
            path.name: path.read_bytes()
            for path in found
            if path.is_file() and not path.name.startswith(".")
        }

    return read


# Metrics that say how long a training took and what memory it needed, which differ from run to run.
MEASURED = ("training_duration", "memory_MB")


def training(folder: Path) -> Outputs:
    """The metrics, and the weights in the archive and next to it, bit for bit."""
    run = folder / "run"
    metrics = json.loads((run / "metrics.json").read_text())
    reached = {name: value for name, value in metrics.items() if not name.endswith(MEASURED)}
    with tarfile.open(run / "model.tar.gz") as archive:
        archived = torch.load(BytesIO(archive.extractfile("weights.th").read()))
    return {
        "metrics.json": (reached, sorted(metrics)),
        "recovered": (run / "recovered").exists(),
        "model.tar.gz": {name: value.tolist() for name, value in archived.items()},
        "best.th": {name: value.tolist() for name, value in torch.load(run / "best.th").items()},
        "vocabulary": (run / "vocabulary" / "tokens.txt").read_text(),
    }


@dataclass(frozen=True)
class Job:
    """
    command : which program, and its arguments.
    outputs : of a folder in which it ended.
    again : options with which it goes on after a kill, in the order in which somebody would try them: as
        it was given, and then as the sentence says with which that was rejected.
    whole : whether a kill at any moment leaves each output as it was before, or whole.
    """

    name: str
    command: Tuple[str, ...]
    outputs: Callable[[Path], Outputs]
    again: Tuple[Tuple[str, ...], ...] = ((),)
    whole: bool = True


# The batches, optimiser and checkpoints of the presets in training_configs/lib, with dropout.
CONFIG = {
    **run_config(
        [],
        encoder="bilstm",
        model={"dropout": 0.2, "class_weights": "balanced"},
        num_epochs=3,
        patience=2,
        optimizer={
            "type": "fused_adam",
            "lr": 0.02,
            "amsgrad": True,
            "weight_decay": 1e-5,
            "parameter_groups": [[["^attention\\."], {"weight_decay": 0}]],
        },
        validation_metric="+auc",
        checkpointer={"keep_most_recent_by_count": 1},
    ),
    "data_loader": {
        "batch_sampler": {
            "type": "bucket",
            "batch_size": 8,
            "sorting_keys": ["tokens"],
            "padding_noise": 0.1,
        }
    },
}
# Checkpoints within epochs, and with them everything else that changes from step to step.
CONFIG_WITHIN_EPOCHS = {
    **run_config(
        ["erasure_training"],
        encoder="bilstm",
        model={"dropout": 0.2},
        vocabulary={"tokens_to_add": {"tokens": ["@@MASK@@"]}},
        num_epochs=2,
        optimizer={"type": "adam", "lr": 0.02, "amsgrad": True},
        learning_rate_scheduler={"type": "slanted_triangular", "cut_frac": 0.3},
        moving_average={"type": "exponential", "decay": 0.9},
        validation_metric="-loss",
        checkpointer={"save_every_num_batches": 2},
    ),
    "data_loader": {"batch_size": 8, "shuffle": True},
}
MODEL = "model/model.tar.gz"
METHODS = str(PROJECT / "training_configs" / "interpreters" / "jain_wallace.jsonnet")
# So few tokens that there are some parts.
ON_THE_TEST_SPLIT = (MODEL, "test", "-o", "new.parquet", "--batch-tokens", "100")
FORCE = ((), ("--force",))


def train(name: str, config: str) -> Job:
    return Job(
        name,
        ("allennlp", "train", config, "-s", "run"),
        training,
        again=((), ("--recover",), ("--force",)),
        whole=False,
    )


TRAIN = train("train", "config.json")
TRAIN_WITHIN_EPOCHS = train("train, checkpoints within epochs", "within_epochs.json")
# As it is shipped: 8 epochs of 3,000 sentences.
TRAIN_PLANTED = train(
    "train planted/bilstm_tanh_softmax",
    str(PROJECT / "training_configs" / "planted" / "bilstm_tanh_softmax.jsonnet"),
)
ATTRIBUTE = Job(
    "attribute",
    ("allennlp", "attribute", *ON_THE_TEST_SPLIT, "--interpreters", METHODS),
    rows("new.parquet"),
    FORCE,
)
PERTURB = Job(
    "perturb",
    ("allennlp", "perturb", *ON_THE_TEST_SPLIT, "--perturbations", "permutation", "uniform"),
    rows("new.parquet"),
    FORCE,
)
FAITHFULNESS = Job(
    "faithfulness",
    (
        *("allennlp", "faithfulness", "model", "scores.parquet", "-o", "new.parquet"),
        *("--measures", "comprehensiveness", "--erasures", "unk", "--limit", "8"),
    ),
    rows("new.parquet"),
    FORCE,
)
VERDICT = Job(
    "verdict",
    (
        *("allennlp", "verdict", "model", "test", "-o", "new", "--quick", "--limit", "6"),
        *("--methods", "gradient"),
    ),
    verdict,
)


def analysis(name: str, *arguments: str, output: str) -> Job:
    written = () if name == "report" else ("-o", output)
    return Job(f"analysis {name}", ("analysis", name, *arguments, *written), files(output))


JOBS = (
    TRAIN,
    TRAIN_WITHIN_EPOCHS,
    ATTRIBUTE,
    PERTURB,
    FAITHFULNESS,
    VERDICT,
    analysis("agreement", "scores.parquet", output="new"),
    analysis("table", "jain-wallace-correlations", "scores.parquet", output="results"),
    analysis("causes", "scores.parquet", output="new.csv"),
    analysis("models", "model", output="new.csv"),
    analysis("report", "results", output="results"),
)


def prepared(zygote: Zygote, folder: Path) -> Path:
    """A folder with all that the jobs read: a config, a model, scores, and a folder of results."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "within_epochs.json").write_text(json.dumps(CONFIG_WITHIN_EPOCHS))
    attribute = ("allennlp", "attribute", MODEL, "test", "-o", "scores.parquet", "--interpreters")
    for command in (
        ("allennlp", "train", "config.json", "-s", "model"),
        (*attribute, METHODS),
        ("analysis", "agreement", "scores.parquet", "-o", "results"),
    ):
        ended = zygote.run(command, folder)
        assert ended.code == 0, ended.said
    return folder
