"""What AllenNLP reads: where it looks, archives, configs, and data that it must not write over."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from inspect import signature
from pathlib import Path
from typing import Any

from attention_explain.compat.todays_packages import replace_everywhere
from attention_explain.files.records import read_json


def fix_local_paths() -> None:
    """
    A folder for downloads was made even for files that are here, where a home can be read-only; and
    without a network, downloads ended in a traceback.
    """
    from allennlp.common import file_utils

    from attention_explain.archive_reach import check_readable
    from attention_explain.errors import InputError

    download = file_utils.cached_path

    @wraps(download)
    def cached_path(url_or_filename: Any, *arguments: Any, **options: Any) -> str:
        check_readable(url_or_filename)
        here = Path(url_or_filename).expanduser()
        if here.is_file() and not arguments and not options:
            return str(here)
        try:
            return download(url_or_filename, *arguments, **options)
        except FileNotFoundError:
            raise
        except Exception as error:
            # Each kind of server has a package with exceptions of its own; one that names a file is
            # about the folder for downloads.
            if "://" not in str(url_or_filename) or getattr(error, "filename", None) is not None:
                raise
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise InputError(
                f"{url_or_filename}: cannot be downloaded ({reason}); check the address and the network "
                "connection, or download it yourself and give the path"
            ) from error

    replace_everywhere(download, cached_path)


def fix_word_vector_files() -> None:
    """Word vectors in another encoding ended in a traceback; those that are not finite were trained with."""
    import torch
    from allennlp.modules.token_embedders import embedding

    from attention_explain.errors import InputError

    original = embedding._read_pretrained_embeddings_file
    not_finite = "has a vector with a number that is not finite"

    @wraps(original)
    def read_pretrained_embeddings_file(file_uri: str, *arguments: Any, **options: Any) -> Any:
        try:
            weight = original(file_uri, *arguments, **options)
        except StopIteration as error:
            raise InputError(f"{file_uri}: is empty") from error
        except ValueError as error:
            raise InputError(f"{file_uri}: is not a file of word vectors ({error})") from error
        except RuntimeError as error:
            # The vectors of other words are drawn at random, with the deviation of those in the file.
            if "normal expects std" not in str(error):
                raise
            raise InputError(f"{file_uri}: {not_finite}") from error
        if not torch.isfinite(weight).all():
            raise InputError(f"{file_uri}: {not_finite}")
        return weight

    embedding._read_pretrained_embeddings_file = read_pretrained_embeddings_file


def fix_archive_loading() -> None:
    """
    Broken weights, another file than an archive, and a GPU that is not there ended in a traceback,
    and whatever an archive held was unpacked and run: all of AllenNLP opens archives as our commands
    do.
    """
    from allennlp.models import archival

    # Imported before the original is replaced, which it calls.
    from attention_explain.archives import open_archive, unpacked

    original = archival.load_archive

    @wraps(original)
    def load_archive(archive_file, cuda_device=-1, overrides="", weights_file=None):
        return open_archive(archive_file, cuda_device, overrides, weights_file)

    @contextmanager
    def extracted_archive(resolved_archive_file: Any, cleanup: bool = True) -> Iterator[str]:
        with unpacked(Path(resolved_archive_file)) as folder:
            yield str(folder)

    replace_everywhere(original, load_archive)
    replace_everywhere(archival.extracted_archive, extracted_archive)


def fix_weights_of_nothing() -> None:
    """Weights that are a list, or have numbers for names, failed wherever these were looked at."""
    from allennlp.nn import util

    original = util.read_state_dict

    @wraps(original)
    def read_state_dict(*arguments: Any, **options: Any) -> Any:
        try:
            weights = original(*arguments, **options)
        except AttributeError as error:
            raise RuntimeError("its weights have no names") from error
        if not all(isinstance(name, str) for name in weights):
            raise RuntimeError("its weights have no names")
        return weights

    replace_everywhere(original, read_state_dict)


def fix_evaluation_without_batches() -> None:
    """`evaluate` takes it for granted that an archive's config says how its texts come in batches."""
    from allennlp.commands import evaluate
    from allennlp.common import Params

    from attention_explain.errors import InputError

    load = evaluate.load_archive

    @wraps(load)
    def load_archive(archive_file: Any, *arguments: Any, **options: Any) -> Any:
        archive = load(archive_file, *arguments, **options)
        of_validation = archive.config.get("validation_data_loader")
        loader = archive.config.get("data_loader") if of_validation is None else of_validation
        if not isinstance(loader, Params):
            raise InputError(
                f"{archive_file}: its config has no object 'data_loader'; give one with "
                """--overrides '{"data_loader": {"batch_size": 32}}'"""
            )
        return archive

    evaluate.load_archive = load_archive


