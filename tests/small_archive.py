"""A model archive as `allennlp train` leaves it, but with random weights and at no cost."""

import io
import json
import tarfile
from pathlib import Path
from typing import Any, Callable, Dict, Optional, Union

import torch
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model, archive_model

from tests.builders import DIM, ENCODERS, params

PLANTED = {"type": "planted", "sizes": {"train": 40, "dev": 10, "test": 24}}


def small_archive(
    folder: Path,
    encoder: Union[str, Dict[str, Any]] = "bilstm",
    reader: Optional[Dict[str, Any]] = None,
    train: str = "train",
    **model_options: Any,
) -> Path:
    """The archive of a model over the words of `train`; `folder` is the training run's."""
    config = {
        "dataset_reader": reader or PLANTED,
        "train_data_path": train,
        "model": {
            "type": "attention_classifier",
            "text_field_embedder": {
                "token_embedders": {"tokens": {"type": "embedding", "embedding_dim": DIM}}
            },
            "encoder": ENCODERS[encoder] if isinstance(encoder, str) else encoder,
            # Some tests have two texts, one of each label.
            "min_label_count": 1,
            **model_options,
        },
    }
    made = DatasetReader.from_params(params(config["dataset_reader"]))
    texts = list(made.read(train))
    for text in texts:
        made.apply_token_indexers(text)
    vocab = Vocabulary.from_instances(texts)
    torch.manual_seed(3)
    model = Model.from_params(params(config["model"]), vocab=vocab)
    folder.mkdir(parents=True, exist_ok=True)
    Params(json.loads(json.dumps(config))).to_file(str(folder / "config.json"))
    vocab.save_to_files(str(folder / "vocabulary"))
    torch.save(model.state_dict(), folder / "best.th")
    return Path(archive_model(folder))


def archived(run: Path, path: Path, config: Any = None, **more: tarfile.TarInfo) -> Path:
    """An archive of the run, maybe with another config (text or object) and more members."""
    with tarfile.open(path, "w:gz") as archive:
        archive.add(run / "best.th", "weights.th")
        archive.add(run / "vocabulary", "vocabulary")
        if config is None:
            config = (run / "config.json").read_text()
        add(archive, "config.json", config if isinstance(config, str) else json.dumps(config))
        for member in more.values():
            archive.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def add(archive: tarfile.TarFile, name: str, text: str) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(text.encode())
    archive.addfile(member, io.BytesIO(text.encode()))


def changed(run: Path, change: Callable[[Dict[str, Any]], Any]) -> Dict[str, Any]:
    config = json.loads((run / "config.json").read_text())
    change(config)
    return config
