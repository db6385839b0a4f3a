"""`attention_explain.explain`: one text, explained, from Python."""

from os import PathLike
from typing import TYPE_CHECKING, Any, Dict, Iterable, Optional, Sequence, Union

if TYPE_CHECKING:
    from allennlp.data import DatasetReader
    from allennlp.models import Model
    from allennlp.predictors import Predictor

    from attention_explain.explained import Explained


def explain(
    archive_or_model: Union[str, PathLike, "Predictor", "Model"],
    text: Union[str, Sequence[str]],
    methods: Optional[Sequence[Union[str, Dict[str, Any]]]] = None,
    target: Optional[str] = None,
    dataset_reader: Optional["DatasetReader"] = None,
    seed: Optional[int] = None,
    cuda_device: int = -1,
    split_text: bool = False,
    trust_archive: bool = False,
    query: Optional[Union[str, Sequence[str]]] = None,
    side: str = "passage",
) -> "Explained":
    """
    Which tokens of a text mattered, by each of the methods. The result prints in a terminal and
    shows in a notebook; its `verdict()` says how the output changes when the words that a method
    names are deleted, and when nothing else stays.

        explain("runs/sst/model.tar.gz", "a fine film", methods=["attention", "lrp"])

    # Parameters

    archive_or_model : `str`, `PathLike`, `Predictor` or `Model`
        An archive or the folder of a training run; or what was loaded from one. A `Model` needs
        its `dataset_reader`.
    text : `str` or `Sequence[str]`
        A text, or its tokens: a model that was trained on tokens takes these.
    methods : `Sequence`, optional (default = `attention` and `gradient-x-input`)
        Names of interpreters, or their configs; of the default those that the model allows.
    target : `str`, optional (default = the predicted label)
        The label to explain.
    dataset_reader : `DatasetReader`, optional
        Makes an instance of the text.
    seed : `int`, optional
        For the methods that draw random numbers.
    cuda_device : `int`, optional (default = `-1`)
        Where to load an archive to.
    split_text : `bool`, optional (default = `False`)
        Split a string even for a model that was trained on tokens.
    trust_archive : `bool`, optional (default = `False`)
        Let an archive run code of its own, which otherwise is opened as data.
    query : `str` or `Sequence[str]`, optional
        For a model of pairs: the question, or the hypothesis, or its tokens.
    side : `str`, optional (default = `"passage"`)
        Of a pair, the text whose words get scores: `passage`, `query` or `both`.
    """
    # Imported here, so that importing this module costs nothing.
    from allennlp.common.checks import ConfigurationError

    from attention_explain.data.pair_reader import TOKENS_OF, line_fields
    from attention_explain.data.pair_sides import turned
    from attention_explain.explained import Explained
    from attention_explain.predictors.saliency import SaliencyPredictor

    if not isinstance(text, Iterable):
        raise ConfigurationError(f"text is {text!r}, but must be a text or a list of its tokens")
    model, reader = _model_and_reader(archive_or_model, dataset_reader, cuda_device, trust_archive)
    predictor = SaliencyPredictor(
        model,
        reader,
        # The mode of a model that somebody else owns stays as it is.
        frozen=False,
        interpreters=methods,
        target=target,
        seed=seed,
        split_text=split_text,
        side=side,
    )
    names = line_fields(reader)
    if query is not None and "query" not in names:
        raise ConfigurationError("a query is given, but the model reads single texts")
    given = {"text": text} if query is None else {"text": text, "query": query}
    inputs = {
        names[name if isinstance(words, str) else TOKENS_OF[name]]: (
            words if isinstance(words, str) else list(words)
        )
        for name, words in given.items()
    }
    instance = predictor._json_to_instance(inputs)
    (explanation,) = predictor.explain([instance])
    (explained,) = turned([instance], side)
    return Explained.of(explanation, predictor._model, explained, seed or 0)


def _model_and_reader(
    archive_or_model: Any, reader: Optional["DatasetReader"], cuda_device: int, trust: bool
) -> tuple:
    from allennlp.common.checks import ConfigurationError
    from allennlp.models import Model
    from allennlp.predictors import Predictor

    from attention_explain.archives import open_to_explain

    if isinstance(archive_or_model, Predictor):
        return archive_or_model._model, reader or archive_or_model._dataset_reader
    if isinstance(archive_or_model, Model):
        if reader is None:
            raise ConfigurationError("a model needs the dataset_reader that it was trained with")
        return archive_or_model, reader
    archive = open_to_explain(archive_or_model, cuda_device, trust=trust)
    return archive.model, reader or archive.validation_dataset_reader
