"""
The few places where AllenNLP 2.10.1, whose pins end at torch 1.12, meets today's torch and
transformers, one where it lets a mistake pass, and those where a broken training stays broken or
becomes another one.

Nothing else in this project patches anything. Each function mends one thing, says what was broken,
and has a test. Warnings are silenced one by one, by text and origin, never wholesale.
"""

import inspect
import sys
import warnings
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

from command_line.deferred import imports_deferred

# What AllenNLP imports at once, for parts of it that most commands never use.
SELDOM_USED = {
    "dill",
    "fairscale",
    "h5py",
    "huggingface_hub",
    "lmdb",
    "nltk",
    "scipy",
    "sklearn",
    "spacy",
    "tensorboardX",
    "torchvision",
    "transformers",
}


def quiet_imports() -> None:
    """
    Silences the warnings that AllenNLP's old companions give about themselves. To be called before
    AllenNLP is imported.
    """
    # torchvision 0.15.2 was built for another torch; its image reader, unused here, cannot load.
    warnings.filterwarnings(
        "ignore", message="Failed to load image Python extension", module=r"torchvision\.io\.image"
    )
    # fairscale 0.4.6 and the trainer use torch.cuda.amp, which moved to torch.amp.
    warnings.filterwarnings(
        "ignore",
        message=r"`torch\.cuda\.amp\.",
        category=FutureWarning,
        module=r"(fairscale|allennlp)\.",
    )


def quick_imports() -> AbstractContextManager:
    """
    Within it, AllenNLP's modules are imported without the packages that are seldom used, which took
    two thirds of the time before anything happened. Each is loaded when something of it is used.
    """

    def deferred(importer: str, name: str) -> bool:
        return importer.split(".")[0] == "allennlp" and name.split(".")[0] in SELDOM_USED

    return imports_deferred(deferred)


def apply() -> None:
    """Mends AllenNLP. Calling it again changes nothing."""
    import allennlp

    if getattr(allennlp, "_mended_by_attention_explain", False):
        return
    allennlp._mended_by_attention_explain = True
    mend_device_numbers()
    mend_reduce_on_plateau()
    mend_checkpoint_loading()
    mend_half_checkpoints()
    mend_recovered_averages()
    mend_reported_weights()
    mend_local_paths()
    mend_run_folders()
    mend_unchecked_runs()
    mend_spawned_data_loader()
    mend_trainer_options()
    mend_moves_to_nowhere()
    mend_class_names()
    mend_pretrained_tokenizers()
    mend_archive_loading()
    mend_jsonnet_errors()
    mend_plugin_imports()
    mend_training_log()
    mend_lost_inputs()


def mend_plugin_imports() -> None:
    """Before it looks for plugins AllenNLP imports all of itself; `quick_imports` holds there, too."""
    from allennlp.common import plugins

    original = plugins.import_plugins

    @wraps(original)
    def import_plugins() -> None:
        with quick_imports():
            original()

    _replace_everywhere(original, import_plugins)


def mend_training_log() -> None:
    """
    Training writes its log to `out.log`, and all of it to the terminal, too; and to the terminal of the
    moment it began, even when that is closed.
    """
    from allennlp.common import logging

    from attention_explain import console

    original = logging.prepare_global_logging

    @wraps(original)
    def prepare_global_logging(*arguments: Any, **options: Any) -> None:
        original(*arguments, **options)
        console.show()

    _replace_everywhere(original, prepare_global_logging)


def mend_lost_inputs() -> None:
    """`predict` and `evaluate` empty the file that they are told to write, even if they are to read it."""
    from allennlp.commands import evaluate, predict

    from attention_explain import files

    def checked(original: Callable) -> Callable:
        @wraps(original)
        def from_args(args: Any) -> Any:
            read = [args.archive_file, args.input_file, *args.input_file.split(",")]
            first, second = args.output_file, getattr(args, "predictions_output_file", None)
            files.check_spared([path for path in (first, second) if path is not None], read)
            return original(args)

        return from_args

    predict._predict = checked(predict._predict)
    evaluate.evaluate_from_args = checked(evaluate.evaluate_from_args)


