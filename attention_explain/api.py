"""The Python interface: loads models, explains texts, and reads the files of the commands."""

import io
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Optional, Union

if TYPE_CHECKING:
    from allennlp.data import DatasetReader
    from allennlp.models import Model
    from allennlp.predictors import Predictor

    from attention_explain.archives import OpenedModel
    from attention_explain.data.any_reader import GivenTexts
    from attention_explain.explained import Explained
    from attention_explain.in_memory import TextClassifier
    from attention_explain.named_components import ComponentConfig
    from attention_explain.results import AttentionVerdict, Evaluations, Explanations

# Texts in memory, or the path of a data file for the model's own dataset reader.
Texts = Union[Iterable[Any], Path, "GivenTexts"]


def load(
    model: Any,
    tokenizer: Any = None,
    dataset_reader: Optional["DatasetReader"] = None,
    cuda_device: int = -1,
    overrides: dict[str, Any] | None = None,
    trust_archive: bool = False,
) -> "LoadedModel":
    """
    Load a model to explain. A model in memory is used as it is: nothing is copied or written, and its mode,
    gradients, hooks, device and precision stay as they are.

        model = load("runs/mine")
        model = load(hf_model, tokenizer=tokenizer)

    # Parameters

    model : `str`, `PathLike`, `PreTrainedModel`, `Pipeline`, `Model`, `Predictor` or `TextClassifier`
        The folder of a training run, a model archive, or a folder in Hugging Face's layout; a classifier of
        transformers, with its `tokenizer`, or a pipeline; a model of AllenNLP, with its `dataset_reader`, or a
        predictor; or an adapter of any other classifier in PyTorch.
    tokenizer : `PreTrainedTokenizerFast`, optional
        The tokenizer of a classifier of transformers.
    dataset_reader : `DatasetReader`, optional
        The reader of a model of AllenNLP.
    cuda_device : `int`, optional (default = `-1`)
        The device for a model that is loaded from a path; -1 is the CPU.
    overrides : `Dict[str, Any]`, optional
        Changes to the config of a model that is loaded from a path, like the option `--overrides` of the
        commands: `{"dataset_reader.tokenizer.split": "pre_tokenizer"}`.
    trust_archive : `bool`, optional (default = `False`)
        Let an archive run its own code. By default it is opened as data.
    """
    from attention_explain.errors import InputError

    if isinstance(model, LoadedModel):
        return model
    if isinstance(model, (str, PathLike)):
        from attention_explain.archives import OpenedModel, open_to_explain
        from attention_explain.data.sources import local_path

        archive = open_to_explain(model, cuda_device, overrides or "", trust=trust_archive)
        if dataset_reader is not None:
            archive = archive._replace(validation_dataset_reader=dataset_reader)
        return LoadedModel(OpenedModel(archive, str(model), local_path(model)), cuda_device)
    if overrides:
        raise InputError("overrides change what is loaded from a path, not a loaded model")
    return LoadedModel(_open_in_memory(model, tokenizer, dataset_reader))


def _open_in_memory(model: Any, tokenizer: Any, reader: Optional["DatasetReader"]) -> "OpenedModel":
    import torch
    from allennlp.models import Model
    from allennlp.predictors import Predictor

    from attention_explain.errors import InputError
    from attention_explain.in_memory import (
        REQUIRED,
        open_adapter,
        open_model,
        open_transformer_in_memory,
    )

    kind = type(model).__name__
    if isinstance(model, Predictor):
        model, reader = model._model, reader or model._dataset_reader
    if isinstance(model, Model):
        if reader is None:
            raise InputError("a model needs the dataset_reader that it was trained with")
        return open_model(model, reader)
    if _is_of_transformers(model):
        from transformers import Pipeline, PreTrainedModel

        if isinstance(model, Pipeline):
            model, tokenizer = model.model, tokenizer or model.tokenizer
        if isinstance(model, PreTrainedModel):
            return open_transformer_in_memory(model, tokenizer)
    missing = [name for name in REQUIRED if not hasattr(model, name)]
    if not missing and isinstance(model.module, torch.nn.Module):
        return open_adapter(model)
    if isinstance(model, torch.nn.Module) or len(missing) < len(REQUIRED):
        lacking = ", ".join(missing) or "a module that is a torch.nn.Module"
        raise InputError(
            f"a {kind} does not say how it reads texts. Pass an adapter, an object with "
            f"{', '.join(REQUIRED)} (see attention_explain.TextClassifier); this one lacks {lacking}"
        )
    raise InputError(
        "load takes the path of a model, or a model of transformers, AllenNLP or PyTorch in memory, not a "
        f"{kind}"
    )