def fix_predictor_arguments() -> None:
    """`--predictor-args` that are no object ended in a traceback."""
    from allennlp.commands import predict

    from attention_explain.errors import InputError

    original = predict._get_predictor

    @wraps(original)
    def get_predictor(args: Any) -> Any:
        given = args.predictor_args.strip()
        if given and not isinstance(read_json(given), dict):
            raise InputError(f"--predictor-args {given}: must be an object, as in {{}}")
        return original(args)

    predict._get_predictor = get_predictor


def fix_class_names() -> None:
    """
    AllenNLP takes any name with a dot for the path of something to import and call, those that
    stand in an archive too: see archive_reach.py. Its `evaluate` goes on naming classes by the
    archive's config when that is loaded.
    """
    from allennlp.commands import evaluate
    from allennlp.common import Registrable

    from attention_explain.archive_reach import limited_to_archive, resolve_type

    evaluated = evaluate.evaluate_from_args

    @wraps(evaluated)
    def evaluate_from_args(*arguments: Any, **options: Any) -> Any:
        with limited_to_archive():
            return evaluated(*arguments, **options)

    replace_everywhere(evaluated, evaluate_from_args)

    resolve = Registrable.resolve_class_name.__func__

    @wraps(resolve)
    def resolve_class_name(cls: type, name: str) -> Any:
        by_path = resolve_type(cls, name)
        return resolve(cls, name) if by_path is None else (by_path, None)

    Registrable.resolve_class_name = classmethod(resolve_class_name)


def limit_archives() -> None:
    """
    Keeps an archive that is being opened from loading spaCy packages, transformers that are neither in
    it nor in the local cache, and word vectors: see archive_reach.py. A spaCy language code, such as
    `en`, stands for the blank pipeline of that language.
    """
    from allennlp.common import cached_transformers, util
    from allennlp.modules.token_embedders import embedding

    from attention_explain.archive_reach import (
        cache_only,
        check_readable,
        check_spacy_package,
        is_spacy_language,
        must_be_cached,
        not_cached,
    )

    load_spacy = util.get_spacy_model

    @wraps(load_spacy)
    def get_spacy_model(spacy_model_name: str, *arguments: Any, **options: Any) -> Any:
        if is_spacy_language(spacy_model_name):
            import spacy

            return spacy.blank(spacy_model_name)
        check_spacy_package(spacy_model_name)
        return load_spacy(spacy_model_name, *arguments, **options)

    replace_everywhere(load_spacy, get_spacy_model)

    read_vectors = embedding._read_pretrained_embeddings_file

    @wraps(read_vectors)
    def read_pretrained_embeddings_file(file_uri: str, *arguments: Any, **options: Any) -> Any:
        check_readable(file_uri)
        return read_vectors(file_uri, *arguments, **options)

    replace_everywhere(read_vectors, read_pretrained_embeddings_file)

    def from_cache(load: Callable) -> Callable:
        own_options = signature(load).parameters

        @wraps(load)
        def loaded(model_name: str, *arguments: Any, **options: Any) -> Any:
            passed_on = {name: options[name] for name in options if name not in own_options}
            if not must_be_cached(model_name, passed_on):
                return load(model_name, *arguments, **options)
            if Path(model_name).is_dir():
                from attention_explain.pretrained.folders import check_named_files

                check_named_files(Path(model_name))
            with cache_only():
                try:
                    return load(model_name, *arguments, **options)
                except OSError as error:
                    raise not_cached(model_name) from error

        return loaded

    replace_everywhere(cached_transformers.get, from_cache(cached_transformers.get))
    replace_everywhere(
        cached_transformers.get_tokenizer, from_cache(cached_transformers.get_tokenizer)
    )


