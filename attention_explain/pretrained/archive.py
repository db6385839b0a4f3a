"""
A folder of transformers in the place of an archive: what AllenNLP would have in one, made from what the
folder says.
"""

from pathlib import Path
from typing import Any, Dict, Union

from allennlp.common import Params, params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.models.archival import Archive

from attention_explain.archive_reach import limited_to_archive
from attention_explain.data.example import ORIGIN_NAMESPACE, TEXT, TEXTS_OF_PAIRS
from attention_explain.data.pair_reader import PairReader
from attention_explain.data.tokenizers import PUNCTUATION
from attention_explain.errors import InputError
from attention_explain.pretrained.folders import TransformerFolder
from attention_explain.safe_archives import check_components

# How the texts for a folder are read, unless overrides say otherwise.
READER = "attention_text"


def open_transformer(
    path: Path, cuda_device: int = -1, overrides: Union[str, Dict[str, Any]] = ""
) -> Archive:
    """Of a folder that `is_transformer_folder` knows; overrides change the config below."""
    folder = TransformerFolder.opened(path)
    stated = _config(folder)
    if overrides:
        given = params.parse_overrides(overrides) if isinstance(overrides, str) else overrides
        stated = params.with_overrides(stated, given)
        check_components(stated, f"{path}: with these overrides its config")
    if stated["dataset_reader"]["type"] == READER:
        stated["dataset_reader"].setdefault("disallowed_fields", list(TEXTS_OF_PAIRS))
    config = Params(stated)
    with limited_to_archive(folder.path, overrides):
        reader = DatasetReader.from_params(config.duplicate()["dataset_reader"])
        if isinstance(reader, PairReader) and reader.pairs:
            raise InputError(
                f"{path}: the dataset reader '{stated['dataset_reader']['type']}' reads pairs of texts, "
                "but a folder of transformers is read as a model of single texts, which would ignore "
                "the second text; pairs are read by an attention_pair_classifier"
            )
        model = Model.from_params(config.duplicate()["model"], vocab=_vocabulary(folder))
    if cuda_device >= 0:
        model.cuda(cuda_device)
    return Archive(model.eval(), config, reader, reader, None)


def _config(folder: TransformerFolder) -> Dict[str, Any]:
    name = str(folder.path)
    return {
        "model": {"type": "transformer_classifier", "model_name": name, "own_head": True},
        "dataset_reader": {
            "type": READER,
            "tokenizer": {"type": "written_words", "split": PUNCTUATION, "model_name": name},
            "token_indexers": {
                "tokens": {"type": "transformer_pieces", "model_name": name, "as_written": True}
            },
        },
    }


def _vocabulary(folder: TransformerFolder) -> Vocabulary:
    """Labels, and that the model has read strings; words and pieces are the tokenizer's."""
    vocabulary = Vocabulary()
    vocabulary.add_tokens_to_namespace(list(folder.labels), "labels")
    vocabulary.add_token_to_namespace(TEXT, ORIGIN_NAMESPACE)
    return vocabulary