def _is_of_transformers(model: Any) -> bool:
    bases = type(model).__mro__
    return any(base.__module__.split(".")[0] == "transformers" for base in bases)


class LoadedModel:
    """
    A model to explain, as `load` returns it.

    # Parameters

    opened : `OpenedModel`
        The model with its dataset reader.
    cuda_device : `int`, optional (default = `-1`)
        The device that it was loaded to.
    """

    def __init__(self, opened: "OpenedModel", cuda_device: int = -1) -> None:
        self.opened = opened
        self._cuda_device = cuda_device

    @property
    def model(self) -> "Model":
        """The model of AllenNLP that methods see."""
        return self.opened.archive.model

    @property
    def dataset_reader(self) -> "DatasetReader":
        """The reader of its texts."""
        return self.opened.archive.validation_dataset_reader

    @property
    def labels(self) -> list[str]:
        """The names of the classes, in the order of the model's outputs."""
        return list(self.model.labels)

    def __repr__(self) -> str:
        return f"<LoadedModel: {self.opened}; labels: {', '.join(self.labels)}>"

    def attribute(
        self,
        texts: "Texts",
        methods: Sequence["ComponentConfig"] | None = None,
        labels: Iterable[Any] | None = None,
        target: str | Sequence[Any] | None = None,
        contrast: str | Sequence[Any] | None = None,
        save: str | Path | None = None,
        force: bool = False,
        limit: int | None = None,
        side: str = "passage",
        seed: int | None = None,
        batch_tokens: int | None = None,
        split_text: bool = False,
        cut: bool = False,
        progress: bool = True,
    ) -> "Explanations":
        """
        Explain the predictions for texts by several methods, as `allennlp attribute` does.

        # Parameters

        texts : `Iterable` or `Path`
            Texts, for example a list, a generator, a pandas Series or a column of a data set; each is a string,
            a list of tokens, or a mapping with the fields of a line of a data file (`text`, `label`, `id`,
            ...). Or the path of a data file.
        methods : `Sequence`, optional (default = those of the command that the model supports)
            Names or configs of methods.
        labels : `Iterable`, optional
            The gold label of each text.
        target : `str` or `Sequence[str]`, optional (default = the predicted label of each text)
            The label to explain, or one label per text.
        contrast : `str` or `Sequence[str]`, optional
            Explain why the label is predicted rather than this one: the difference of their logits. One label,
            or one per text. Methods that do not depend on the label, such as attention, cannot.
        save : `str` or `Path`, optional
            The parquet file to write while the texts are explained. Work that was interrupted continues with
            the same call, and if the file is complete, it is read.
        force : `bool`, optional (default = `False`)
            Replace an existing file, and drop unfinished work of another call.
        limit : `int`, optional
            The number of texts to explain, spread evenly over all texts.
        side : `str`, optional (default = `"passage"`)
            The text of a pair whose words are scored: `passage`, `query` or `both`.
        seed : `int`, optional
            For methods that draw random numbers.
        batch_tokens : `int`, optional
            The number of tokens per forward pass, padding included.
        split_text : `bool`, optional (default = `False`)
            Split strings even for a model that was trained on tokens.
        cut : `bool`, optional (default = `False`)
            Whether texts in memory that are longer than what the model reads are cut. By default they are an
            error.
        progress : `bool`, optional (default = `True`)
            Whether there is a progress bar.
        """
        from attention_explain.commands.attribute import AttributionJob
        from attention_explain.commands.batches import InteractiveProgress
        from attention_explain.results import Explanations

        given = self._texts(texts, labels, cut)
        options = self._options(
            given, save, force, seed=seed, batch_tokens=batch_tokens, limit=limit
        )
        job = AttributionJob(
            options, methods, self._label_names(target), None, 0, side, self._label_names(contrast)
        )
        table, metadata = _run(job, self.model, save, force, InteractiveProgress(progress))
        explained = (job.explainer.model, job.instances)
        path = None if save is None else Path(save)
        again = Path(given) if isinstance(given, str) else given
        return Explanations(table, metadata, path, _evaluate, self, again, explained)

    def verdict(
        self,
        texts: "Texts",
        labels: Iterable[Any] | None = None,
        methods: Sequence["ComponentConfig"] | None = None,
        save: str | Path | None = None,
        cut: bool = False,
        progress: bool = True,
        **options: Any,
    ) -> "AttentionVerdict":
        """
        Judge whether attention can be trusted as the explanation of this model, as `allennlp verdict` does.

        # Parameters

        texts : `Iterable` or `Path`
            As in `attribute`.
        labels : `Iterable`, optional
            The gold label of each text, for the accuracy of the model.
        methods : `Sequence`, optional (default = those of the command)
            Names or configs of the methods to compare with attention.
        save : `str` or `Path`, optional
            The folder to write. Work that was interrupted continues with the same call.
        cut : `bool`, optional (default = `False`)
            As in `attribute`.
        progress : `bool`, optional (default = `True`)
            Whether there is a progress bar.
        options : `Any`
            `quick`, `rationales`, `budget`, `limit`, `seed`, `batch_tokens`, `force`, as of the command.
        """
        from attention_explain.commands.verdict import verdict_from_files
        from attention_explain.results import AttentionVerdict

        given = self._texts(texts, labels, cut)
        options = {"methods": methods, "cuda_device": self._cuda_device, **options}
        kept = TemporaryDirectory(prefix="attention_explain-") if save is None else None
        folder = Path(save) if kept is None else Path(kept.name) / "verdict"  # type: ignore[arg-type]
        # The lines for the terminal: the caller gets the verdict itself.
        lines = io.StringIO()
        errors = sys.stderr if progress else lines
        with _using(self.model), redirect_stdout(lines), redirect_stderr(errors):
            verdict_from_files([self.opened], given, folder, **options)
        return AttentionVerdict(folder, kept)

    def _label_names(self, given: Any) -> str | list[str] | None:
        """The name of a label, or the names of several."""
        if given is None:
            return None
        if isinstance(given, str) or not isinstance(given, Iterable):
            return _label_name(given, self.labels)
        return [_label_name(label, self.labels) for label in given]

    def _options(self, texts: Any, save: str | Path | None, force: bool, **options: Any) -> Any:
        from attention_explain.commands.job_options import JobOptions

        return JobOptions(
            self.opened, texts, save or "", cuda_device=self._cuda_device, force=force, **options
        )

    def _texts(
        self, texts: "Texts", labels: Iterable[Any] | None = None, cut: bool = False
    ) -> Union["GivenTexts", str]:
        """The texts as jobs take them."""
        from attention_explain.data.any_reader import GivenTexts
        from attention_explain.errors import InputError

        if isinstance(texts, GivenTexts):
            return texts
        if isinstance(texts, Path):
            if labels is not None:
                raise InputError(
                    "labels are for texts in memory; those of a data file are in the file"
                )
            return str(texts)
        records = _records(texts)
        if labels is not None:
            named = [_label_name(label, self.labels) for label in labels]
            if len(named) != len(records):
                raise InputError(f"there are {len(named)} labels for {len(records)} texts")
            records = [
                {**record, "label": label} for record, label in zip(records, named, strict=True)
            ]
        return GivenTexts(records, cut)


