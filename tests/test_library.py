"""The Python interface: models in memory, texts of any kind, and results that equal those of the commands."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pandas
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline

import attention_explain as ax
import attention_explain.plugin
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.faithfulness import faithfulness_from_file
from attention_explain.errors import InputError
from attention_explain.files.attributions import FORMAT
from attention_explain.interpret.interpreter import known_interpreters
from tests.builders import TEXTS, model, reader
from tests.small_archive import small_archive
from tests.tiny_transformers import save_tiny_transformer

METHODS = ["attention", "integrated-gradients", "random"]
PIECES = ["a dull film", "the acting was superb, fine", "fine acting"]
PUBLIC = [
    *(
        "AttentionVerdict",
        "Evaluations",
        "Explanation",
        "Explanations",
        "InputError",
        "LoadedModel",
    ),
    *("TextClassifier", "explain", "load", "plot", "read"),
]


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    lines = [json.dumps({"text": text, "label": label}) for text, label in zip(TEXTS, "0110")]
    (folder / "train.jsonl").write_text("\n".join(lines))
    train = str(folder / "train.jsonl")
    return small_archive(folder / "run", reader={"type": "attention_text"}, train=train)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("transformers") / "bert"
    save_tiny_transformer(path)
    return path


@pytest.fixture
def bert(folder) -> tuple[Any, Any]:
    """A classifier of transformers and its tokenizer."""
    own = AutoModelForSequenceClassification.from_pretrained(folder)
    return own, AutoTokenizer.from_pretrained(folder)


@pytest.fixture
def loaded(archive) -> ax.LoadedModel:
    return ax.load(archive)


@pytest.fixture
def data(tmp_path) -> Path:
    lines = [
        {"id": f"id-{number}", "text": text, "label": "01"[number % 2]}
        for number, text in enumerate(TEXTS)
    ]
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


class Network(torch.nn.Module):
    def __init__(self, words: int = 20) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(words, 5)
        self.hidden = torch.nn.Linear(5, 4)
        self.output = torch.nn.Linear(4, 2)


class Adapter:
    """An adapter with attention."""

    labels = ("bad", "good")
    symbols = {"pad": 0, "unk": 1}

    def __init__(self) -> None:
        torch.manual_seed(3)
        self.module = Network()

    def tokenize(self, text):
        return text.split()

    def index(self, tokens):
        return [2 + len(token) % 18 for token in tokens]

    def embed(self, ids):
        return self.module.embedding(ids)

    def attention(self, embeddings, mask):
        scores = self.module.hidden(embeddings).sum(dim=-1)
        return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)

    def logits(self, embeddings, mask):
        states = torch.tanh(self.module.hidden(embeddings))
        weights = self.attention(embeddings, mask).unsqueeze(1)
        return self.module.output((weights @ states).squeeze(1))


# Names and start ------------------------------------------------------------------------------------


def test_the_public_names_are_stable():
    assert ax.__all__ == PUBLIC
    assert all(getattr(ax, name).__doc__ for name in PUBLIC)
    assert set(PUBLIC) <= set(dir(ax))


def test_importing_the_package_loads_neither_torch_nor_allennlp():
    code = (
        "import sys, time; start = time.process_time(); import attention_explain; "
        "took = time.process_time() - start; "
        "loaded = {'torch', 'allennlp', 'pandas', 'matplotlib'} & set(sys.modules); "
        "assert not loaded, loaded; assert took < 0.3, took"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# Loading --------------------------------------------------------------------------------------------


def test_a_model_in_memory_is_explained_like_its_folder(folder, bert):
    own, tokenizer = bert
    expected = ax.load(folder).attribute(PIECES, METHODS, progress=False)
    sources = [
        ax.load(own, tokenizer),
        ax.load(pipeline("text-classification", own, tokenizer=tokenizer)),
    ]
    for source in sources:
        found = source.attribute(PIECES, METHODS, progress=False)
        assert found.table.equals(expected.table)
        assert found.metadata["weights_sha256"] == expected.metadata["weights_sha256"]
    parameters = {id(each) for each in own.parameters()}
    assert parameters == {id(each) for each in sources[0].model.parameters()}


def test_a_model_of_allennlp_needs_its_reader():
    classifier = model()
    explanations = ax.load(classifier, dataset_reader=reader()).attribute(
        TEXTS, METHODS, progress=False
    )
    assert explanations[0].tokens == TEXTS[0].split()
    with pytest.raises(InputError, match="needs the dataset_reader"):
        ax.load(classifier)


def test_any_classifier_can_be_adapted():
    adapted = ax.load(Adapter())
    explanations = adapted.attribute(TEXTS, progress=False)
    assert {"attention", "integrated-gradients", "leave-one-out"} <= set(explanations.methods)
    assert "lrp" in " ".join(explanations.left_out)
    weights = Adapter().attention(
        Adapter().embed(torch.tensor([Adapter().index(TEXTS[3].split())])), torch.ones(1, 11) > 0
    )
    assert explanations[3].scores["attention"] == pytest.approx(weights[0].tolist(), abs=1e-6)
    scores = explanations.evaluate(["comprehensiveness"], progress=False)
    assert set(scores.to_frame()["erasure"].dropna()) == {"delete", "zero", "unk"}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"labels": ["good"]}, "two or more different strings"),
        ({"tokenize": lambda text: text}, "'tokenize' must return a list of strings"),
        ({"index": lambda tokens: [1]}, "'index' must return a list of 14 integers"),
        ({"embed": lambda ids: torch.zeros(2)}, r"'embed' must return .* and returns shape \(2,\)"),
        (
            {"logits": lambda e, m: torch.zeros(1, 3)},
            r"'logits' must return .* returns shape \(1, 3\)",
        ),
        ({"logits": lambda e, m: e.sum(dim=1)[:, :2]}, "Padding, .*, must not change the output"),
        ({"states": lambda e, m: e[:, 0]}, "'states' must return a value per token"),
    ],
)
def test_an_adapter_is_checked_with_one_text(change, message):
    adapter = Adapter()
    for name, value in change.items():
        setattr(adapter, name, value)
    with pytest.raises(InputError, match=message):
        ax.load(adapter)


def test_what_is_no_model_is_an_error(bert):
    own, tokenizer = bert
    with pytest.raises(InputError, match="does not say how it reads texts. Pass an adapter"):
        ax.load(torch.nn.Linear(1, 1))
    with pytest.raises(InputError, match="load takes the path of a model"):
        ax.load(7)
    with pytest.raises(InputError, match="needs its tokenizer"):
        ax.load(own)
    with pytest.raises(InputError, match="a BertModel is not a classifier of texts"):
        ax.load(own.base_model, tokenizer)
    with pytest.raises(InputError, match="overrides change what is loaded from a path"):
        ax.load(own, tokenizer, overrides={"model": {}})


def test_a_tokenizer_of_another_model_is_an_error(bert):
    own, tokenizer = bert
    tokenizer.add_tokens(["another"])
    with pytest.raises(InputError, match="its tokenizer has 17 pieces .* embeddings for 16"):
        ax.load(own, tokenizer)


def test_a_model_without_weights_is_an_error(bert):
    own, tokenizer = bert
    with pytest.raises(InputError, match="device 'meta'"):
        ax.load(own.to("meta"), tokenizer)


def test_a_model_in_half_precision_is_copied(bert):
    own, tokenizer = bert
    explanations = ax.load(own.bfloat16(), tokenizer).attribute(PIECES[:1], METHODS, progress=False)
    assert next(own.parameters()).dtype == torch.bfloat16
    assert numpy.isfinite(explanations[0].scores["integrated-gradients"]).all()


# Explaining -----------------------------------------------------------------------------------------


def test_the_result_is_the_file_of_the_command(archive, loaded, data, tmp_path):
    attribute_from_file(str(archive), str(data), tmp_path / "command.parquet", METHODS)
    expected, metadata = FORMAT.read(tmp_path / "command.parquet")
    records = [json.loads(line) for line in data.read_text().splitlines()]
    for texts in (data, records):
        explanations = loaded.attribute(texts, METHODS, progress=False)
        assert explanations.table.equals(expected)
        explanations.save(tmp_path / "mine.parquet", force=True)
        table, own = FORMAT.read(tmp_path / "mine.parquet")
        assert table.equals(expected)
        for name in metadata.keys() - {"data", "seconds", "texts"}:
            assert own[name] == metadata[name], name
    read = ax.read(tmp_path / "mine.parquet")
    assert [each.to_dict() for each in read] == [each.to_dict() for each in explanations]


def test_faithfulness_is_that_of_the_command(archive, loaded, data, tmp_path):
    attribute_from_file(str(archive), str(data), tmp_path / "a.parquet", METHODS)
    measures = ["comprehensiveness", "sufficiency"]
    faithfulness_from_file(
        str(archive), str(tmp_path / "a.parquet"), tmp_path / "f.parquet", measures=measures
    )
    expected = ax.read(tmp_path / "f.parquet")
    explanations = loaded.attribute(data, METHODS, progress=False)
    for found in (explanations, ax.read(tmp_path / "a.parquet")):
        assert found.evaluate(measures, progress=False).table.equals(expected.table)
    assert expected.measures[0] == "comprehensiveness" and "score" in expected.summary()


@pytest.mark.parametrize(
    "kind",
    [list, tuple, iter, pandas.Series, numpy.array, lambda texts: (text for text in texts)],
    ids=["list", "tuple", "iterator", "series", "array", "generator"],
)
def test_texts_come_in_any_iterable(loaded, kind):
    explanations = loaded.attribute(kind(TEXTS), ["random"], progress=False)
    assert [each.tokens for each in explanations] == [text.split() for text in TEXTS]
    assert [each.id for each in explanations] == ["text-1", "text-2", "text-3", "text-4"]


def test_labels_may_be_names_or_numbers(folder):
    own = ax.load(folder)
    named = own.attribute(PIECES, ["random"], labels=["neg", "pos", "neg"], progress=False)
    numbered = own.attribute(PIECES, ["random"], labels=numpy.array([0, 1, 0]), progress=False)
    assert [each.gold for each in named] == ["neg", "pos", "neg"]
    assert numbered.table.equals(named.table)


@pytest.mark.parametrize(
    "texts, options, message",
    [
        ([], {}, "texts is empty"),
        (None, {}, "texts is a NoneType"),
        (7, {}, "texts is a int"),
        ("a film", {}, "texts is a single string.* pass .text."),
        ({"text": "a"}, {}, "texts is a dict"),
        (pandas.DataFrame({"text": ["a"]}), {}, "texts is a DataFrame"),
        (["a", None], {}, "text 2 is None"),
        (["a", 3.0], {}, "text 2 is 3.0"),
        (["a", float("nan")], {}, "text 2 is nan"),
        (["a", " "], {}, "text 2: the text is empty"),
        (["a"], {"labels": ["0", "1"]}, "there are 2 labels for 1 texts"),
        (["a"], {"labels": ["good"]}, "'good', which is not one of the labels"),
        (["a"], {"methods": ["lrx"]}, "there is no interpreter 'lrx'"),
        (["a"], {"target": "good"}, "target is 'good'"),
        ([{"text": "a", "id": "x"}, {"text": "b", "id": "x"}], {}, "2 texts have the id 'x'"),
        (["a"], {"save": "mine.csv"}, "mine.csv: the output is a parquet file"),
    ],
)
def test_bad_input_is_an_error(loaded, texts, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        loaded.attribute(texts, **{"methods": ["random"], **options}, progress=False)


def test_a_text_that_is_too_long_is_an_error_unless_it_may_be_cut(folder):
    own, text = ax.load(folder), "a film " * 40
    with pytest.raises(InputError, match="text 2: is longer than what the model reads"):
        own.attribute(["a film", text], ["random"], progress=False)
    explanations = own.attribute(["a film", text], ["random"], cut=True, progress=False)
    assert 2 < len(explanations[1].tokens) < 80


# Files ----------------------------------------------------------------------------------------------


def test_interrupted_work_continues(loaded, tmp_path, monkeypatch, capsys):
    from attention_explain.interpret.explainer import Explainer

    monkeypatch.setattr("attention_explain.commands.batches.CHUNK_COST", 1)
    texts = [f"{text} {number}" for number in range(3) for text in TEXTS]
    output, done = tmp_path / "mine.parquet", []
    batch = Explainer.explain_batch

    def interrupted(self, instances, *rest):
        done.append(len(instances))
        if len(done) == 5:
            raise KeyboardInterrupt
        return batch(self, instances, *rest)

    monkeypatch.setattr(Explainer, "explain_batch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        loaded.attribute(texts, ["attention"], save=output, progress=False)
    assert "the same call continues from there" in capsys.readouterr().err
    before = sum(done)
    found = loaded.attribute(texts, ["attention"], save=output, progress=False)
    # The rehearsal, and what was not done before.
    assert sum(done) - before == len(texts) - 3 + 1
    assert found.table.equals(loaded.attribute(texts, ["attention"], progress=False).table)
    # A complete file is read.
    monkeypatch.setattr(Explainer, "explain_batch", None)
    assert loaded.attribute(texts, ["attention"], save=output, progress=False).table.equals(
        found.table
    )
    with pytest.raises(InputError, match="was made with other texts"):
        loaded.attribute(texts[:1], ["attention"], save=output, progress=False)


def test_what_is_read_is_a_file_of_ours(tmp_path):
    (tmp_path / "other.parquet").write_text("no parquet")
    with pytest.raises(InputError, match="no such file or folder"):
        ax.read(tmp_path / "absent.parquet")
    with pytest.raises(InputError, match="not the folder of a verdict"):
        ax.read(tmp_path)
    with pytest.raises(InputError, match="neither an attribution file"):
        ax.read(tmp_path / "other.parquet")


# Results --------------------------------------------------------------------------------------------


def test_explanations_show_themselves(loaded):
    explanations = loaded.attribute(2 * TEXTS, ["attention", "random"], progress=False)
    assert repr(explanations) == "<Explanations: 8 texts by attention, random>"
    assert "and 3 more" in explanations._repr_html_() and "superb" in explanations._repr_html_()
    assert str(explanations[0]).startswith("predicted ") and repr(explanations[0]) == str(
        explanations[0]
    )
    assert explanations[0].verdict().tokens == 3
    assert explanations[-1].id == "text-8" and len(explanations[2:4]) == 2
    with pytest.raises(IndexError):
        explanations[8]
    frame = explanations.to_frame("token")
    assert len(frame) == sum(len(text.split()) for text in 2 * TEXTS)
    assert frame["attention"].tolist()[:3] == explanations[0].scores["attention"]


def test_top_words_are_means_of_shares(loaded):
    texts = ["a good film", "a fine good thing", "good", "nothing good here at all"]
    explanations = loaded.attribute(texts, ["gradient"], target="1", progress=False)
    expected = []
    for each in explanations:
        scores = numpy.array(each.scores["gradient"])
        expected.append(scores[each.tokens.index("good")] / scores.sum())
    frame = explanations.top_words("1")
    assert frame["word"].tolist() == ["good"] and frame["texts"].tolist() == [4]
    assert frame["mean"][0] == pytest.approx(numpy.mean(expected))
    assert frame["low"][0] < frame["mean"][0] < frame["high"][0]
    assert explanations.top_words("0").empty
    with pytest.raises(InputError, match="label is 'good'"):
        explanations.top_words("good")


def test_results_are_plotted(loaded, tmp_path):
    explanations = loaded.attribute(TEXTS, ["attention", "gradient-x-input"], progress=False)
    scores = explanations.evaluate(["comprehensiveness"], ["attention"], ["delete"], progress=False)
    for result in (explanations[1], scores):
        figure = ax.plot(result, save=tmp_path / "figure.png")
        assert figure.axes and (tmp_path / "figure.png").stat().st_size > 1000
        (tmp_path / "figure.png").unlink()
    assert "comprehensiveness" in str(scores) and "<svg" in scores._repr_html_()
    with pytest.raises(InputError, match="plot takes an Explanation"):
        ax.plot(explanations)


def test_the_verdict_is_that_of_the_command(loaded, tmp_path):
    texts = [f"{text} {number}" for number in range(6) for text in TEXTS]
    verdict = loaded.verdict(texts, methods=["gradient"], quick=True, progress=False)
    assert verdict.answer in ("yes", "no", "partly", "inconclusive")
    assert verdict.headline in str(verdict) and verdict.headline in repr(verdict)
    verdict.save(tmp_path / "verdict")
    stated = json.loads((tmp_path / "verdict" / "verdict.json").read_text())
    assert stated["attention"]["answer"] == verdict.answer
    assert stated["recommended"]["method"] == verdict.recommended
    read = ax.read(tmp_path / "verdict")
    assert read.headline == verdict.headline and read.to_frame().equals(verdict.to_frame())
    with pytest.raises(InputError, match="exists already"):
        verdict.save(tmp_path / "verdict")


# The model of the caller ----------------------------------------------------------------------------


def state_of(module: torch.nn.Module) -> dict[str, Any]:
    """Everything about a model that a caller could notice."""
    hooks = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return {
        "mode": [each.training for each in module.modules()],
        "hooks": [len(getattr(each, name)) for each in module.modules() for name in hooks],
        "attributes": [sorted(vars(each)) for each in module.modules()],
        "weights": [
            (each.dtype, each.device, each.requires_grad, each.sum().item(), id(each.grad))
            for each in module.parameters()
        ],
        "config": getattr(getattr(module, "config", None), "to_json_string", lambda: None)(),
    }


@pytest.mark.parametrize("method", known_interpreters())
def test_a_model_in_memory_is_left_as_it_was(bert, method, monkeypatch):
    own, tokenizer = bert
    own.train()
    own.bert.encoder.layer[0].eval()
    next(own.parameters()).requires_grad_(False)
    own.classifier.weight.grad = torch.ones_like(own.classifier.weight)
    before, random = state_of(own), torch.random.get_rng_state()
    loaded = ax.load(own, tokenizer)
    assert state_of(own) == before
    try:
        with torch.no_grad():
            loaded.attribute(PIECES, [method], progress=False)
    except InputError as error:
        assert "it needs" in error.message
    assert state_of(own) == before
    assert torch.equal(random, torch.random.get_rng_state())


@pytest.mark.parametrize("passed", [0, 1], ids=["in-the-prediction", "in-the-method"])
@pytest.mark.parametrize("method", known_interpreters())
def test_a_model_is_left_as_it_was_after_an_error(bert, method, passed, monkeypatch):
    own, tokenizer = bert
    loaded, before = ax.load(own.train(), tokenizer), state_of(own)
    calls = []

    def fail(*arguments, **options):
        raise RuntimeError("out of memory")

    def fail_later(*arguments):
        calls.append(arguments)
        if len(calls) > passed:
            fail()

    handle = own.classifier.register_forward_pre_hook(fail_later)
    with monkeypatch.context() as patched:
        patched.setattr(torch.autograd, "grad", fail)
        try:
            loaded.attribute(PIECES, [method], progress=False)
        except (InputError, RuntimeError) as error:
            assert "it needs" in str(error) or "out of memory" in str(error)
        else:
            assert passed, "the prediction did not fail"
    handle.remove()
    assert state_of(own) == before