def mend_trainer_options() -> None:
    """
    The trainer takes any option and drops those it does not know, so that a mistyped one was never
    noticed; and with no epochs to train it failed only when there was nothing to archive.
    """
    from allennlp.common.checks import ConfigurationError
    from allennlp.training import GradientDescentTrainer

    construct = GradientDescentTrainer.from_partial_objects.__func__
    known = set(inspect.signature(construct).parameters)

    @wraps(construct)
    def construct_from_known(cls: type, *arguments: Any, **options: Any) -> Any:
        unknown = sorted(set(options) - known)
        if unknown:
            raise ConfigurationError(f"the trainer has no option '{unknown[0]}'")
        epochs = options.get("num_epochs", 1)
        if epochs < 1:
            raise ConfigurationError(f"num_epochs is {epochs}, but must be 1 or more")
        try:
            return construct(cls, *arguments, **options)
        except ValueError as error:
            if not options.get("use_amp") or "AMP" not in str(error):
                raise
            raise ConfigurationError(
                "use_amp is for a GPU, but the trainer's device is the CPU"
            ) from error

    GradientDescentTrainer.from_partial_objects = classmethod(construct_from_known)


def mend_device_numbers() -> None:
    """
    Without a GPU `torch.device(0)` now raises, and AllenNLP's own sentence ("Experiment specified a
    GPU but none is available") was never reached.
    """
    import torch
    from allennlp.common import util

    def int_to_device(device: Union[int, torch.device]) -> torch.device:
        if isinstance(device, torch.device):
            return device
        return torch.device("cpu") if device < 0 else torch.device("cuda", device)

    _replace_everywhere(util.int_to_device, int_to_device)


def mend_moves_to_nowhere() -> None:
    """
    AllenNLP looks at every word of a batch's metadata for tensors to move to the device. Without a GPU
    they are all where they should be, and the search took a fifteenth of a training on SST.
    """
    import torch
    from allennlp.nn import util

    if torch.cuda.is_available():
        return
    move = util.move_to_device

    @wraps(move)
    def move_to_device(obj: Any, device: Union[int, torch.device]) -> Any:
        return obj if util.int_to_device(device).type == "cpu" else move(obj, device)

    _replace_everywhere(move, move_to_device)


def mend_reduce_on_plateau() -> None:
    """torch's `ReduceLROnPlateau` lost its argument `verbose`, which AllenNLP always passes."""
    import torch
    from allennlp.training.learning_rate_schedulers import pytorch_lr_schedulers

    class QuietReduceLROnPlateau(torch.optim.lr_scheduler.ReduceLROnPlateau):
        def __init__(self, *args: Any, verbose: bool = False, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)

    scheduler = pytorch_lr_schedulers.ReduceOnPlateauLearningRateScheduler
    original = scheduler.__init__

    @wraps(original)
    def init(self, *args: Any, **kwargs: Any) -> None:
        schedulers = torch.optim.lr_scheduler
        kept, schedulers.ReduceLROnPlateau = schedulers.ReduceLROnPlateau, QuietReduceLROnPlateau
        try:
            original(self, *args, **kwargs)
        finally:
            schedulers.ReduceLROnPlateau = kept

    scheduler.__init__ = init


def mend_checkpoint_loading() -> None:
    """
    `torch.load` now refuses all but tensors and plain Python values. The trainer's state may hold
    numpy numbers too (metrics, learning rates); these are allowed while a checkpoint is loaded, and
    nothing else is: a checkpoint still cannot run code.
    """
    import torch
    from allennlp.training.checkpointer import Checkpointer

    original = Checkpointer.load_checkpoint

    @wraps(original)
    def load_checkpoint(self):
        with torch.serialization.safe_globals(_numpy_number_types()):
            return original(self)

    Checkpointer.load_checkpoint = load_checkpoint


def mend_pretrained_tokenizers() -> None:
    """
    transformers no longer takes `add_special_tokens` where a tokenizer is built, only where it is used.
    AllenNLP says it in both places, so that nothing called `pretrained_transformer` could be built.
    """
    from allennlp.common import cached_transformers

    original = cached_transformers.get_tokenizer

    @wraps(original)
    def get_tokenizer(model_name: str, add_special_tokens: bool = True, **options: Any) -> Any:
        return original(model_name, **options)

    cached_transformers.get_tokenizer = get_tokenizer


