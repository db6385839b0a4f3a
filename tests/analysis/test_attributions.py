"""Attribution files from before options were renamed say the same as those of today."""

import pytest

from analysis.attributions import load_attributions
from analysis.models import models_of
from tests.analysis.attribution_files import config, random_rows, write_attributions


def write(path, seed, **parameters):
    method = {"parameters": {"type": "leave-one-out", "measure": "tvd", **parameters}}
    rows = random_rows(5, ["leave-one-out"], seed)
    return write_attributions(
        path, rows, config=config(seed), interpreters={"leave-one-out": method}
    )


@pytest.mark.parametrize("at", ["input", "hidden"])
def test_an_old_file_and_a_new_one_are_two_seeds_of_one_model(tmp_path, at):
    old = write(tmp_path / "old.parquet", 1, of=at, output="probability")
    new = write(tmp_path / "new.parquet", 2, of="probability", at=at)
    files = [load_attributions(old), load_attributions(new)]
    assert files[0].declared == files[1].declared
    (model,) = models_of(files)
    assert len(model.files) == 2


def test_what_was_erased_elsewhere_is_another_model(tmp_path):
    files = [
        load_attributions(write(tmp_path / "one.parquet", 1, of="input", output="probability")),
        load_attributions(write(tmp_path / "two.parquet", 2, of="probability", at="hidden")),
    ]
    assert len(models_of(files)) == 2
