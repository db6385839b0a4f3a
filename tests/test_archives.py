"""An archive and its run are told apart from others by what is in them."""

import shutil

import pytest
import torch
from allennlp.models import archival
from allennlp.predictors import Predictor

from attention_explain.api import explain
from attention_explain.archives import archive_sha256, open_archive, weights_sha256
from attention_explain.errors import InputError
from tests.small_archive import small_archive


def test_the_hash_of_a_run_is_that_of_config_weights_and_words(tmp_path):
    archive = small_archive(tmp_path / "run")
    run = archive.parent
    before = archive_sha256(run)
    (run / "metrics.json").write_text("{}")
    shutil.copytree(run, tmp_path / "copy")
    assert archive_sha256(run) == archive_sha256(tmp_path / "copy") == before
    words = run / "vocabulary" / "tokens.txt"
    words.write_text(words.read_text() + "more\n")
    assert archive_sha256(run) != before


def test_the_hash_of_an_archive_is_that_of_the_file(tmp_path):
    archive = small_archive(tmp_path / "run")
    copy = shutil.copy(archive, tmp_path / "other.tar.gz")
    assert archive_sha256(archive) == archive_sha256(str(copy))
    assert archive_sha256(archive) != archive_sha256(archive.parent)


def test_both_can_be_opened(tmp_path):
    archive = small_archive(tmp_path / "run")
    labels = [open_archive(path).model.labels for path in (archive, str(archive.parent))]
    assert sorted(labels[0]) == sorted(labels[1]) == ["0", "1"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize(
    "opened",
    [
        lambda path: explain(path, "a film", cuda_device=0),
        lambda path: Predictor.from_path(path, cuda_device=0, import_plugins=False),
        lambda path: archival.load_archive(path, cuda_device=0),
    ],
    ids=["explain", "Predictor.from_path", "load_archive"],
)
def test_a_gpu_that_is_not_there_is_named_before_anything_is_loaded(opened):
    with pytest.raises(InputError, match="cuda_device is 0, but there is no such GPU here"):
        opened("nowhere")


def test_the_order_of_a_set_in_a_file_is_no_content(tmp_path):
    archive = small_archive(tmp_path)
    before = archive_sha256(archive.parent)
    namespaces = archive.parent / "vocabulary" / "non_padded_namespaces.txt"
    lines = namespaces.read_text().splitlines()
    namespaces.write_text("\n".join(reversed(lines)) + "\n")
    assert len(lines) > 1 and archive_sha256(archive.parent) == before
    namespaces.write_text("\n".join([*lines, "another"]) + "\n")
    assert archive_sha256(archive.parent) != before


def test_the_hash_of_weights_depends_on_nothing_else(tmp_path):
    archive = small_archive(tmp_path / "run")
    model = open_archive(archive).model
    before = weights_sha256(model)
    moved = shutil.copytree(archive.parent, tmp_path / "elsewhere")
    (moved / "model.tar.gz").unlink()
    assert archive_sha256(moved) != archive_sha256(archive)
    assert weights_sha256(open_archive(moved).model) == before
    # The smallest step that a number can take.
    bias = model.decoder.bias
    bias.data[0] = bias.data[0].nextafter(bias.data.new_tensor(9.0))
    assert weights_sha256(model) != before