def mend_archive_loading() -> None:
    """
    Broken weights, another file than an archive, and a GPU that is not there ended in a traceback,
    and whatever an archive held was unpacked and run: all of AllenNLP opens archives as our commands
    do.
    """
    from allennlp.models import archival

    # Imported before the original is replaced, which it calls.
    from attention_explain.archives import open_archive
    from attention_explain.safe_archives import unpacked

    original = archival.load_archive

    @wraps(original)
    def load_archive(archive_file, cuda_device=-1, overrides="", weights_file=None):
        return open_archive(archive_file, cuda_device, overrides, weights_file)

    @contextmanager
    def extracted_archive(resolved_archive_file: Any, cleanup: bool = True) -> Iterator[str]:
        with unpacked(Path(resolved_archive_file)) as folder:
            yield str(folder)

    _replace_everywhere(original, load_archive)
    _replace_everywhere(archival.extracted_archive, extracted_archive)


def mend_jsonnet_errors() -> None:
    """jsonnet's messages are bare RuntimeErrors, with a stack of places in its own library."""
    from allennlp.common import params
    from allennlp.common.checks import ConfigurationError

    from workflow.jsonnet_errors import jsonnet_sentence

    def with_sentences(evaluate: Callable, called: Callable[[str], str]) -> Callable:
        @wraps(evaluate)
        def evaluated(name: str, *arguments: Any, **options: Any) -> str:
            try:
                return evaluate(name, *arguments, **options)
            except RuntimeError as error:
                raise ConfigurationError(jsonnet_sentence(error, called(name))) from error

        return evaluated

    params.evaluate_file = with_sentences(params.evaluate_file, str)
    # All that AllenNLP evaluates without a file.
    params.evaluate_snippet = with_sentences(params.evaluate_snippet, lambda _: "the overrides")


def mend_half_checkpoints() -> None:
    """
    A kill while a checkpoint was written left half of one, and `--recover` ended in an EOFError though
    the one before was whole; a kill before the best weights were written left those of an epoch that
    the metrics are not about.
    """
    from allennlp.training import GradientDescentTrainer
    from allennlp.training.checkpointer import Checkpointer

    load = Checkpointer.load_checkpoint
    restore = GradientDescentTrainer._maybe_restore_checkpoint

    def find_latest_checkpoint(self) -> Optional[Tuple[str, str]]:
        from attention_explain.training.checkpoints import whole_checkpoints

        latest = max(whole_checkpoints(self), default=None)
        if latest is None:
            return None
        return self._model_state_path(*latest), self._training_state_path(*latest)

    @wraps(load)
    def load_checkpoint(self):
        from attention_explain.training.checkpoints import drop_halves

        drop_halves(self)
        return load(self)

    @wraps(restore)
    def maybe_restore_checkpoint(self) -> None:
        from attention_explain.training.checkpoints import restore_best

        restore(self)
        restore_best(self)

    Checkpointer.find_latest_checkpoint = find_latest_checkpoint
    Checkpointer.load_checkpoint = load_checkpoint
    GradientDescentTrainer._maybe_restore_checkpoint = maybe_restore_checkpoint


def mend_recovered_averages() -> None:
    """A moving average that was loaded averaged copies of the weights, and no longer the model's."""
    from allennlp.training.moving_average import MovingAverage

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        for name, _ in self._parameters:
            self._shadows[name].copy_(state_dict["shadows"][name])
            self._backups[name].copy_(state_dict["backups"][name])

    MovingAverage.load_state_dict = load_state_dict


def mend_reported_weights() -> None:
    """
    After the last epoch the trainer kept the weights that it had at hand if it took them for the best,
    also when that epoch was not validated or the training was recovered, and the metrics on the test
    split were theirs. The archive is made of the best weights: these are evaluated.
    """
    from allennlp.training import GradientDescentTrainer

    finalize = GradientDescentTrainer._finalize_model

    @wraps(finalize)
    def finalize_model(self) -> None:
        if self._best_model_filename is None:
            finalize(self)
        else:
            self._load_model_state(self._best_model_filename)

    GradientDescentTrainer._finalize_model = finalize_model


