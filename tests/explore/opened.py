"""Small models as the page has them."""

from collections.abc import Sequence
from typing import Any

from attention_explain.archives import open_archive
from attention_explain.explore.open_model import OpenModel
from attention_explain.explore.open_text import GivenText
from tests.builders import model, reader
from tests.pairs import pair_model, pair_reader

WORDS = ("the", "acting", "was", "superb", "and", "the", "plot", "never", "drags")
METHODS = ["attention", "gradient-x-input", "leave-one-out"]


def opened(encoder: str = "bilstm", methods: Sequence[Any] = METHODS, **options: Any) -> OpenModel:
    return OpenModel("tiny", model(encoder, **options), reader(), methods)


def opened_pairs(methods: Sequence[Any] = METHODS) -> OpenModel:
    return OpenModel("pairs", pair_model(), pair_reader(), methods)


def opened_folder(folder: Any, methods: Sequence[Any] = METHODS) -> OpenModel:
    archive = open_archive(folder)
    return OpenModel("folder", archive.model, archive.validation_dataset_reader, methods)


def given(words: Sequence[str] = WORDS, **options: Any) -> GivenText:
    return GivenText(words=tuple(words), **options)
