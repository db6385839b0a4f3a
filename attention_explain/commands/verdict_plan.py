"""
What a verdict rests on: for each model a file of attributions, one of perturbations and one of
faithfulness, each made by its own job; what of it a model does not allow; and about how long it takes.
"""

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
from allennlp.data import Instance
from allennlp.models.archival import Archive
from allennlp.predictors import Predictor

from attention_explain.archives import open_to_explain, weights_sha256
from attention_explain.commands.attribute import DEFAULT_INTERPRETERS, AttributionJob
from attention_explain.commands.batches import passes_of_judging, passes_of_methods
from attention_explain.commands.faithfulness_job import (
    DEFAULT_ERASURES,
    FaithfulnessJob,
    allowed_erasures,
)
from attention_explain.commands.job import Job
from attention_explain.commands.job_options import JobOptions
from attention_explain.commands.perturb import PerturbationJob
from attention_explain.commands.verdict_models import check_base, check_seed
from attention_explain.counterfactual.perturber import Perturber
from attention_explain.counterfactual.registry import PERTURBATIONS
from attention_explain.data.any_reader import read_instances
from attention_explain.errors import InputError
from attention_explain.faithfulness.evaluator import RANDOM_ORDERS, Evaluator
from attention_explain.faithfulness.outputs import reads_sets_apart
from attention_explain.faithfulness.registry import MEASURES
from attention_explain.faithfulness.scores_file import read_scores
from attention_explain.interpret.interpreter import (
    InterpreterConfig,
    build_interpreters,
    parameters,
    supported_interpreters,
)
from attention_explain.interpret.text_batch import TextBatch, budget_for, check_finite
from attention_explain.named_components import ComponentConfig
from attention_explain.orders import RANKINGS
from attention_explain.passes import rows_by_length, untouched

# In the folder of a verdict.
FILES = "files"
PREDICTIONS = "predictions"
ADVERSARY = "adversary"
PASSES_TIMED = 4
ATTENTION = "attention"
WAYS = ("uniform", "permutation", "drop-top", "instance-adversary")
QUICK_ERASURES = ("delete", "unk")
QUICK_MEASURES = (
    "comprehensiveness",
    "sufficiency",
    # A verdict asks what stays when all parameters are others, not what did on the way there.
    {"type": "parameter_randomization", "intermediate": False},
)
ALL_MEASURES = (*QUICK_MEASURES, "sensitivity")


@dataclass(frozen=True)
class Task:
    """
    make : the job that writes the file; one that reads another file wants that to be there.
    seconds : about how long it takes.
    """

    output: Path
    make: Callable[[], Job]
    seconds: float
    reads: Optional[Path] = None


@dataclass
class VerdictPlan:
    """
    predictions : what shows whether there is anything to judge, at a pass a text: a file a model.
    left_out : what the models do not allow, each in a sentence.
    """

    texts: int = 0
    tasks: List[Task] = field(default_factory=list)
    predictions: List[Task] = field(default_factory=list)
    left_out: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class Wanted:
    """What a model allows of all that a verdict asks for, with the parameters of each."""

    methods: Dict[str, Dict[str, Any]]
    ways: Dict[str, Dict[str, Any]]
    erasures: Sequence[str]
    measures: Sequence[ComponentConfig]


def planned(
    models: Sequence[str],
    folder: Path,
    methods: Optional[Sequence[InterpreterConfig]],
    quick: bool,
    options: JobOptions,
    adversaries: Sequence[str] = (),
) -> VerdictPlan:
    """
    # Parameters

    models : `Sequence[str]`
        Archives or run folders, which must be seeds of one model.
    methods : `Sequence[InterpreterConfig]`, optional
        Beside attention (default: those of `attribute`).
    options : `JobOptions`
        Of all jobs; each has its own model and output.
    adversaries : `Sequence[str]`, optional (default = `()`)
        Of which each was trained with one of the models as its base.
    """
    plan = VerdictPlan()
    seen: Dict[str, Tuple[str, Dict[str, Any]]] = {}
    for number, model in enumerate(models, 1):
        archive = open_to_explain(model, options.cuda_device, options.overrides)
        config = archive.config.as_dict(quiet=True)
        check_seed(model, weights_sha256(archive.model), config, seen)
        wanted, left_out = _wanted(archive, methods, quick, options.seed)
        plan.left_out += [sentence for sentence in left_out if sentence not in plan.left_out]
        instances = _texts(archive, options)
        plan.texts = len(instances)
        seconds = _seconds(archive, instances, wanted, options.batch_tokens)
        given = replace(options, archive_file=model)
        plan.tasks += _tasks(given, folder / FILES, number, wanted, seconds)
        predictions = folder / PREDICTIONS / f"{PREDICTIONS}-{number}.parquet"
        # Quickly made anew, whatever is there.
        given = replace(given, output_file=predictions, force=True)
        plan.predictions.append(_attention_of(archive, instances, given, wanted))
    for number, adversary in enumerate(adversaries, 1):
        archive = open_to_explain(adversary, options.cuda_device, options.overrides)
        check_base(adversary, archive.config.as_dict(quiet=True), models)
        output = folder / FILES / f"{ADVERSARY}-{number}.parquet"
        given = replace(options, archive_file=adversary, output_file=output)
        attention = Wanted({ATTENTION: {"type": ATTENTION}}, {}, (), ())
        plan.tasks.append(_attention_of(archive, _texts(archive, given), given, attention))
    return plan


def _attention_of(
    archive: Archive, instances: Sequence[Instance], options: JobOptions, wanted: Wanted
) -> Task:
    """What a model predicts and attends to, and nothing else."""
    config = wanted.methods[ATTENTION]
    attention = Wanted({ATTENTION: config}, {}, (), ())
    return Task(
        Path(options.output_file),
        lambda: AttributionJob(options, [{**config, "name": ATTENTION}], None, None, 0),
        _seconds(archive, instances, attention, options.batch_tokens)[0],
    )