def _evaluate(
    attributions: Path,
    model: Any,
    texts: Texts,
    measures: Sequence["ComponentConfig"] | None,
    methods: Sequence[str] | None,
    removal: Sequence["ComponentConfig"] | None,
    save: str | Path | None,
    progress: bool,
    by: str | None = None,
    random_orders: int | None = None,
    search: dict[str, Any] | None = None,
    force: bool = False,
    **options: Any,
) -> "Evaluations":
    """The faithfulness of the scores in an attribution file, for `Explanations.evaluate`."""
    from attention_explain import defaults
    from attention_explain.commands.batches import InteractiveProgress
    from attention_explain.commands.faithfulness import FaithfulnessJob
    from attention_explain.faithfulness.evaluator import RANDOM_ORDERS
    from attention_explain.faithfulness.scores_file import read_scores
    from attention_explain.passes import RANKINGS
    from attention_explain.results import Evaluations

    loaded = load(model)
    job = FaithfulnessJob(
        loaded._options(loaded._texts(texts), save, force, **options),
        read_scores(attributions, methods),
        measures or defaults.MEASURES,
        removal,
        by or RANKINGS[0],
        random_orders or RANDOM_ORDERS,
        search,
    )
    table, metadata = _run(job, loaded.model, save, force, InteractiveProgress(progress))
    return Evaluations(table, metadata, None if save is None else Path(save))


def _run(
    job: Any, model: "Model", save: str | Path | None, force: bool, progress: Any
) -> tuple[Any, Any]:
    """Run a job in this process, or read the file that it has written before."""
    from attention_explain.errors import InputError

    job.interactive = True
    with _using(model):
        if save is None:
            return job.compute(progress)
        if Path(save).exists() and not force:
            different = job.differences()
            if different:
                raise InputError(
                    f"{save}: was made with other {' and '.join(different)}. Give another file, or "
                    "force=True to make it again"
                )
            return job.format.read(Path(save))
        return job.write(progress)