def mend_local_paths() -> None:
    """A folder for downloads was made even for files that are here, where a home can be read-only."""
    from allennlp.common import file_utils

    download = file_utils.cached_path

    @wraps(download)
    def cached_path(url_or_filename: Any, *arguments: Any, **options: Any) -> str:
        here = Path(url_or_filename).expanduser()
        if here.is_file() and not arguments and not options:
            return str(here)
        return download(url_or_filename, *arguments, **options)

    _replace_everywhere(download, cached_path)


def mend_run_folders() -> None:
    """
    A training that failed before its first epoch was over left a folder that blocked the next one, also
    with `--recover` if the mistake had been in the config.
    """
    from allennlp.training import util

    create = util.create_serialization_dir

    @wraps(create)
    def create_serialization_dir(
        params: Any, serialization_dir: Union[str, PathLike], recover: bool, force: bool
    ) -> None:
        from attention_explain.training.run_folder import hold, may_recover
        from durable.checksums import drop_checksums

        folder = Path(serialization_dir)
        hold(folder)
        if not force:
            recover = may_recover(params, folder, recover)
        create(params, serialization_dir, recover, force)
        hold(folder)
        drop_checksums(folder)

    _replace_everywhere(create, create_serialization_dir)


def mend_unchecked_runs() -> None:
    """
    Weights, config and vocabulary were read as they were, whatever had become of them since they
    were written.
    """
    from allennlp.commands import train

    train_model = train.train_model
    signature = inspect.signature(train_model)

    @wraps(train_model)
    def train_and_finish(*arguments: Any, **options: Any) -> Any:
        from attention_explain.training.run_folder import finish

        model = train_model(*arguments, **options)
        given = signature.bind(*arguments, **options).arguments
        if not given.get("dry_run"):
            finish(Path(given["serialization_dir"]))
        return model

    _replace_everywhere(train_model, train_and_finish)


def _numpy_number_types() -> List[Any]:
    """What the pickle of a numpy number, or of a small array of them, names."""
    import numpy

    number_classes = [numpy.dtype(code) for code in "?bhilBHILefd"]
    return [
        numpy.dtype,
        numpy.ndarray,
        numpy._core.multiarray.scalar,
        numpy._core.multiarray._reconstruct,
        *{type(number_class) for number_class in number_classes},
    ]


def mend_spawned_data_loader() -> None:
    """
    With `start_method: "spawn"` the data loader made the lock of its progress bars for forked
    processes, which Python now refuses to hand to spawned ones.
    """
    from allennlp.data.data_loaders import multiprocess_data_loader as module

    def with_lock_of_context(original: Callable) -> Callable:
        @wraps(original)
        def start_workers(self, queue: Any, ctx: Any) -> Any:
            # All that the original takes from `mp` is the lock.
            kept, module.mp = module.mp, ctx
            try:
                return original(self, queue, ctx)
            finally:
                module.mp = kept

        return start_workers

    loader = module.MultiProcessDataLoader
    loader._start_instance_workers = with_lock_of_context(loader._start_instance_workers)
    loader._start_batch_workers = with_lock_of_context(loader._start_batch_workers)


def mend_class_names() -> None:
    """
    AllenNLP takes any name with a dot for the path of something to import and call, those that
    stand in an archive too: see safe_archives.py. Its `evaluate` goes on naming classes by the
    archive's config when that is loaded.
    """
    from allennlp.commands import evaluate
    from allennlp.common import Registrable

    from attention_explain.safe_archives import class_by_path, names_of_an_archive

    evaluated = evaluate.evaluate_from_args

    @wraps(evaluated)
    def evaluate_from_args(*arguments: Any, **options: Any) -> Any:
        with names_of_an_archive():
            return evaluated(*arguments, **options)

    _replace_everywhere(evaluated, evaluate_from_args)

    resolve = Registrable.resolve_class_name.__func__

    @wraps(resolve)
    def resolve_class_name(cls: type, name: str) -> Any:
        if "." in name and name not in Registrable._registry[cls]:
            by_path = class_by_path(name, cls)
            if by_path is not None:
                return by_path, None
        return resolve(cls, name)

    Registrable.resolve_class_name = classmethod(resolve_class_name)


def _replace_everywhere(old: Callable, new: Callable) -> None:
    """Replaces a function in every AllenNLP module that imported it by name."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "allennlp" and isinstance(module, ModuleType):
            for attribute, value in list(vars(module).items()):
                if value is old:
                    setattr(module, attribute, new)
