"""Where AllenNLP 2.10.1, whose pins end at torch 1.12, meets today's torch."""

import inspect
import sys
import types
import typing
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, Union


def replace_everywhere(old: Callable, new: Callable) -> None:
    """Replaces a function in every AllenNLP module that imported it by name."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "allennlp" and isinstance(module, ModuleType):
            for attribute, value in list(vars(module).items()):
                if value is old:
                    setattr(module, attribute, new)


def fix_device_numbers() -> None:
    """
    Without a GPU `torch.device(0)` now raises, and AllenNLP's own sentence ("Experiment specified a
    GPU but none is available") was never reached.
    """
    import torch
    from allennlp.common import util

    from attention_explain.errors import InputError

    def int_to_device(device: int | torch.device) -> torch.device:
        if isinstance(device, torch.device):
            return device
        if not isinstance(device, int):
            raise InputError(f"cuda_device is {device!r}, but must be a number; -1 is the CPU")
        return torch.device("cpu") if device < 0 else torch.device("cuda", device)

    replace_everywhere(util.int_to_device, int_to_device)


def fix_moves_to_nowhere() -> None:
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
    def move_to_device(obj: Any, device: int | torch.device) -> Any:
        return obj if util.int_to_device(device).type == "cpu" else move(obj, device)

    replace_everywhere(move, move_to_device)


def fix_union_annotations() -> None:
    """
    AllenNLP reads `Optional[X]` but not `X | None`: an option with such a type was passed on as
    written in the config, without building the component that it describes.
    """
    from allennlp.common import from_params

    original = from_params.infer_method_params

    @wraps(original)
    def infer_method_params(cls: type, method: Callable) -> dict[str, inspect.Parameter]:
        return {
            name: parameter.replace(annotation=with_typing_unions(parameter.annotation))
            for name, parameter in original(cls, method).items()
        }

    replace_everywhere(original, infer_method_params)


def with_typing_unions(annotation: Any) -> Any:
    """The annotation with every `X | Y` in it written as `Union[X, Y]`."""
    arguments = typing.get_args(annotation)
    if not isinstance(annotation, (types.GenericAlias, types.UnionType)):
        return annotation
    converted = tuple(map(with_typing_unions, arguments))
    if isinstance(annotation, types.UnionType):
        return Union[converted]
    return types.GenericAlias(typing.get_origin(annotation), converted)


def fix_reduce_on_plateau() -> None:
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


def fix_checkpoint_loading() -> None:
    """
    `torch.load` now rejects everything except tensors and plain Python values. The trainer's state may hold
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


def _numpy_number_types() -> list[Any]:
    """What the pickle of a numpy number, or of a small array of them, names."""
    import numpy
    from numpy._core import multiarray

    number_classes = [numpy.dtype(code) for code in "?bhilBHILefd"]
    return [
        numpy.dtype,
        numpy.ndarray,
        multiarray.scalar,
        multiarray._reconstruct,
        *{type(number_class) for number_class in number_classes},
    ]


def fix_spawned_data_loader() -> None:
    """
    With `start_method: "spawn"` the data loader made the lock of its progress bars for forked
    processes, which Python no longer hands to spawned ones. These also need this package before they
    import AllenNLP (`todays_transformers.supply_imports`): so a loader names a function of it first.
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
    loader.__reduce__ = lambda self: (_without_state, (type(self),), vars(self))
    loader._start_instance_workers = with_lock_of_context(loader._start_instance_workers)
    loader._start_batch_workers = with_lock_of_context(loader._start_batch_workers)


def _without_state(kind: type) -> Any:
    return object.__new__(kind)
