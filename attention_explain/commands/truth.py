"""
The `truth` subcommand: plants shortcuts into a corpus, trains models that must use them, and measures how well each
method finds them, next to what the verdict says without knowing them.
"""

import argparse
import io
import json
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allennlp.commands.subcommand import Subcommand
from allennlp.data import Instance

from attention_explain import defaults
from attention_explain.archives import archive_sha256
from attention_explain.commands import truth_models as models
from attention_explain.commands.attribute import AttributionJob
from attention_explain.commands.batches import TotalProgress
from attention_explain.commands.chunks import check_options, write_options
from attention_explain.commands.job_options import JobOptions, add_global_options, listed_configs
from attention_explain.commands.verdict import verdict_from_files
from attention_explain.costs import FORWARD, passes_of_components
from attention_explain.data.shortcut import KINDS, SWAPPED, SYNTHETIC
from attention_explain.errors import InputError
from attention_explain.files.records import read_json
from attention_explain.interpret.interpreter import InterpreterConfig
from attention_explain.messages import in_words
from attention_explain.output import describe_write_errors, log_next_to

ORIGINAL = "original"
SHARE = 0.2
LEAST_TEXTS = 20
# More texts make intervals little shorter.
LIMIT = 500
# The method that takes no time, for files that are read for their predictions.
CHEAPEST = "random"
OPTIONS = ".options.json"
OURS = (OPTIONS, "models", "files", "verdicts", "data")
OUR_ENDS = (".csv", ".md", ".html", ".log")
# Minutes for a verdict on one kind, and the number of its texts.
VERDICT_MINUTES, VERDICT_TEXTS = 0.5, 200


@Subcommand.register("truth")
class TruthCommand(Subcommand):
    """Registered as a `Subcommand` with name "truth"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Do explanations of this model find the words that it must use? Plants meaningless "
            "tokens that determine the label into the training texts, trains models with and without them, "
            "and measures how well each method finds them. The same command resumes a killed run.",
            help="Test explanations against a known truth, planted into your data.",
        )
        subparser.add_argument(
            "model",
            help="config of `allennlp train`, or folder of a transformer, a copy of which is trained",
        )
        subparser.add_argument(
            "data",
            help="for a config: the test texts; for a folder: a file that is split into train, dev and test, "
            "or a folder with a file for each",
        )
        subparser.add_argument(
            "-o", "--output-folder", required=True, metavar="FOLDER", help="folder for all output"
        )
        subparser.add_argument(
            "--kinds",
            nargs="+",
            choices=KINDS,
            help="kinds of shortcuts: one token, a token that counts only with another one, or the order of "
            "two tokens (default: all that the number of classes allows)",
        )
        subparser.add_argument(
            "--seeds", type=int, default=3, help="number of trainings of each model (default: 3)"
        )
        subparser.add_argument(
            "--methods",
            nargs="+",
            metavar="NAME",
            help="methods: names, configs as JSON, or a jsonnet file with a list of them (default: those of "
            f"{' '.join(defaults.INTERPRETERS)} that the model supports)",
        )
        subparser.add_argument(
            "--limit",
            type=int,
            default=LIMIT,
            help=f"number of test texts, spread evenly over the data (default: {LIMIT})",
        )
        subparser.add_argument("--batch-tokens", type=int, help="number of tokens per forward pass")
        subparser.add_argument(
            "--cuda-device", type=int, default=-1, help="id of GPU to use for explanations"
        )
        add_global_options(subparser, "show the complete log")
        subparser.set_defaults(func=truth_from_args)
        return subparser


def truth_from_args(args: argparse.Namespace) -> None:
    with log_next_to(Path(args.output_folder)):
        truth_from_files(
            args.model,
            args.data,
            args.output_folder,
            kinds=args.kinds,
            seeds=args.seeds,
            methods=args.methods and listed_configs(args.methods, "methods"),
            limit=args.limit,
            batch_tokens=args.batch_tokens,
            cuda_device=args.cuda_device,
        )


@dataclass(frozen=True)
class TruthPlan:
    """
    folder : for all output.
    data : the test texts.
    kinds, labels, seeds : of the shortcuts and trainings.
    configs : makes the config of a seed, without a shortcut.
    training, test : the texts.
    methods : to compare; None for the default.
    """

    folder: Path
    data: str
    kinds: Sequence[str]
    labels: Sequence[str]
    seeds: Sequence[int]
    configs: Callable[[int], dict[str, Any]]
    training: Sequence[Instance]
    test: Sequence[Instance]
    methods: Sequence[InterpreterConfig] | None
    options: dict[str, Any]

    def run_folder(self, model: str, seed: int) -> Path:
        """The folder of a training: of the original model, or of a kind."""
        return self.folder / "models" / f"{model}-{seed}"

    def config(self, model: str, seed: int) -> dict[str, Any]:
        """The config of a training."""
        kind, share = (self.kinds[0], 0.0) if model == ORIGINAL else (model, SHARE)
        config = self.configs(seed)
        copies = {
            name: str(self.folder / "models" / "transformers" / str(number))
            for number, name in enumerate(models.transformers_in(config), 1)
        }
        return models.with_shortcut(models.with_copies(config, copies), kind, self.labels, share)

    @property
    def trainings(self) -> list[tuple[str, int]]:
        """The models, with their seeds."""
        return [(model, seed) for model in (ORIGINAL, *self.kinds) for seed in self.seeds]

    def files(self, kind: str, seed: int) -> dict[str, Path]:
        """As `ShortcutRun` has them."""
        names = ("synthetic", "swapped", "original")
        return {name: self.folder / "files" / f"{kind}-{seed}-{name}.parquet" for name in names}

    def overrides(self, kind: str, part: str) -> str:
        """Changes a model's config so that it reads texts that all have a shortcut."""
        config = self.configs(self.seeds[0])
        values = {"kind": kind, "part": part, "share": SHARE}
        return json.dumps(
            {
                f"{reader}.shortcut.{name}": value
                for reader in models.READERS
                if reader in config
                for name, value in values.items()
            }
        )


