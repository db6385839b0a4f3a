"""What README and docs show as Python or jsonnet runs unchanged."""

import gzip
import json
import re
import sys
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import List, Tuple

import numpy
import pyarrow.parquet
import pytest
import torch
from allennlp.common import Params, Registrable
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

from analysis.measures.measure import Measure
from analysis.measures.scores import Scores
from attention_explain.__main__ import main
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.perturb import perturb_from_file
from attention_explain.data.vocabulary import Split
from attention_explain.errors import InputError
from attention_explain.faithfulness.scores_file import read_scores
from attention_explain.interpret.interpreter import supported_interpreters
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.modules.window_encoders import CnnEncoder
from tests.builders import DIM, ENCODERS, batch, instances, model, reader, vocabulary
from tests.commands_run import PROJECT
from tests.interpret.no_trace import interpreter
from tests.interpret.slow_removal import check_equals_real_removal, deleted
from tests.interpret.test_input_to_hidden import check_equals_state_by_state
from tests.small_archive import small_archive
from tests.tiny_transformers import save_tiny_transformer

PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)


def shown(language: str, *pages: Path) -> List[Tuple[str, str]]:
    """The page and number of each snippet, and the snippet."""
    return [
        (f"{page.name}-{number}", dedent(code))
        for page in pages or PAGES
        for number, (_, found, code) in enumerate(FENCE.findall(page.read_text("utf-8")))
        if found == language
    ]


def each(language: str):
    """One test a snippet."""
    # Studies are no configs of AllenNLP: tests/workflow plans those of their page.
    named = shown(language, *(page for page in PAGES if page.name != "studies.md"))
    return pytest.mark.parametrize("code", [code for _, code in named], ids=[id for id, _ in named])


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """A folder with all that the snippets name."""
    folder = tmp_path_factory.mktemp("docs")
    (folder / "my").mkdir()
    texts = [("A fine film, saved by its music.", "good"), ("The plot is thin.", "bad")]
    lines = "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in 2 * texts)
    for name in ("test.jsonl", "my/train.jsonl", "my/dev.jsonl", "my/test.jsonl"):
        (folder / name).write_text(lines)
    vector = "film" + " 0.5" * 300 + "\n"
    (folder / "wiki.simple.vec.gz").write_bytes(gzip.compress(vector.encode()))
    for run in ("runs/sst", "runs/mine", "runs/reviews"):
        reader = {"type": "attention_text"}
        small_archive(folder / run, reader=reader, train=str(folder / "test.jsonl"))
    save_tiny_transformer(folder / "my" / "bert")
    save_tiny_transformer(folder / "weights" / "all-MiniLM-L6-v2", "bert", hidden_size=384)
    story = "1 Ada is in the attic.\n2 Where is Ada?\tattic\t1\n"
    (folder / "qa1.txt").write_text(story + story.replace("attic", "cellar"))
    small_archive(
        folder / "runs/babi",
        reader={"type": "babi"},
        train=str(folder / "qa1.txt"),
        type="attention_pair_classifier",
        query_encoder={"encoder": dict(ENCODERS["bilstm"])},
    )
    given = str(folder / "runs" / "sst"), str(folder / "test.jsonl")
    attribute_from_file(*given, folder / "sst.parquet", ["attention"])
    adversary = {"type": "instance-adversary", "steps": 2}
    perturb_from_file(*given, folder / "sst.perturbed.parquet", [adversary])
    return folder


