"""
Trainings whose config lets a mistake pass; that broke off, and folders that they left: what is whole
goes on, and what is reported is what is kept.
"""

import inspect
import typing
from collections.abc import Callable
from functools import wraps
from os import PathLike
from pathlib import Path
from typing import Any

from attention_explain.compat.todays_packages import replace_everywhere
from attention_explain.messages import no_option


def fix_unchecked_configs() -> None:
    """Null, numbers and lists where a config needs an object or a path failed wherever they came to."""
    from allennlp.commands import train

    from attention_explain.data.errors import TrainingLabelsError
    from attention_explain.errors import InputError

    train_model = train.train_model

    @wraps(train_model)
    def check_and_train(params: Any, *arguments: Any, **options: Any) -> Any:
        from attention_explain.training.run_start import check_training_config

        check_training_config(params)
        path = params.params["train_data_path"]
        try:
            return train_model(params, *arguments, **options)
        except TrainingLabelsError as error:
            raise InputError(f"{path}: {error.message}") from error

    replace_everywhere(train_model, check_and_train)


def fix_null_options() -> None:
    """
    A model without an encoder, because its config says null, failed where it asked the encoder; so did
    null for a number, wherever it was first used.
    """
    from allennlp.common import from_params

    from attention_explain.training.checks import OptionError, is_a_number

    original = from_params.create_kwargs

    @wraps(original)
    def create_kwargs(
        constructor: Callable, cls: type, params: Any, **extras: Any
    ) -> dict[str, Any]:
        for name, parameter in from_params.infer_params(cls, constructor).items():
            is_null = name in params.params and params.params[name] is None
            if not is_null or may_be_null(parameter):
                continue
            if _is_component(parameter.annotation):
                raise OptionError(
                    f"{cls.__name__}: {name} is null, but must be an object with its options, or the "
                    "name of its type"
                )
            if is_a_number(parameter):
                raise OptionError(f"{cls.__name__}: {name} is null, but must be a number")
        return original(constructor, cls, params, **extras)

    replace_everywhere(original, create_kwargs)


def may_be_null(parameter: inspect.Parameter) -> bool:
    """By its default, or by its type."""
    return parameter.default is None or type(None) in typing.get_args(parameter.annotation)


def _is_component(annotation: Any) -> bool:
    """What AllenNLP makes from an object in the config, now or later."""
    from allennlp.common import Lazy

    return hasattr(annotation, "from_params") or typing.get_origin(annotation) is Lazy


def fix_unchecked_numbers() -> None:
    """`true` was taken for 1, and numbers that cannot be meant were tried: a noise below 0, 1e18 epochs."""
    from allennlp.common import from_params

    from attention_explain.training.checks import OptionError, number_problem

    original = from_params.construct_arg

    @wraps(original)
    def construct_arg(
        class_name: str,
        argument_name: str,
        popped_params: Any,
        annotation: Any,
        default: Any,
        **extras: Any,
    ) -> Any:
        problem = number_problem(argument_name, popped_params, annotation)
        if problem is not None and popped_params is not default:
            raise OptionError(f"{class_name}: {argument_name} {problem}")
        return original(class_name, argument_name, popped_params, annotation, default, **extras)

    replace_everywhere(original, construct_arg)


def fix_diverged_trainings() -> None:
    """
    A loss that is not a number ended in a traceback; and if the last step of an epoch made the weights
    infinite, they were saved.
    """
    import torch
    from allennlp.training import GradientDescentTrainer

    from attention_explain.errors import InputError

    train_epoch = GradientDescentTrainer._train_epoch
    remedy = "lower the optimizer's lr, or limit the gradients with the trainer's grad_norm"

    @wraps(train_epoch)
    def train_finite_epoch(self, epoch: int) -> dict[str, float]:
        try:
            metrics = train_epoch(self, epoch)
        except ValueError as error:
            if "nan loss" not in str(error):
                raise
            raise InputError(
                f"the training diverged in epoch {epoch}: the loss is not a number; {remedy}"
            ) from error
        for name, parameter in self.model.named_parameters():
            if not torch.isfinite(parameter).all():
                raise InputError(
                    f"the training diverged in epoch {epoch}: '{name}' has weights that are not "
                    f"finite; {remedy}"
                )
        return metrics

    GradientDescentTrainer._train_epoch = train_finite_epoch


# Options of the trainer that count something.
COUNTS = ("num_epochs", "num_gradient_accumulation_steps")
NOTHING_TRAINED = (
    "no parameter is left to train; the trainer's no_grad, the optimizer's parameter_groups or the "
    "model's own options exclude all of them"
)


