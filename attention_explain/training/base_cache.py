"""
The outputs of a base model, kept on disk: a sweep of adversaries against one base computes them
once. A file is found by what is in the archive and in the texts, so that it cannot go stale.
"""

import hashlib
import logging
from pathlib import Path
from typing import Optional, Sequence

import pyarrow
from allennlp.common.checks import ConfigurationError
from filelock import FileLock

from attention_explain.archives import archive_sha256
from attention_explain.data.sources import local_path
from attention_explain.errors import InputError
from attention_explain.files.sealed import Damaged, read_sealed, write_sealed
from attention_explain.output import writing
from attention_explain.training.base_model import BaseModel
from attention_explain.training.base_text import Text

logger = logging.getLogger(__name__)

FOLDER = "base_outputs"


def cached_outputs(
    base: BaseModel, texts: Sequence[Text], folder: Optional[str] = None
) -> pyarrow.Table:
    """
    What `base.outputs` gives, from the folder if it is there, which is one beside the archive
    unless named. Of several processes that want the same, one computes it.
    """
    place = Path(folder).expanduser() if folder else _beside(base)
    path = place / f"{archive_sha256(base.path)[:16]}-{_texts_sha256(texts)[:16]}.parquet"
    if (kept := _read(path)) is not None:
        return kept
    try:
        place.mkdir(parents=True, exist_ok=True)
        with FileLock(place / f".{path.name}.lock"):
            if (kept := _read(path)) is not None:
                return kept
            return _written(base.outputs(texts), path)
    except OSError as error:
        # A shared, read-only base is no reason not to train.
        logger.warning("%s: outputs of the base are not kept (%s)", place, error)
        return base.outputs(texts)


def _beside(base: BaseModel) -> Path:
    place = local_path(base.path)
    return (place if place.is_dir() else place.parent) / FOLDER


def _read(path: Path) -> Optional[pyarrow.Table]:
    if not path.exists():
        return None
    try:
        return read_sealed(path)
    except Damaged as error:
        logger.warning("%s; it is computed again", error)
        return None


def _written(table: pyarrow.Table, path: Path) -> pyarrow.Table:
    try:
        with writing(path) as unfinished:
            write_sealed(table, unfinished)
    except (ConfigurationError, InputError) as error:
        logger.warning("%s", error)
    return table


def _texts_sha256(texts: Sequence[Text]) -> str:
    return hashlib.sha256(b"".join(text.key for text in texts)).hexdigest()