@contextmanager
def _using(model: "Model") -> Iterator[None]:
    """
    Compute gradients whatever the mode of the caller is, and leave the modules of the model as they were. Libraries
    may add hooks and attributes to them: transformers does to return its attention.
    """
    import torch

    attributes = {module: dict(vars(module)) for module in model.modules()}
    hooks = [
        (value, dict(value))
        for values in attributes.values()
        for name, value in values.items()
        if "hooks" in name and isinstance(value, dict)
    ]
    try:
        with torch.inference_mode(False), torch.enable_grad():
            yield
    finally:
        for module, values in attributes.items():
            vars(module).clear()
            vars(module).update(values)
        for value, before in hooks:
            value.clear()
            value.update(before)


def _records(texts: Any) -> list[dict[str, Any]]:
    """The texts as the fields of lines."""
    from attention_explain.errors import InputError

    wanted = "a list of texts (or another iterable of them), or the Path of a data file"
    if isinstance(texts, str):
        raise InputError(
            f"texts is a single string, but must be {wanted}. For one text, pass [text]; for a file, "
            "pathlib.Path(name)"
        )
    if isinstance(texts, Mapping) or hasattr(texts, "columns") or not isinstance(texts, Iterable):
        raise InputError(f"texts is a {type(texts).__name__}, but must be {wanted}")
    records: list[dict[str, Any]] = []
    for number, text in enumerate(texts, 1):
        if isinstance(text, str):
            # Arrays have strings of their own.
            records.append({"text": str(text)})
        elif isinstance(text, Mapping):
            records.append(dict(text))
        elif isinstance(text, (list, tuple)) and all(isinstance(word, str) for word in text):
            records.append({"tokens": list(text)})
        else:
            raise InputError(
                f"text {number} is {text!r}, but must be a string, a list of tokens, or a mapping with "
                "the fields of a text"
            )
    if not records:
        raise InputError("texts is empty: there is nothing to explain")
    return records


def _label_name(label: Any, labels: Sequence[str]) -> str:
    """The name of a label, which may be given by its number."""
    name = str(label)
    if name not in labels and name.isdecimal() and int(name) < len(labels):
        return labels[int(name)]
    return name