def fix_trainer_options() -> None:
    """
    The trainer takes any option and drops those it does not know, so that a mistyped one was never
    noticed; with null for one that has to be something it failed in the first epoch, with no
    epochs to train only when there was nothing to archive, and with an AUC of texts of one label never.
    """
    from allennlp.training import GradientDescentTrainer

    from attention_explain.errors import InputError
    from attention_explain.training.checks import check_selection, warn_of_shared_texts

    construct = GradientDescentTrainer.from_partial_objects.__func__
    known = inspect.signature(construct).parameters

    @wraps(construct)
    def construct_from_known(cls: type, *arguments: Any, **options: Any) -> Any:
        unknown = sorted(set(options) - set(known))
        if unknown:
            raise InputError(no_option("the trainer", unknown[0], known))
        for name, value in options.items():
            if value is None and not may_be_null(known[name]):
                raise InputError(f"the trainer's option '{name}' is null; leave it out")
        for name in COUNTS:
            if options.get(name, 1) < 1:
                raise InputError(f"{name} is {options[name]}, but must be 1 or more")
        try:
            trainer = construct(cls, *arguments, **options)
        except ValueError as error:
            if options.get("use_amp") and "AMP" in str(error):
                problem = "use_amp is for a GPU, but the trainer's device is the CPU"
            elif "empty parameter list" in str(error):
                problem = NOTHING_TRAINED
            elif "two separate parameter groups" in str(error):
                problem = f"the optimizer's parameter_groups overlap: {error}"
            else:
                raise
            raise InputError(problem) from error
        if not any(parameter.requires_grad for parameter in trainer.model.parameters()):
            raise InputError(NOTHING_TRAINED)
        check_selection(trainer)
        warn_of_shared_texts(trainer)
        return trainer

    GradientDescentTrainer.from_partial_objects = classmethod(construct_from_known)


def fix_vocabularies_of_splits() -> None:
    """A vocabulary saw the texts it was made from, but could not ask which split each belongs to."""
    from allennlp.commands.train import TrainModel

    construct = TrainModel.from_partial_objects.__func__

    @wraps(construct)
    def construct_with_splits(cls: type, *arguments: Any, **options: Any) -> Any:
        from attention_explain.data.vocabulary import Split

        vocabulary = options.get("vocabulary")
        if vocabulary is not None and "vectors_of" in vocabulary._params:
            reader = options["dataset_reader"]
            other_reader = options.get("validation_dataset_reader") or reader
            paths = {
                "train": (reader, options["train_data_path"]),
                "dev": (other_reader, options.get("validation_data_path")),
                "test": (other_reader, options.get("test_data_path")),
            }
            vocabulary._constructor_extras["training_splits"] = {
                name: Split(*split) for name, split in paths.items() if split[1] is not None
            }
        return construct(cls, *arguments, **options)

    TrainModel.from_partial_objects = classmethod(construct_with_splits)


def fix_training_log() -> None:
    """
    Training writes its log to `out.log`, and all of it to the terminal, too; and to the terminal of the
    moment it began, even when that is closed.
    """
    from allennlp.common import logging

    from attention_explain import output

    original = logging.prepare_global_logging

    @wraps(original)
    def prepare_global_logging(*arguments: Any, **options: Any) -> None:
        original(*arguments, **options)
        output.show_log()

    replace_everywhere(original, prepare_global_logging)


def fix_half_checkpoints() -> None:
    """
    A kill while a checkpoint was written left half of one, and `--recover` ended in an EOFError though
    the one before was whole; a kill before the best weights were written left those of an epoch that
    the metrics are not about.
    """
    from allennlp.training import GradientDescentTrainer
    from allennlp.training.checkpointer import Checkpointer

    load = Checkpointer.load_checkpoint
    restore = GradientDescentTrainer._maybe_restore_checkpoint
    load_weights = GradientDescentTrainer._load_model_state

    def find_latest_checkpoint(self) -> tuple[str, str] | None:
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

    @wraps(load_weights)
    def load_model_state(self, path: str) -> None:
        from attention_explain.training.checkpoints import check_best

        check_best(Path(path))
        load_weights(self, path)

    Checkpointer.find_latest_checkpoint = find_latest_checkpoint
    Checkpointer.load_checkpoint = load_checkpoint
    GradientDescentTrainer._maybe_restore_checkpoint = maybe_restore_checkpoint
    GradientDescentTrainer._load_model_state = load_model_state


