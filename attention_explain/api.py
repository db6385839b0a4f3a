"""The Python interface: explains one text."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Optional, Union

if TYPE_CHECKING:
    from allennlp.data import DatasetReader
    from allennlp.models import Model
    from allennlp.predictors import Predictor

    from attention_explain.explained import Explained


def explain(
    archive_or_model: Union[str, PathLike, "Predictor", "Model"],
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
) -> "Explained":
    """
    Explain the prediction for one text by several methods. The result prints in a terminal and shows in a
    notebook; its `verdict()` gives the output without the top words of each method, and with only these.

        explain("runs/sst/model.tar.gz", "a fine film", methods=["attention", "lrp"])

    # Parameters

    archive_or_model : `str`, `PathLike`, `Predictor` or `Model`
        An archive, the folder of a training run, or a folder in Hugging Face's layout; or what was
        loaded from one. A `Model` needs its `dataset_reader`.
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
    """
    # Imported here, so that importing this module costs nothing.
    from attention_explain.data.attention_text import TransformerTextReader
    from attention_explain.data.pair_reader import TOKENS_OF, line_fields, turned
    from attention_explain.errors import InputError
    from attention_explain.explained import Explained
    from attention_explain.predictors.saliency import SaliencyPredictor

    text = _checked_text(text, tokens)
    model, reader = _model_and_reader(
        archive_or_model, dataset_reader, cuda_device, trust_archive, overrides
    )
    predictor = SaliencyPredictor(
        model,
        reader,
        # Does not change the mode of the caller's model.
        frozen=False,
        interpreters=methods,
        target=target,
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


def _model_and_reader(
    archive_or_model: Any,
    reader: Optional["DatasetReader"],
    cuda_device: int,
    trust: bool,
    overrides: dict[str, Any] | None,
) -> tuple:
    from allennlp.models import Model
    from allennlp.predictors import Predictor

    from attention_explain.archives import open_to_explain
    from attention_explain.errors import InputError

    if isinstance(archive_or_model, (str, PathLike)):
        archive = open_to_explain(archive_or_model, cuda_device, overrides or "", trust=trust)
        return archive.model, reader or archive.validation_dataset_reader
    if overrides:
        raise InputError("overrides change what is loaded from a path, not a loaded model")
    if isinstance(archive_or_model, Predictor):
        return archive_or_model._model, reader or archive_or_model._dataset_reader
    if isinstance(archive_or_model, Model):
        if reader is None:
            raise InputError("a model needs the dataset_reader that it was trained with")
        return archive_or_model, reader
    kind = type(archive_or_model)
    if any(base.__module__.split(".")[0] == "transformers" for base in kind.__mro__):
        raise InputError(
            f"explain takes the path of a model, not a {kind.__name__} of transformers: save the model "
            "and its tokenizer to one folder (model.save_pretrained(folder) and "
            "tokenizer.save_pretrained(folder)), and pass the folder"
        )
    raise InputError(
        f"explain takes the path of a model, or a Model or Predictor of AllenNLP, not a {kind.__name__}"
    )