def truth_from_files(
    model: str,
    data: str,
    folder: str | Path,
    kinds: Sequence[str] | None = None,
    seeds: int = 3,
    methods: Sequence[InterpreterConfig] | None = None,
    limit: int | None = LIMIT,
    batch_tokens: int | None = None,
    cuda_device: int = -1,
) -> None:
    """Train, explain, judge and write the page. Parameters as on the command line."""
    # Imported here, so that the other commands do not load pandas and matplotlib.
    from analysis.truth.output import load_run, write_truth

    folder = Path(folder)
    if seeds < 1:
        raise InputError(f"--seeds is {seeds}, but must be 1 or more")
    options = {"limit": limit, "batch_tokens": batch_tokens, "cuda_device": cuda_device}
    plan = plan_truth(model, data, folder, kinds, range(1, seeds + 1), methods, options)
    print(_announcement(plan), file=sys.stderr)
    for number, name in enumerate(models.transformers_in(plan.configs(1)), 1):
        models.save_copy(name, folder / "models" / "transformers" / str(number))
    for number, (name, seed) in enumerate(plan.trainings, 1):
        _train(plan, name, seed, f"training {number} of {len(plan.trainings)}: {name}, seed {seed}")
    _explain(plan)
    runs = [
        load_run(kind, seed, plan.files(kind, seed)) for kind in plan.kinds for seed in plan.seeds
    ]
    verdicts = {}
    for kind in plan.kinds:
        learned = [run for run in runs if run.kind == kind and not run.why_not]
        if learned and "attention" in learned[0].synthetic.methods:
            verdicts[kind] = _judge(plan, kind, [run.seed for run in learned])
    number = len(plan.seeds)
    about = (
        f"{model}, {len(plan.test)} texts of {data}, {number} training{'s' * (number > 1)} each."
    )
    write_truth(folder, runs, verdicts, about)


def plan_truth(
    model: str,
    data: str,
    folder: Path,
    kinds: Sequence[str] | None,
    seeds: Sequence[int],
    methods: Sequence[InterpreterConfig] | None,
    options: dict[str, Any],
) -> TruthPlan:
    """The plan; raises for everything that is wrong with the input, before anything is trained."""
    _check_folder(folder)
    if models.is_transformer(model):
        splits = models.split_data(data, folder / "data")
        file = folder / "models" / "config.jsonnet"
        data = splits["test"]

        def configs(seed: int) -> dict[str, Any]:
            return models.fine_tuning_config(model, splits, file, seed)

    else:

        def configs(seed: int) -> dict[str, Any]:
            return models.training_config(model, seed)

    config = configs(seeds[0])
    labels = models.labels_of(config)
    chosen = models.possible_kinds(kinds, labels)
    typed = {
        "model": {**config, **dict.fromkeys(models.SEEDS)},
        "data": archive_sha256(data) if Path(data).exists() else data,
        "methods": methods,
        "limit": options["limit"],
    }
    work = f"{folder}: the comparison"
    check_options(folder / OPTIONS, typed, work, "give the same options or another folder")
    JobOptions(model, data, folder, **options).check_numbers()
    # Every text is read with a shortcut planted, which shows words that are there already.
    mixed = models.with_shortcut(config, chosen[0], labels, SHARE)
    training = models.texts_of(mixed, "dataset_reader", mixed["train_data_path"])
    test = models.texts_of(mixed, "validation_dataset_reader", data, SYNTHETIC)
    number = min(len(test), options["limit"] or len(test))
    if number < LEAST_TEXTS:
        raise InputError(
            f"{data}: {number} test texts are too few to judge methods; at least {LEAST_TEXTS} are needed"
        )
    with describe_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_options(folder / OPTIONS, typed)
    return TruthPlan(
        folder, data, chosen, labels, seeds, configs, training, test[:number], methods, options
    )