def fix_inexact_recovery() -> None:
    """
    A recovered training ended with other weights than an unbroken one: it drew other random numbers,
    forgot the losses and metrics of the epoch that it was killed in, and went on after its patience
    had run out.
    """
    from allennlp.training import GradientDescentTrainer, util
    from allennlp.training.checkpointer import Checkpointer

    load = Checkpointer.load_checkpoint
    trainer = GradientDescentTrainer
    restore, get_state = trainer._maybe_restore_checkpoint, trainer.get_checkpoint_state
    try_train, train_epoch = trainer._try_train, trainer._train_epoch
    validate, get_metrics = trainer._validation_loss, util.get_metrics

    @wraps(load)
    def load_checkpoint(self) -> Any:
        from attention_explain.training.exact_recovery import KEY

        checkpoint = load(self)
        self._recovery_state = None if checkpoint is None else checkpoint.trainer_state.get(KEY)
        return checkpoint

    @wraps(restore)
    def maybe_restore_checkpoint(self) -> None:
        from attention_explain.training.exact_recovery import recovery_of

        restore(self)
        recovery_of(self).load(
            None if self._checkpointer is None else self._checkpointer._recovery_state
        )

    @wraps(get_state)
    def get_checkpoint_state(self) -> Any:
        from attention_explain.training.exact_recovery import KEY, recovery_of

        checkpoint = get_state(self)
        # Each process of a distributed training has random states of its own.
        if checkpoint is not None and not self._distributed:
            checkpoint.trainer_state[KEY] = recovery_of(self).state()
        return checkpoint

    @wraps(try_train)
    def recover_and_train(self) -> tuple[dict[str, Any], int]:
        from attention_explain.training.exact_recovery import recovery_of

        with recovery_of(self).recovering():
            return try_train(self)

    @wraps(train_epoch)
    def recover_and_train_epoch(self, epoch: int) -> dict[str, float]:
        from attention_explain.training.exact_recovery import recovery_of

        return recovery_of(self).train_epoch(train_epoch, epoch)

    @wraps(validate)
    def validation_loss(self, epoch: int) -> Any:
        from attention_explain.training.exact_recovery import recovery_of

        recovery_of(self).before_validation()
        return validate(self, epoch)

    @wraps(get_metrics)
    def get_metrics_of_whole_epoch(
        model: Any, total_loss: float, total_reg_loss: float | None, *batch: Any, **options: Any
    ) -> dict[str, float]:
        from attention_explain.training.exact_recovery import Recovery

        given = signature.bind(model, total_loss, total_reg_loss, *batch, **options).arguments
        if Recovery.training is not None:
            given["total_loss"], given["total_reg_loss"] = Recovery.training.totals(
                *(given[name] for name in names)
            )
        return get_metrics(**given)

    signature = inspect.signature(get_metrics)
    names = ("model", "total_loss", "total_reg_loss", "batch_loss", "batch_reg_loss")
    # A checkpointer of another kind may not call the original.
    Checkpointer._recovery_state = None
    Checkpointer.load_checkpoint = load_checkpoint
    trainer._maybe_restore_checkpoint = maybe_restore_checkpoint
    trainer.get_checkpoint_state = get_checkpoint_state
    trainer._try_train = recover_and_train
    trainer._train_epoch = recover_and_train_epoch
    trainer._validation_loss = validation_loss
    replace_everywhere(get_metrics, get_metrics_of_whole_epoch)


def fix_recovered_averages() -> None:
    """A moving average that was loaded averaged copies of the weights, and no longer the model's."""
    from allennlp.training.moving_average import MovingAverage

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        for name, _ in self._parameters:
            self._shadows[name].copy_(state_dict["shadows"][name])
            self._backups[name].copy_(state_dict["backups"][name])

    MovingAverage.load_state_dict = load_state_dict


def fix_metrics_of_the_last_epoch() -> None:
    """A training that was killed after its last epoch, and recovered, said nothing of that epoch."""
    from allennlp.training import GradientDescentTrainer

    try_train = GradientDescentTrainer._try_train

    @wraps(try_train)
    def train_and_tell(self) -> tuple[dict[str, Any], int]:
        from attention_explain.training.checkpoints import with_last_epoch

        metrics, epoch = try_train(self)
        return with_last_epoch(self, metrics), epoch

    GradientDescentTrainer._try_train = train_and_tell


def fix_reported_weights() -> None:
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


def fix_run_folders() -> None:
    """
    A training that failed before its first epoch was over left a folder that blocked the next one, also
    with `--recover` if the mistake had been in the config.
    """
    from allennlp.training import util

    create = util.create_serialization_dir

    @wraps(create)
    def create_serialization_dir(
        params: Any, serialization_dir: str | PathLike, recover: bool, force: bool
    ) -> None:
        from attention_explain.files.records import drop_checksums
        from attention_explain.training.run_start import hold, may_recover

        folder = Path(serialization_dir)
        hold(folder)
        if not force:
            recover = may_recover(params, folder, recover)
        create(params, serialization_dir, recover, force)
        hold(folder)
        drop_checksums(folder)

    replace_everywhere(create, create_serialization_dir)


def fix_unchecked_runs() -> None:
    """
    Weights, config and vocabulary were read as they were, whatever had become of them since they
    were written.
    """
    from allennlp.commands import train

    train_model = train.train_model
    signature = inspect.signature(train_model)

    @wraps(train_model)
    def train_and_finish(*arguments: Any, **options: Any) -> Any:
        from attention_explain.training.run_start import finish

        model = train_model(*arguments, **options)
        given = signature.bind(*arguments, **options).arguments
        if not given.get("dry_run"):
            finish(Path(given["serialization_dir"]))
        return model

    replace_everywhere(train_model, train_and_finish)