@pytest.fixture
def there(files, monkeypatch) -> Path:
    """In that folder, where what a snippet registers or imports is forgotten afterwards."""
    monkeypatch.chdir(files)
    for kind, known in Registrable._registry.items():
        monkeypatch.setitem(Registrable._registry, kind, dict(known))
    monkeypatch.setattr(Measure, "_registry", dict(Measure._registry))
    for name in ("my_methods", "my_parts", "my_model"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return files


def run(code: str) -> None:
    exec(compile(code, "snippet", "exec"), {"__name__": "snippet"})


def only(language: str, containing: str) -> str:
    """The one snippet of all pages that contains these words."""
    (found,) = [code for _, code in shown(language) if containing in code]
    return found


def test_snippets_are_found():
    assert len(shown("python")) >= 7 and len(shown("jsonnet")) >= 9
    # A fence that is not closed, or closed elsewhere, would hide one.
    for page in PAGES:
        opened = re.findall(r"^ *```(?:python|jsonnet)$", page.read_text("utf-8"), re.MULTILINE)
        assert len(opened) == len(shown("python", page)) + len(shown("jsonnet", page)), page


@each("python")
def test_python_runs(code, there, capsys):
    run(code)


@each("jsonnet")
def test_jsonnet_is_a_config_whose_parts_can_be_built(code, there):
    Path("snippet.jsonnet").write_text(code)
    config = Params.from_file("snippet.jsonnet")
    assert config.params
    if "dataset_reader" in config:
        reader = DatasetReader.from_params(config.get("dataset_reader").duplicate())
        if "model" in config and Path(config.get("train_data_path")).exists():
            texts = list(reader.read(config.get("train_data_path")))
            for text in texts:
                reader.apply_token_indexers(text)
            paths = {"train": "train", "dev": "validation", "test": "test"}
            splits = {
                split: Split(reader, config.get(f"{name}_data_path", None))
                for split, name in paths.items()
            }
            vocab = Vocabulary.from_params(
                config.get("vocabulary").duplicate(), instances=texts, training_splits=splits
            )
            Model.from_params(config.get("model").duplicate(), vocab=vocab)


def test_a_method_of_ones_own_is_there_for_the_command(there, monkeypatch):
    Path("my_methods.py").write_text(only("python", "embedding-norm"))
    command = ["attribute", "runs/sst", "test.jsonl", "-o", "own.parquet", "--force"]
    command += ["--interpreters", "embedding-norm", "--include-package", "my_methods"]
    monkeypatch.setattr(sys, "argv", ["allennlp", *command])
    main()
    for row in pyarrow.parquet.read_table("own.parquet").to_pylist():
        assert len(row["embedding-norm"]) == len(row["tokens"]) and min(row["embedding-norm"]) > 0


def test_a_model_of_ones_own_is_trained_explained_and_judged(there, monkeypatch):
    Path("my_model.py").write_text(only("python", "my_classifier"))
    config = only("jsonnet", "my_classifier").replace("own/", "my/")
    Path("own.jsonnet").write_text(config.replace("'+accuracy'", "'+accuracy', num_epochs: 1"))
    commands = [
        ["train", "own.jsonnet", "-s", "runs/own", "-f"],
        ["attribute", "runs/own", "my/test.jsonl", "-o", "own.parquet", "--force"],
        ["faithfulness", "runs/own", "own.parquet", "-o", "own.faithfulness.parquet", "--force"],
    ]
    for command in commands:
        monkeypatch.setattr(sys, "argv", ["allennlp", *command, "--include-package", "my_model"])
        main()
    judged = pyarrow.parquet.read_table("own.faithfulness.parquet").to_pylist()
    methods = {row["method"] for row in judged if row["value"] is not None}
    assert {"gradient-x-input", "integrated-gradients", "occlusion"} <= methods
    assert not {"attention", "lrp"} & methods


def test_a_projection_of_ones_own_is_there_for_configs(there):
    run(only("python", "top_k"))
    attention = {"scorer": "additive", "projection": {"type": "top_k", "k": 2}}
    classifier = model(attention=attention)
    weights = classifier(**batch(classifier.vocab, instances()))["attention"]
    # Of the four texts one has a single token.
    assert (weights > 0).sum(dim=-1).tolist() == [2, 2, 1, 2]
    assert weights.sum(dim=-1).tolist() == pytest.approx([1] * 4)


@pytest.fixture
def own_encoder(there, monkeypatch) -> AttentionClassifier:
    run(only("python", "neighbours"))
    encoder = {"type": "neighbours", "input_dim": DIM, "hidden_dim": 4}
    monkeypatch.setitem(ENCODERS, "neighbours", encoder)
    return model("neighbours", vocab=vocabulary(boundary_symbols=True)).double()


def test_an_encoder_of_ones_own_has_the_methods_that_it_allows(own_encoder):
    check_equals_real_removal("leave-one-out", own_encoder, deleted, bounded=True)
    check_equals_state_by_state(own_encoder, bounded=True)
    # The same as a convolution, whose relevance other tests compare with the definition.
    texts = TextBatch.of(own_encoder, instances(boundary_symbols=True))
    target = torch.zeros(len(texts), dtype=torch.long)
    ours = interpreter("lrp", own_encoder).attribute_batch(texts, target).scores
    layer, convolution = own_encoder.encoder.layer, CnnEncoder(DIM, 4, (3,)).double()
    convolution.activation = torch.nn.Tanh()
    with torch.no_grad():
        convolution.convolutions[0].weight.copy_(layer.weight.unsqueeze(-1).expand(-1, -1, 3))
        convolution.convolutions[0].bias.copy_(layer.bias)
    own_encoder.encoder = convolution
    expected = interpreter("lrp", own_encoder).attribute_batch(texts, target).scores
    torch.testing.assert_close(ours, expected, atol=1e-10, rtol=0)
    assert (ours[texts.attendable] != 0).all()


def test_what_an_encoder_of_ones_own_does_not_allow_is_one_sentence(own_encoder):
    (page,) = [text for page in PAGES if "neighbours" in (text := page.read_text("utf-8"))]
    with pytest.raises(InputError) as rejected:
        interpreter("deeplift", own_encoder)
    assert f"\n> {rejected.value.message}\n" in page
    with pytest.raises(InputError, match=r"layers of self-attention \(transformer\), but"):
        interpreter("attention-rollout", own_encoder)
    methods = ["attention", "lrp", "deeplift", "leave-one-out"]
    supported, left_out = supported_interpreters(methods, own_encoder, reader())
    assert supported == ["attention", "lrp", "leave-one-out"] and list(left_out) == ["deeplift"]


def test_a_measure_of_ones_own_is_there_by_its_name(there):
    run(only("python", "same-top-token"))
    first, second = Scores.of([[1.0, 2.0], [3.0, 1.0]]), Scores.of([[0.0, 5.0], [0.0, 5.0]])
    assert Measure.named("same-top-token")(first, second).value.tolist() == [1, 0]


def test_scores_of_captum_and_shap_are_written_as_they_are_read(tmp_path):
    converters = {}
    exec(only("python", "from_captum"), converters)
    words = [["a", "fine", "film"], ["dull"]]
    attributions = torch.arange(12.0).view(2, 3, 2)
    converters["from_captum"](attributions, ["x", "y"], words, tmp_path / "captum.jsonl")
    found = read_scores(tmp_path / "captum.jsonl").texts
    assert found["x"].tokens == words[0] and found["x"].scores == {"captum": [1.0, 5.0, 9.0]}
    assert found["y"].scores == {"captum": [13.0]}
    explanation = SimpleNamespace(
        data=[["a ", "fine ", "film"], ["dull"]],
        values=[numpy.array([[0, 1], [2, 3], [4, 5]]), numpy.array([[6, 7]])],
    )
    converters["from_shap"](explanation, ["x", "y"], 1, tmp_path / "shap.jsonl")
    found = read_scores(tmp_path / "shap.jsonl").texts
    assert found["x"].tokens == words[0] and found["x"].scores == {"shap": [1.0, 3.0, 5.0]}
    assert found["y"].scores == {"shap": [7.0]}