def _texts(archive: Archive, options: JobOptions) -> List[Instance]:
    reader, vocabulary = archive.validation_dataset_reader, archive.model.vocab
    return read_instances(reader, vocabulary, options.data, options.limit, options.split_text)


def _tasks(
    options: JobOptions, folder: Path, number: int, wanted: Wanted, seconds: Sequence[float]
) -> List[Task]:
    def given(name: str, **others: Any) -> JobOptions:
        return replace(options, output_file=folder / f"{name}-{number}.parquet", **others)

    attributions = given("attributions")
    perturbations = given("perturbations")
    # Its texts are those of the attributions.
    faithfulness = given("faithfulness", limit=None)
    configs = [{**options, "name": name} for name, options in wanted.methods.items()]
    tasks = [
        Task(
            attributions.output_file,
            lambda: AttributionJob(attributions, configs, None, None, 0),
            seconds[0],
        )
    ]
    if wanted.ways:
        tasks.append(
            Task(
                perturbations.output_file,
                lambda: PerturbationJob(perturbations, WAYS),
                seconds[1],
            )
        )
    if wanted.erasures:

        def judging() -> Job:
            scores = read_scores(attributions.output_file)
            return FaithfulnessJob(
                faithfulness,
                scores,
                wanted.measures,
                wanted.erasures,
                RANKINGS[0],
                RANDOM_ORDERS,
                None,
            )

        tasks.append(
            Task(faithfulness.output_file, judging, seconds[2], reads=attributions.output_file)
        )
    return tasks


def _wanted(
    archive: Archive,
    methods: Optional[Sequence[InterpreterConfig]],
    quick: bool,
    seed: Optional[int],
) -> Tuple[Wanted, List[str]]:
    """And what is left out, each in a sentence. A method that was named is refused instead."""
    model, reader = archive.model, archive.validation_dataset_reader
    if methods is None:
        configs, refused = supported_interpreters(DEFAULT_INTERPRETERS, model, reader)
        if ATTENTION in refused:
            raise InputError(
                f"a verdict is about attention: {refused[ATTENTION]}; to see how true other methods are to this "
                "model: `allennlp attribute`, then `allennlp faithfulness`"
            )
        left_out = list(refused.values())
    else:
        configs, left_out = list(methods), []
        if not any(_is_attention(each) for each in configs):
            configs.insert(0, ATTENTION)
    built = build_interpreters(configs, Predictor(model, reader, frozen=False), seed)
    ways = PERTURBATIONS.build(WAYS, seed)
    try:
        Perturber(model, ways)
    except InputError as error:
        ways = {}
        left_out.append(f"perturbations: {error.message}")
    measures = QUICK_MEASURES if quick else ALL_MEASURES
    names = QUICK_ERASURES if quick else DEFAULT_ERASURES
    try:
        # The model first: an erasure may ask something of it that it has not.
        Evaluator(model, MEASURES.build(measures), {}, reader)
        erasures, refused = allowed_erasures(names, model, reader)
        left_out += refused.values()
    except InputError as error:
        erasures = {}
        left_out.append(f"faithfulness: {error.message}")
    wanted = Wanted(
        {name: parameters(method) for name, method in built.items()},
        {name: PERTURBATIONS.parameters(way) for name, way in ways.items()},
        list(erasures),
        measures,
    )
    return wanted, left_out


def _is_attention(config: Any) -> bool:
    """By its name; what is no config at all is refused where it is built."""
    if isinstance(config, dict):
        return config.get("name", config.get("type")) == ATTENTION
    return config == ATTENTION


def _seconds(
    archive: Archive, instances: Sequence[Instance], wanted: Wanted, budget: Optional[int]
) -> List[float]:
    """Of the three files, from what the methods declare and what a pass takes here."""
    lengths = [len(instance["tokens"]) for instance in instances]
    tokens = sum(lengths)
    # What a method declares grows evenly with the length: so much longer is the text of a token.
    length = sum(number * number for number in lengths) / tokens
    a_pass = tokens * _seconds_a_token(archive, instances, budget or budget_for(archive.model))
    measures = [{"type": each} if isinstance(each, str) else each for each in wanted.measures]
    apart = reads_sets_apart(archive.model)
    several = (
        passes_of_methods("interpreters", wanted.methods, length, apart),
        passes_of_methods("perturbations", wanted.ways, length),
        passes_of_judging(
            {each["type"]: each for each in measures},
            len(wanted.erasures),
            wanted.methods,
            apart,
            length,
        ),
    )
    return [a_pass * number for number in several]


def _seconds_a_token(archive: Archive, instances: Sequence[Instance], budget: int) -> float:
    """Of a pass forward that is as full as most will be, with texts of middle length."""
    groups = rows_by_length([len(instance["tokens"]) for instance in instances], budget)
    some = [instances[row] for row in groups[len(groups) // 2]]
    longest = max(len(instance["tokens"]) for instance in some)
    some = some * max(1, budget // (longest * len(some)))
    batch = TextBatch.of(archive.model, some, budget)
    seconds = []
    with untouched(archive.model, goes_back=False), torch.no_grad():
        # The first pass of a process is slower than all others, and one may be held up by others' work.
        for _ in range(PASSES_TIMED):
            start = time.perf_counter()
            logits = archive.model.logits(archive.model.embed(batch.tokens), batch.reading)
            seconds.append(time.perf_counter() - start)
    check_finite(archive.model, batch.ids, logits)
    return min(seconds) / int(batch.mask.sum())