def read(path: str | PathLike) -> Union["Explanations", "Evaluations", "AttentionVerdict"]:
    """
    Read what the commands and the Python interface write: an attribution file, a faithfulness file, or the
    folder of a verdict.

    # Parameters

    path : `str` or `PathLike`
    """
    from attention_explain.errors import InputError
    from attention_explain.results import AttentionVerdict, Evaluations, Explanations

    path = Path(path)
    if path.is_dir():
        if not (path / "verdict.json").is_file():
            raise InputError(f"{path}: is not the folder of a verdict (it has no verdict.json)")
        return AttentionVerdict(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file or folder")
    if Explanations.format.find_metadata(path) is not None:
        return Explanations(*Explanations.format.read(path), path, _evaluate)
    if Evaluations.format.find_metadata(path) is not None:
        return Evaluations(*Evaluations.format.read(path), path)
    raise InputError(
        f"{path}: is neither an attribution file (of `allennlp attribute`) nor a faithfulness file (of "
        "`allennlp faithfulness`)"
    )


def explain(
    archive_or_model: Union[
        str, PathLike, "LoadedModel", "Predictor", "Model", "TextClassifier", Any
    ],
    text: str | Sequence[str] | None = None,
    methods: Sequence[str | dict[str, Any]] | None = None,
    target: str | None = None,
    dataset_reader: Optional["DatasetReader"] = None,
    seed: int | None = None,
    cuda_device: int = -1,
    split_text: bool = False,
    trust_archive: bool = False,
    query: str | Sequence[str] | None = None,
    side: str = "passage",
    tokens: Sequence[str] | None = None,
    overrides: dict[str, Any] | None = None,
    text_pair: str | Sequence[str] | None = None,
    tokenizer: Any = None,
    contrast: str | None = None,
) -> "Explained":
    """
    Explain the prediction for one text by several methods. The result prints in a terminal and shows in a
    notebook; its `verdict()` gives the output without the top words of each method, and with only these.

        explain("runs/sst/model.tar.gz", "a fine film", methods=["attention", "lrp"])

    # Parameters

    archive_or_model : `LoadedModel`, or what `load` takes
        A model, or its path.
    text : `str` or `Sequence[str]`, optional
        One text, or a list of its words. A list whose items contain white space raises: see `tokens`.
    methods : `Sequence`, optional (default = `attention` and `gradient-x-input`)
        Names of interpreters, or their configs; of the default methods, those that the model supports.
    target : `str`, optional (default = the predicted label)
        The label to explain.
    dataset_reader : `DatasetReader`, optional
        Reads the text.
    seed : `int`, optional
        For methods that draw random numbers.
    cuda_device : `int`, optional (default = `-1`)
        The device for the model of an archive.
    split_text : `bool`, optional (default = `False`)
        Split a string even for a model that was trained on tokens.
    trust_archive : `bool`, optional (default = `False`)
        Let an archive run its own code. By default it is opened as data.
    query : `str` or `Sequence[str]`, optional
        For a model of pairs: the question, or the hypothesis, or its tokens. A folder in Hugging Face's
        layout reads it before the text, as rerankers do; see `text_pair`.
    side : `str`, optional (default = `"passage"`)
        The text of a pair whose words are scored: `passage` (the `text`), `query` (the other) or `both`.
    tokens : `Sequence[str]`, optional
        The tokens of the text, instead of `text`; they may contain white space. For models that were trained on
        tokens.
    overrides : `Dict[str, Any]`, optional
        Changes to the config of an archive or folder, like the option `--overrides` of the commands:
        `{"dataset_reader.tokenizer.split": "pre_tokenizer"}`.
    text_pair : `str` or `Sequence[str]`, optional
        For a folder in Hugging Face's layout: the second text, as in `tokenizer(text, text_pair)`.
    tokenizer : `PreTrainedTokenizerFast`, optional
        The tokenizer of a classifier of transformers in memory.
    contrast : `str`, optional
        Explain why the label is predicted rather than this one: the difference of their logits.
    """
    # Imported here, so that importing this module costs nothing.
    from attention_explain.data.attention_text import TransformerTextReader
    from attention_explain.data.pair_reader import TOKENS_OF, line_fields, turned
    from attention_explain.errors import InputError
    from attention_explain.explained import Explained
    from attention_explain.predictors.saliency import SaliencyPredictor

    text = _checked_text(text, tokens)
    loaded = load(
        archive_or_model, tokenizer, dataset_reader, cuda_device, overrides, trust_archive
    )
    model, reader = loaded.model, loaded.dataset_reader
    predictor = SaliencyPredictor(
        model,
        reader,
        # Does not change the mode of the caller's model.
        frozen=False,
        interpreters=methods,
        target=target,
        contrast=contrast,
        seed=seed,
        split_text=split_text,
        side=side,
    )
    names: Mapping[str, str] = line_fields(reader)
    if text_pair is not None and query is not None:
        raise InputError("explain takes a query or a text_pair, and not both")
    if isinstance(reader, TransformerTextReader):
        names = {**names, "query": "query", "query_tokens": "query_tokens"}
        if text_pair is not None:
            names |= {"query": "text_pair", "query_tokens": "text_pair_tokens"}
            query = text_pair
    elif text_pair is not None:
        raise InputError("text_pair is for a folder in Hugging Face's layout; use query")
    if query is not None and "query" not in names:
        raise InputError("a query is given, but the model reads single texts")
    given = {"text": text} if query is None else {"text": text, "query": query}
    inputs = {
        names[name if isinstance(words, str) else TOKENS_OF[name]]: (
            words if isinstance(words, str) else list(words)
        )
        for name, words in given.items()
    }
    instance = predictor._json_to_instance(inputs)
    predictor.warn_of_unsplit([instance], "explain")
    (explanation,) = predictor.explain([instance])
    (explained,) = turned([instance], side)
    return Explained.of(explanation, predictor._model, explained, seed or 0)


def _checked_text(
    text: str | Sequence[str] | None, tokens: Sequence[str] | None
) -> str | Sequence[str]:
    """The text or the tokens, whichever is given."""
    from attention_explain.errors import InputError

    if tokens is not None:
        if text is not None:
            raise InputError("explain takes a text or its tokens, and not both")
        if isinstance(tokens, str) or not isinstance(tokens, Iterable):
            raise InputError(f"tokens is {tokens!r}, but must be a list of strings")
        return list(tokens)
    if isinstance(text, str):
        return text
    if not isinstance(text, Iterable):
        raise InputError(f"text is {text!r}, but must be a text or a list of its tokens")
    words = list(text)
    for word in words:
        if isinstance(word, str) and any(map(str.isspace, word)):
            raise InputError(
                f"text is a list, and its item {word!r} contains white space: a list means the tokens of "
                "one text. To explain several texts, call explain for each of them, or write them to a file "
                "and use `allennlp attribute`; if these are the tokens of one text, pass them as tokens=[...]"
            )
    return words