def fix_config_errors() -> None:
    """
    jsonnet's messages are bare RuntimeErrors, with a stack trace of its own library; what it made
    was taken for an object, also when it was a list; and overrides of nothing ended in a traceback.
    The files of `training_configs` were found from the folder of the checkout alone.
    """
    from allennlp.common import params

    from attention_explain.errors import InputError
    from attention_explain.jsonnet import find_config, import_path, jsonnet_message

    def with_sentences(evaluate: Callable, called: Callable[[str], str]) -> Callable:
        @wraps(evaluate)
        def evaluated(name: str, *arguments: Any, **options: Any) -> str:
            try:
                text = evaluate(name, *arguments, **options)
            except RuntimeError as error:
                raise InputError(jsonnet_message(error, called(name))) from error
            if not text.startswith("{"):
                raise InputError(
                    f"{called(name)}: must be an object, with the config's fields by their names"
                )
            return text

        return evaluated

    evaluate_file, cached_path = params.evaluate_file, params.cached_path
    params.evaluate_file = with_sentences(partial(evaluate_file, jpathdir=[import_path()]), str)
    params.cached_path = lambda name: cached_path(find_config(name))
    # All that AllenNLP evaluates without a file.
    params.evaluate_snippet = with_sentences(params.evaluate_snippet, lambda _: "the overrides")
    merge = params.with_overrides

    @wraps(merge)
    def with_overrides(*arguments: Any, **options: Any) -> Any:
        try:
            return merge(*arguments, **options)
        except ValueError as error:
            raise InputError(f"the overrides do not fit: {error}") from error

    replace_everywhere(merge, with_overrides)


def fix_silent_evaluation() -> None:
    """`evaluate` says what it found to its log alone."""
    from allennlp.commands import evaluate

    original = evaluate.evaluate_from_args

    @wraps(original)
    def and_say(args: Any) -> Any:
        metrics = original(args)
        for name, value in metrics.items():
            print(f"{name}: {value:.4f}" if isinstance(value, float) else f"{name}: {value}")
        return metrics

    evaluate.evaluate_from_args = and_say


def fix_lost_predictions() -> None:
    """`predict` empties its output before it has seen whether the texts can be read."""
    from allennlp.commands import predict

    manager = predict._PredictManager
    original = manager.__init__

    @wraps(original)
    def checked(
        self: Any, predictor: Any, input_file: str, *arguments: Any, **options: Any
    ) -> None:
        check = getattr(predictor, "check_file", None)
        given = signature(original).bind(self, predictor, input_file, *arguments, **options)
        if check is not None and given.arguments["has_dataset_reader"]:
            deque(predictor._dataset_reader.read(input_file), maxlen=0)
        elif check is not None and input_file != "-":
            check(input_file)
        original(self, predictor, input_file, *arguments, **options)

    manager.__init__ = checked


def fix_lost_inputs() -> None:
    """`predict` and `evaluate` empty the file that they are told to write, even if they are to read it."""
    from allennlp.commands import evaluate, predict

    from attention_explain.files.atomic import check_distinct

    def checked(original: Callable) -> Callable:
        @wraps(original)
        def from_args(args: Any) -> Any:
            read = [args.archive_file, args.input_file, *args.input_file.split(",")]
            first, second = args.output_file, getattr(args, "predictions_output_file", None)
            check_distinct([path for path in (first, second) if path is not None], read)
            return original(args)

        return from_args

    predict._predict = checked(predict._predict)
    evaluate.evaluate_from_args = checked(evaluate.evaluate_from_args)