def _check_folder(folder: Path) -> None:
    """Raise if the folder has other files than those of this command."""
    others = sorted(
        path.name
        for path in folder.glob("*")
        if path.name not in OURS and path.suffix not in OUR_ENDS
    )
    if others or (folder.is_dir() and any(folder.iterdir()) and not (folder / OPTIONS).exists()):
        name = others[0] if others else min(path.name for path in folder.iterdir())
        if name not in OURS:
            raise InputError(
                f"{folder}: has other files than those of this command, such as {name!r}; give another folder"
            )


def _announcement(plan: TruthPlan) -> str:
    from attention_explain.workflow import costs

    config = plan.config(plan.kinds[0], plan.seeds[0])
    tokens = [len(each["metadata"].metadata["tokens"]) for each in plan.test]
    words, length = sum(tokens), sum(tokens) / len(tokens)
    training = sum(len(each["metadata"].metadata["tokens"]) for each in plan.training)
    separate = costs.pretrained(config) is not None
    methods = plan.methods or [{"type": name} for name in defaults.INTERPRETERS]
    configs = [{"type": each} if isinstance(each, str) else each for each in methods]
    passes = passes_of_components("interpreters", configs, length, separate)
    number = len(plan.kinds) * len(plan.seeds)
    trained = sum(
        costs.training_on(config, training)
        for model, seed in plan.trainings
        if not (plan.run_folder(model, seed) / "finished.json").exists()
    )
    explained = number * FORWARD * (passes + 2) * words * costs.seconds_per_word(config)
    judged = len(plan.kinds) * 60 * VERDICT_MINUTES
    missing = sum(
        not path.exists()
        for kind in plan.kinds
        for seed in plan.seeds
        for path in plan.files(kind, seed).values()
    )
    seconds = trained + (explained + judged) * missing / (3 * number)
    return (
        f"{len(plan.trainings)} trainings ({in_words(trained)} to go), {len(plan.test)} texts, kinds "
        f"{', '.join(plan.kinds)}: about {in_words(seconds)} on one core; the same command resumes"
    )


@contextmanager
def _signals_kept() -> Any:
    """Restore the handlers of signals, which a training that is waited for replaces."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _train(plan: TruthPlan, model: str, seed: int, title: str) -> None:
    """Train in a process of its own, unless that is done; a training that was killed continues."""
    from attention_explain.workflow.kinds import TrainStep
    from attention_explain.workflow.progress import Events, last_error
    from attention_explain.workflow.run_step import run

    folder = plan.run_folder(model, seed)
    runs = folder.parent
    step = TrainStep(
        kind="train",
        name=folder.name,
        about=title,
        group=model,
        identity="",
        folder=str(folder),
        config_file=str(runs / "configs" / f"{folder.name}.json"),
        config=plan.config(model, seed),
    )
    if step.is_done:
        return
    print(title, end="", flush=True, file=sys.stderr)
    start, events = time.monotonic(), Events(runs / "state")
    with _signals_kept():
        code = run(step, runs, events)
    print(f" ({in_words(time.monotonic() - start)})", file=sys.stderr)
    if code in (128 + signal.SIGINT, 128 + signal.SIGTERM):
        raise KeyboardInterrupt
    if code:
        log = events.log(step)
        raise InputError(f"{title} failed: {last_error(log, code)}; the log is {log}")


def _explain(plan: TruthPlan) -> None:
    """Make the files that are missing."""
    jobs = []
    cheap = [CHEAPEST]
    for kind in plan.kinds:
        for seed in plan.seeds:
            files = plan.files(kind, seed)
            mixed, original = (str(plan.run_folder(name, seed)) for name in (kind, ORIGINAL))
            jobs += [
                (files["synthetic"], mixed, SYNTHETIC, kind, plan.methods),
                (files["swapped"], mixed, SWAPPED, kind, cheap),
                (files["original"], original, SYNTHETIC, kind, cheap),
            ]
    missing = [job for job in jobs if not job[0].exists()]
    if not missing:
        return
    many = len(plan.methods or defaults.INTERPRETERS)
    progress = TotalProgress([len(job[4] or range(many)) for job in missing], reports=False)
    try:
        for number, (output, model, part, kind, methods) in enumerate(missing):
            options = JobOptions(
                model, plan.data, output, overrides=plan.overrides(kind, part), **plan.options
            )
            AttributionJob(options, methods, None, None, 0).run(progress.of_job(number))
    finally:
        progress.close()


def _judge(plan: TruthPlan, kind: str, seeds: Sequence[int]) -> Path:
    """The verdict on the models that have learned a kind, without the truth; returns its file."""
    folder = plan.folder / "verdicts" / kind
    file = folder / "verdict.json"
    judged = file.exists()
    if not judged or read_json(file.read_bytes())["seeds"] != len(seeds):
        limit = min(VERDICT_TEXTS, len(plan.test))
        print(f"verdict: {kind}", file=sys.stderr)
        # The page has its result.
        with redirect_stdout(io.StringIO()):
            verdict_from_files(
                [str(plan.run_folder(kind, seed)) for seed in seeds],
                plan.data,
                folder,
                plan.methods,
                quick=True,
                budget=VERDICT_MINUTES,
                overrides=plan.overrides(kind, SYNTHETIC),
                force=judged,
                **{**plan.options, "limit": limit},
            )
    return file
