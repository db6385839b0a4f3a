"""
The plan of a verdict: for each model an attribution, a perturbation and a faithfulness file, each made by a
job; what the model does not support; and the expected time. Checks that the models belong together.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from allennlp.data import Instance
from allennlp.models.archival import Archive
from allennlp.predictors import Predictor

from attention_explain import defaults
from attention_explain.archives import OpenedModel, open_to_explain, weights_sha256
from attention_explain.commands.attribute import AttributionJob
from attention_explain.commands.faithfulness import FaithfulnessJob, supported_removals
from attention_explain.commands.job import Job, ReadTexts
from attention_explain.commands.job_options import JobOptions
from attention_explain.commands.perturb import PerturbationJob
from attention_explain.costs import passes_of_components, passes_of_measures
from attention_explain.counterfactual.perturbation import (
    PERTURBATIONS,
    Perturber,
    attention_of,
)
from attention_explain.counterfactual.self_attending import SelfAttending
from attention_explain.data.any_reader import read_counts, read_instances
from attention_explain.data.sources import local_path
from attention_explain.errors import InputError
from attention_explain.faithfulness.evaluator import RANDOM_ORDERS, Evaluator
from attention_explain.faithfulness.faithfulness import MEASURES
from attention_explain.faithfulness.removal import reads_sets_apart
from attention_explain.faithfulness.scores_file import read_scores
from attention_explain.files.stopping import seeded_order
from attention_explain.files.tables import replace_surrogates
from attention_explain.interpret.interpreter import (
    InterpreterConfig,
    build_interpreters,
    parameters,
    supported_interpreters,
)
from attention_explain.interpret.text_batch import TextBatch, budget_for, check_finite
from attention_explain.named_components import ComponentConfig
from attention_explain.passes import RANKINGS, rows_by_length, untouched
from attention_explain.pretrained.folders import CONFIG, TransformerFolder
from attention_explain.training.run_start import ARCHIVE

# In the folder of a verdict, as `analysis.verdict.inputs` reads it, which takes time to import.
FILES = "files"
PREDICTIONS = "predictions"
ADVERSARY = "adversary"
PASSES_TIMED = 4
ATTENTION = "attention"
QUICK_REMOVALS = ("delete", "unk")
# The only options in which the configs of two seeds of a model differ.
SEEDS = ("random_seed", "numpy_seed", "pytorch_seed")
# Of a transformer's config: what says how it was saved, not what the model is.
OF_SAVING = ("_name_or_path", "transformers_version", "torch_dtype", "dtype", "architectures")
# The callback that trains adversaries.
ADVERSARIAL = "adversarial_attention"


@dataclass(frozen=True)
class Task:
    """
    A file of the verdict.

    kind, make : the job that writes the file; made from its path.
    seconds : the expected time of all texts.
    read : all texts.
    reads : the name of the file that it reads.
    """

    name: str
    kind: type[Job]
    make: Callable[[Path], Job]
    seconds: float
    read: ReadTexts
    reads: str | None = None

    def job(self, folder: Path, ids: Sequence[str]) -> Job:
        """The job that writes the file of these texts into a folder; the file that it reads must exist by then."""
        job = self.make(folder / self.name)
        job.text_ids, job.read = list(ids), self.read
        return job

    def seconds_for(self, texts: int) -> float:
        """The expected time of this number of texts."""
        return self.seconds * texts / len(self.read.instances)


@dataclass
class VerdictPlan:
    """
    The files of a verdict.

    order : the ids of all texts, in the order in which they are added.
    predictions : files that show whether there is anything to judge, one per model, which take one forward
        pass per text.
    left_out : messages about components that the models do not support.
    seed : determines the order.
    """

    order: list[str] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    predictions: list[Task] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    seed: int | None = None


@dataclass(frozen=True)
class Components:
    """The components that a verdict needs and the model supports, with the parameters of each."""

    methods: dict[str, dict[str, Any]]
    perturbations: dict[str, dict[str, Any]]
    removals: Sequence[str]
    measures: Sequence[ComponentConfig]


def plan_verdict(
    models: Sequence[str | OpenedModel],
    folder: Path,
    methods: Sequence[InterpreterConfig] | None,
    quick: bool,
    options: JobOptions,
    adversaries: Sequence[str] = (),
) -> VerdictPlan:
    """
    The plan of a verdict.

    # Parameters

    models : `Sequence[str]`
        Archives or run folders, which must be seeds of one model.
    methods : `Sequence[InterpreterConfig]`, optional
        To compare with attention (default: those of `attribute`).
    options : `JobOptions`
        For all jobs; each has its own model and output.
    adversaries : `Sequence[str]`, optional (default = `()`)
        Each was trained with one of the models as its base.
    """
    plan = VerdictPlan(seed=options.seed)
    seen: dict[str, tuple[str, dict[str, Any]]] = {}
    first = ""
    for number, model in enumerate(models, 1):
        archive = open_to_explain(model, options.cuda_device, options.overrides)
        config = archive.config.as_dict(quiet=True)
        is_seed = len(models) > 1 and config["model"].get("own_head", False)
        compared = as_seed(config) if is_seed else config
        check_seed(str(model), weights_sha256(archive.model), compared, seen)
        first = first or str(config["model"].get("model_name", ""))
        components, left_out = _components(archive, methods, quick, options.seed)
        plan.left_out += [sentence for sentence in left_out if sentence not in plan.left_out]
        read = _texts(archive, options)
        plan.order = plan.order or _order(read, options.seed)
        seconds = _seconds(archive, read.instances, components, options.batch_tokens)
        seed_of = first if is_seed and number > 1 else ""
        if len(models) == 1 and not isinstance(model, OpenedModel):
            # The jobs do not load it again; of several seeds, only one at a time is in memory.
            model = OpenedModel(archive, str(model), local_path(model))
        of_model = replace(options, archive_file=model, seed_of=seed_of)
        plan.tasks += _tasks(of_model, folder / FILES, number, components, seconds, read)
        name = f"{PREDICTIONS}-{number}.parquet"
        # This takes little time, so an existing file is always replaced.
        of_model = replace(of_model, force=True)
        attention = components.methods[ATTENTION]
        plan.predictions.append(_attention_task(archive, read, of_model, name, attention))
    for number, adversary in enumerate(adversaries, 1):
        archive = open_to_explain(adversary, options.cuda_device, options.overrides)
        check_base(adversary, archive.config.as_dict(quiet=True), list(map(str, models)))
        of_adversary = replace(options, archive_file=adversary)
        read, name = _texts(archive, options), f"{ADVERSARY}-{number}.parquet"
        attention = {"type": ATTENTION}
        plan.tasks.append(_attention_task(archive, read, of_adversary, name, attention))
    return plan


def _attention_task(
    archive: Archive, read: ReadTexts, options: JobOptions, name: str, config: dict[str, Any]
) -> Task:
    """The file with the predictions and the attention of a model, and nothing else."""
    attention = Components({ATTENTION: config}, {}, (), ())

    def attend(output: Path) -> Job:
        of_file = replace(options, output_file=output, limit=None)
        return AttributionJob(of_file, [{**config, "name": ATTENTION}], None, None, 0)

    seconds = _seconds(archive, read.instances, attention, options.batch_tokens)[0]
    return Task(name, AttributionJob, attend, seconds, read)


def _texts(archive: Archive, options: JobOptions) -> ReadTexts:
    reader, vocabulary = archive.validation_dataset_reader, archive.model.vocab
    instances = read_instances(reader, vocabulary, options.data, options.limit, options.split_text)
    return ReadTexts(instances, read_counts(reader))


def _order(read: ReadTexts, seed: int | None) -> list[str]:
    ids = [replace_surrogates(text["metadata"].metadata["id"]) for text in read.instances]
    return [ids[position] for position in seeded_order(ids, seed)]


def _tasks(
    options: JobOptions,
    folder: Path,
    number: int,
    components: Components,
    seconds: Sequence[float],
    read: ReadTexts,
) -> list[Task]:
    attributions, perturbations, faithfulness = (
        f"{name}-{number}.parquet" for name in ("attributions", "perturbations", "faithfulness")
    )
    # The texts that were read are within the limit.
    options = replace(options, limit=None)

    def attribute(output: Path) -> Job:
        configs = [{**config, "name": name} for name, config in components.methods.items()]
        return AttributionJob(replace(options, output_file=output), configs, None, None, 0)

    def perturb(output: Path) -> Job:
        names = list(components.perturbations)
        return PerturbationJob(replace(options, output_file=output), names)

    def evaluate(output: Path) -> Job:
        of_step = output.with_name(attributions)
        return FaithfulnessJob(
            replace(options, output_file=output),
            # Those of a step are missing if only this file has to be made again.
            read_scores(of_step if of_step.exists() else folder / attributions),
            components.measures,
            components.removals,
            RANKINGS[0],
            RANDOM_ORDERS,
            None,
        )

    tasks = [Task(attributions, AttributionJob, attribute, seconds[0], read)]
    if components.perturbations:
        tasks.append(Task(perturbations, PerturbationJob, perturb, seconds[1], read))
    if components.removals:
        evaluation = Task(faithfulness, FaithfulnessJob, evaluate, seconds[2], read, attributions)
        tasks.append(evaluation)
    return tasks


def _components(
    archive: Archive,
    methods: Sequence[InterpreterConfig] | None,
    quick: bool,
    seed: int | None,
) -> tuple[Components, list[str]]:
    """
    The components, and messages about those that are left out. A method that the user names and the model does not
    support is an error.
    """
    # Imported here, so that other commands do not load pandas.
    from analysis.verdict.questions import required_components

    perturbations, measures = required_components(quick)
    model, reader = archive.model, archive.validation_dataset_reader
    if methods is None:
        supported, reasons = supported_interpreters(defaults.INTERPRETERS, model, reader)
        variants = defaults.ATTENTION_VARIANTS if attention_of(model) is SelfAttending else ()
        if ATTENTION in reasons:
            raise InputError(
                f"a verdict is about attention: {reasons[ATTENTION]}. To measure the faithfulness of other methods, "
                "use `allennlp attribute` and then `allennlp faithfulness`."
            )
        configs: list[InterpreterConfig] = [*supported, *variants]
        left_out = list(reasons.values())
    else:
        configs, left_out = [*methods], []
        if not any(_is_attention(each) for each in configs):
            configs.insert(0, ATTENTION)
    built = build_interpreters(configs, Predictor(model, reader, frozen=False), seed)
    perturb_with = PERTURBATIONS.build(perturbations, seed)
    perturb_with = {
        name: each for name, each in perturb_with.items() if each.takes is attention_of(model)
    }
    try:
        Perturber(model, perturb_with)
    except InputError as error:
        perturb_with = {}
        left_out.append(f"perturbations: {error.message}")
    names = QUICK_REMOVALS if quick else defaults.ERASURES
    try:
        # The model first: a removal method may need something that it does not have.
        Evaluator(model, MEASURES.build(measures), {}, reader)
        removals, reasons = supported_removals(names, model, reader)
        left_out += reasons.values()
    except InputError as error:
        removals = {}
        left_out.append(f"faithfulness: {error.message}")
    components = Components(
        {name: parameters(method) for name, method in built.items()},
        {name: PERTURBATIONS.parameters(each) for name, each in perturb_with.items()},
        list(removals),
        measures,
    )
    return components, left_out


def _is_attention(config: Any) -> bool:
    """By its name. Anything that is not a config is an error when it is built."""
    if isinstance(config, dict):
        return config.get("name", config.get("type")) == ATTENTION
    return config == ATTENTION


def _seconds(
    archive: Archive, instances: Sequence[Instance], components: Components, budget: int | None
) -> list[float]:
    """The expected time of the three files, from the declared costs and the time of a forward pass."""
    lengths = [len(instance["tokens"]) for instance in instances]
    tokens = sum(lengths)
    # Declared costs are linear in the length: this is the mean length of the text that a token is in.
    length = sum(number * number for number in lengths) / tokens
    forward_pass = tokens * _seconds_per_token(
        archive, instances, budget or budget_for(archive.model)
    )
    separate = reads_sets_apart(archive.model)
    methods, removals = components.methods.values(), len(components.removals)
    passes = (
        passes_of_components("interpreters", methods, length, separate),
        passes_of_components("perturbations", components.perturbations.values(), length),
        passes_of_measures(components.measures, removals, methods, length, separate),
    )
    return [forward_pass * number for number in passes]


def _seconds_per_token(archive: Archive, instances: Sequence[Instance], budget: int) -> float:
    """The time of a forward pass that is as full as most will be, with texts of medium length."""
    groups = rows_by_length([len(instance["tokens"]) for instance in instances], budget)
    some = [instances[row] for row in groups[len(groups) // 2]]
    longest = max(len(instance["tokens"]) for instance in some)
    some = some * max(1, budget // (longest * len(some)))
    batch = TextBatch.of(archive.model, some, budget)
    seconds = []
    with untouched(archive.model, goes_back=False), torch.no_grad():
        # The first pass of a process is the slowest, and other processes may delay one.
        for _ in range(PASSES_TIMED):
            start = time.perf_counter()
            logits = archive.model.logits(archive.model.embed(batch.tokens), batch.inputs)
            seconds.append(time.perf_counter() - start)
    check_finite(archive.model, batch.ids, logits)
    return min(seconds) / int(batch.mask.sum())


def as_seed(config: dict[str, Any]) -> dict[str, Any]:
    """
    The config of a transformer's folder without its path, and with what is in it: the same for two folders that
    were trained with different seeds.
    """
    folder = TransformerFolder.opened(config["model"]["model_name"])
    stated = {
        name: value for name, value in folder.config.to_dict().items() if name not in OF_SAVING
    }
    without_path = json.loads(json.dumps(config).replace(json.dumps(str(folder.path)), '""'))
    pieces = folder.tokenizer().get_vocab()
    return {**without_path, CONFIG: json.loads(json.dumps(stated)), "tokenizer": pieces}


def check_seed(
    model: str, weights: str, config: dict[str, Any], seen: dict[str, tuple[str, dict[str, Any]]]
) -> None:
    """Raise unless the model is another seed of those in `seen`, to which it is added by its weights."""
    if weights in seen:
        raise InputError(f"{model} is the same model as {seen[weights][0]}")
    without = {name: value for name, value in _without_base(config).items() if name not in SEEDS}
    for first, other in seen.values():
        key = difference(other, without)
        if key is not None:
            raise InputError(
                f"{model} is not another seed of {first}: its config differs in '{key}'. A verdict is about "
                "one model, trained with one or more seeds."
            )
    seen[weights] = (model, without)


def check_base(adversary: str, config: dict[str, Any], models: Sequence[str]) -> None:
    """Raise unless an adversary was trained against one of the models."""
    callbacks = config.get("trainer", {}).get("callbacks") or []
    bases = [
        one["base"] for one in callbacks if isinstance(one, dict) and one.get("type") == ADVERSARIAL
    ]
    if not bases:
        raise InputError(
            f"--adversary {adversary}: was not trained with the callback '{ADVERSARIAL}'"
        )
    if not any(_run_folder(bases[0]) == _run_folder(model) for model in models):
        raise InputError(
            f"--adversary {adversary}: was trained against {bases[0]}, which is not the model of this "
            f"verdict ({', '.join(models)})"
        )


def _run_folder(model: str) -> Path:
    """The folder of the training run of a model, given as a folder or as an archive."""
    path = Path(model).expanduser()
    return (path.parent if path.name == ARCHIVE else path).resolve()


def _without_base(config: dict[str, Any]) -> dict[str, Any]:
    """A config without the base of an adversary: each seed may have been trained against another seed."""
    callbacks = [
        {name: value for name, value in one.items() if name != "base"}
        if isinstance(one, dict) and one.get("type") == ADVERSARIAL
        else one
        for one in config.get("trainer", {}).get("callbacks") or []
    ]
    return {**config, "trainer": {**config.get("trainer", {}), "callbacks": callbacks}}


def difference(one: Any, other: Any) -> str | None:
    """The first key in which two configs differ; None if they are equal."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in [*one, *(name for name in other if name not in one)]:
            inner = difference(one.get(name), other.get(name))
            if inner is not None:
                return f"{name}.{inner}".rstrip(".")
        return None
    return None if one == other else ""
