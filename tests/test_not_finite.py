"""A model whose output is not finite is not explained, perturbed or judged."""

import json
from pathlib import Path

import pytest
import torch
from allennlp.models import archive_model

from attention_explain import explain
from attention_explain.archives import open_archive
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.faithfulness import faithfulness_from_file
from attention_explain.commands.perturb import perturb_from_file
from attention_explain.commands.verdict import verdict_from_files
from attention_explain.errors import InputError
from attention_explain.explore.open_model import OpenModel
from attention_explain.explore.open_text import GivenText
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.small_archive import small_archive

WORDS = ["the", "food", "was", "fine"]
SENTENCE = (
    "output for text .* is not finite .* parameter 'decoder.weight' holds values that are not"
)


def spoil(run: Path, value: float, parameter: str = "decoder.weight") -> str:
    """Make one weight of an archive not finite. Returns the path of the archive."""
    weights = torch.load(run / "best.th")
    weights[parameter].view(-1)[0] = value
    torch.save(weights, run / "best.th")
    return str(archive_model(run))


@pytest.fixture(scope="module", params=[float("nan"), float("inf")], ids=["nan", "inf"])
def archive(request, tmp_path_factory) -> str:
    run = small_archive(tmp_path_factory.mktemp("not-finite") / "run").parent
    return spoil(run, request.param)


def test_attribute_and_perturb_fail_and_write_nothing(archive, tmp_path):
    for command in (attribute_from_file, perturb_from_file):
        with pytest.raises(InputError, match=SENTENCE):
            command(archive, "test", tmp_path / "out.parquet", limit=3)
        assert not (tmp_path / "out.parquet").exists()


def test_faithfulness_fails(archive, tmp_path):
    reader = open_archive(archive).validation_dataset_reader
    texts = [instance["metadata"].metadata for instance in reader.read("test")][:3]
    scores = tmp_path / "scores.jsonl"
    lines = [
        {"id": text["id"], "tokens": text["tokens"], "mine": [1.0] * len(text["tokens"])}
        for text in texts
    ]
    scores.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InputError, match=SENTENCE):
        faithfulness_from_file(archive, str(scores), tmp_path / "out.parquet", data="test")
    assert not (tmp_path / "out.parquet").exists()


def test_verdict_fails(archive, tmp_path):
    with pytest.raises(InputError, match=SENTENCE):
        verdict_from_files([archive], "test", tmp_path / "out", ["gradient"], quick=True, limit=3)
    assert not (tmp_path / "out/verdict.json").exists()


def test_predict_explain_and_explore_fail(archive):
    opened = open_archive(archive)
    reader = opened.validation_dataset_reader
    with pytest.raises(InputError, match=SENTENCE):
        SaliencyPredictor(opened.model, reader).predict_json({"tokens": WORDS})
    with pytest.raises(InputError, match=SENTENCE):
        explain(archive, WORDS)
    with pytest.raises(InputError, match=SENTENCE):
        OpenModel("spoiled", opened.model, reader, ["gradient"]).opened(
            GivenText(words=tuple(WORDS))
        )


@pytest.mark.parametrize("projection", ["sparsemax", "entmax15", "entmax"])
@pytest.mark.parametrize("parameter", ["attention.scorer.weight_layer.weight", "decoder.bias"])
def test_it_does_not_depend_on_the_projection(tmp_path, projection, parameter):
    run = small_archive(tmp_path / "run", attention={"projection": projection}).parent
    archive = spoil(run, float("nan"), parameter)
    with pytest.raises(InputError, match=f"is not finite .* parameter '{parameter}'"):
        attribute_from_file(archive, "test", tmp_path / "out.parquet", ["attention"], limit=3)


def test_overflow_in_finite_weights_is_said_of_the_text(tmp_path):
    run = small_archive(tmp_path / "run").parent
    weights = torch.load(run / "best.th")
    # The sum of the weight and the bias is beyond the largest number.
    weights["decoder.weight"].fill_(3e38)
    weights["decoder.bias"].fill_(3e38)
    weights["attention.scorer.weight_layer.weight"].zero_()
    for name in weights:
        if name.startswith("encoder") and "bias" in name:
            weights[name].fill_(20.0)
    torch.save(weights, run / "best.th")
    with pytest.raises(InputError, match="is not finite .* some are too large"):
        attribute_from_file(str(archive_model(run)), "test", tmp_path / "o.parquet", ["attention"])
