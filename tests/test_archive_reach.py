"""What an archive may reach while it is opened: its own files and the listed types, nothing else."""

import json
import shutil
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest
from allennlp.common import Registrable
from allennlp.data import Tokenizer
from allennlp.models.archival import load_archive

from attention_explain.archive_reach import ALLOWED_TYPES, LIMITED_PACKAGES
from attention_explain.archives import open_archive
from attention_explain.errors import InputError
from attention_explain.pretrained.folders import TransformerFolder
from tests.small_archive import archived, changed, small_archive
from tests.tiny_bert import save_tiny_bert
from tests.workflow.studies import NAMES, experiments

LINES = [
    {"id": str(number), "text": text, "label": str(number % 2)}
    for number, text in enumerate(["a dull film", "a fine film", "one poor plot", "one great plot"])
]
READER = {"type": "attention_text"}
EMBEDDER = ("model", "text_field_embedder", "token_embedders", "tokens")
# Registered types that an archive must not name.
REFUSED_TYPES = {
    "Backbone": {"vilbert", "vilbert_from_huggingface"},
    "DataCollator": {"language_model"},
    "Initializer": {"pretrained"},
    "Metric": {
        "association_without_ground_truth",
        "evalb",
        "independence",
        "nli",
        "separation",
        "sufficiency",
    },
    "Model": {
        "adversarial_bias_mitigator",
        "bias_mitigator_applicator",
        "feedforward_regression_adversary",
        "from_archive",
    },
    "TokenEmbedder": {"elmo_token_embedder"},
}


def write_lines(path: Path) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return str(path)


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> str:
    return write_lines(tmp_path_factory.mktemp("data") / "texts.jsonl")


@pytest.fixture(scope="module")
def run(tmp_path_factory, data) -> Path:
    folder = tmp_path_factory.mktemp("run") / "run"
    return small_archive(folder, reader=READER, train=data).parent


@pytest.fixture
def requests() -> List[str]:
    """The paths that a server on this machine was asked for; its address is the first item."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        do_HEAD = do_GET

        def log_message(self, *arguments: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    asked = [f"http://127.0.0.1:{server.server_port}"]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield asked
    server.shutdown()
    thread.join()
    server.server_close()


def with_value(*keys: str, value: Any) -> Callable[[Dict[str, Any]], None]:
    def change(config: Dict[str, Any]) -> None:
        component = config
        for key in keys[:-1]:
            component = component[key]
        component[keys[-1]] = value

    return change


def hostile(run: Path, folder: Path, *keys: str, value: Any) -> Path:
    return archived(run, folder / "model.tar.gz", changed(run, with_value(*keys, value=value)))


@pytest.fixture
def package(tmp_path, monkeypatch) -> str:
    """An installed package that spaCy takes for a pipeline, and whose code leaves a file."""
    folder = tmp_path / "site-packages"
    (folder / "pipeline_of_mine-1.0.dist-info").mkdir(parents=True)
    (folder / "pipeline_of_mine-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: pipeline_of_mine\nVersion: 1.0\n"
    )
    (folder / "pipeline_of_mine.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
        "def load(**options):\n    import spacy\n    return spacy.blank('en')\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    yield "pipeline_of_mine"
    sys.modules.pop("pipeline_of_mine", None)


@pytest.mark.parametrize("opened", [open_archive, load_archive])
def test_no_spacy_package_is_imported(run, tmp_path, package, opened):
    tokenizer = {"type": "spacy", "language": package}
    path = hostile(run, tmp_path, "dataset_reader", "tokenizer", value=tokenizer)
    with pytest.raises(InputError, match="spaCy pipeline 'pipeline_of_mine'"):
        opened(str(path))
    assert not (tmp_path / "ran").exists()


def test_no_spacy_package_is_installed(run, tmp_path, monkeypatch):
    installed = []
    monkeypatch.setattr("allennlp.common.util.spacy_download", installed.append)
    tokenizer = {"type": "spacy", "language": "not_installed"}
    path = hostile(run, tmp_path, "dataset_reader", "tokenizer", value=tokenizer)
    with pytest.raises(InputError, match="spaCy pipeline 'not_installed'"):
        open_archive(path)
    assert installed == []


def test_the_user_may_name_a_spacy_package(run, tmp_path, package):
    overrides = {"dataset_reader.tokenizer": {"type": "spacy", "language": package}}
    open_archive(run, overrides=overrides)
    assert (tmp_path / "ran").exists()


def test_a_language_code_is_a_blank_pipeline(run, tmp_path):
    tokenizer = {"type": "spacy", "language": "en"}
    path = hostile(run, tmp_path, "dataset_reader", "tokenizer", value=tokenizer)
    split = open_archive(path).dataset_reader._tokenizer.tokenize("it's fine.")
    expected = Tokenizer.by_name("english")().tokenize("it's fine.")
    assert [token.text for token in split] == [token.text for token in expected]


@pytest.mark.parametrize(
    "keys, value",
    [
        (("model",), {"type": "from_archive", "archive_file": "{}/model.tar.gz"}),
        (
            ("model", "encoder"),
            {"_pretrained": {"archive_file": "{}/model.tar.gz", "module_path": "encoder"}},
        ),
        (
            EMBEDDER,
            {"type": "elmo_token_embedder", "options_file": "{}/o", "weight_file": "{}/w"},
        ),
        (
            EMBEDDER,
            {
                "type": "allennlp.modules.token_embedders.ElmoTokenEmbedder",
                "options_file": "{}/o",
                "weight_file": "{}/w",
            },
        ),
        (
            ("model", "vocab"),
            {"type": "from_files", "directory": "{}/vocabulary.tar.gz"},
        ),
    ],
    ids=["from_archive", "_pretrained", "elmo", "elmo by its path", "vocabulary"],
)
def test_no_url_is_contacted_when_an_archive_is_opened(run, tmp_path, requests, keys, value):
    value = json.loads(json.dumps(value).replace("{}", requests[0]))
    path = hostile(run, tmp_path, *keys, value=value)
    with pytest.raises(InputError, match=r"the archive asks for .* --trust-archive"):
        open_archive(path)
    assert requests[1:] == []


@pytest.mark.parametrize(
    "option, value",
    [
        ("held_out", "{}/texts.jsonl"),
        ("guide", ["{}/guide.parquet"]),
        ("erased", {"share": 0.5, "by": "lime", "files": "{}/scores.parquet"}),
    ],
)
def test_no_url_is_contacted_when_texts_are_read(run, tmp_path, data, requests, option, value):
    value = json.loads(json.dumps(value).replace("{}", requests[0]))
    path = hostile(run, tmp_path, "dataset_reader", option, value=value)
    reader = open_archive(path).dataset_reader
    with pytest.raises(InputError, match=rf"'{option}.*not inside the archive"):
        list(reader.read(data))
    assert requests[1:] == []


def test_files_that_the_user_names_or_trusts_are_read(run, tmp_path, data):
    held_out = write_lines(tmp_path / "held_out.jsonl")
    lines = Path(held_out).read_text().splitlines(keepends=True)
    Path(held_out).write_text("".join(lines[:1]))
    path = hostile(run, tmp_path, "dataset_reader", "held_out", value=held_out)
    with pytest.raises(InputError, match="'held_out'"):
        list(open_archive(path).dataset_reader.read(data))
    for options in ({"trust": True}, {"overrides": {"dataset_reader.held_out": [held_out]}}):
        assert len(list(open_archive(path, **options).dataset_reader.read(data))) == 3


def test_commands_do_not_read_other_files(ended, run, tmp_path, data):
    secret = write_lines(tmp_path / "secret.jsonl")
    hostile(run, tmp_path, "dataset_reader", "held_out", value=secret)
    for command in ("attribute", "perturb"):
        code, message = ended(command, "model.tar.gz", data, "-o", "out.parquet")
        assert code == 2 and "secret.jsonl' ('held_out')" in message
    code, message = ended("evaluate", "model.tar.gz", data)
    assert code == 2


def test_evaluate_reads_the_data_that_it_is_given(ended, run, tmp_path, data):
    secret = write_lines(tmp_path / "secret.jsonl")
    loader = {"batch_size": 2, "data_path": secret}
    hostile(run, tmp_path, "data_loader", value=loader)
    code, message = ended("evaluate", "model.tar.gz", data)
    assert code == 2 and "'data_loader.data_path'" in message


def test_an_archive_does_not_choose_the_folder_that_is_written(run, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = hostile(run, tmp_path, "model", "serialization_dir", value=str(elsewhere))
    with pytest.raises(InputError, match="'serialization_dir'"):
        open_archive(path)
    assert not any(elsewhere.iterdir())


@pytest.fixture(scope="module")
def bert(tmp_path_factory) -> str:
    return save_tiny_bert(tmp_path_factory.mktemp("transformer") / "bert")


def transformer(kind: str, name: str, **options: Any) -> Dict[str, Any]:
    return {"type": kind, "model_name": name, **options}


@pytest.mark.parametrize("kind", ["pretrained_transformer", "transformer_pieces"])
def test_a_transformer_elsewhere_on_the_machine_is_not_read(run, tmp_path, bert, kind):
    indexers = {"tokens": transformer(kind, bert)}
    path = hostile(run, tmp_path, "dataset_reader", "token_indexers", value=indexers)
    with pytest.raises(InputError, match="not inside the archive"):
        open_archive(path)
    open_archive(path, trust=True)
    open_archive(path, overrides={"dataset_reader.token_indexers": indexers})


@pytest.mark.parametrize("kind", ["pretrained_transformer", "transformer_pieces"])
def test_the_hub_is_not_contacted(run, tmp_path, monkeypatch, kind):
    contacted = []

    def connect(*arguments: Any, **options: Any) -> None:
        contacted.append(arguments)
        raise OSError("no network in this test")

    monkeypatch.setattr("socket.create_connection", connect)
    monkeypatch.setattr("socket.getaddrinfo", connect)
    monkeypatch.setattr("socket.socket.connect", connect)
    indexers = {"tokens": transformer(kind, "somebody/no-such-model")}
    path = hostile(run, tmp_path, "dataset_reader", "token_indexers", value=indexers)
    with pytest.raises(InputError, match=r"'somebody/no-such-model', which is neither"):
        open_archive(path)
    assert contacted == []


@pytest.mark.parametrize("option", ["weights_only", "vocab_file", "cache_dir", "config"])
def test_options_of_transformers_are_limited(run, tmp_path, option):
    indexer = transformer("pretrained_transformer", "any/name", tokenizer_kwargs={option: "x"})
    path = hostile(run, tmp_path, "dataset_reader", "token_indexers", value={"tokens": indexer})
    with pytest.raises(InputError, match=f"the option '{option}'"):
        open_archive(path)


def test_every_registered_type_is_allowed_or_refused():
    # Not every module of AllenNLP is imported with it.
    for module in ("modules.span_extractors", "fairness", "modules.backbones"):
        import_module(f"allennlp.{module}")
    bases = {base for base in Registrable._registry if base.__name__ in ALLOWED_TYPES}
    assert {base.__name__ for base in bases} == set(ALLOWED_TYPES)
    for base in bases:
        names = {
            name
            for name, (cls, _) in Registrable._registry[base].items()
            if cls.__module__.partition(".")[0] in LIMITED_PACKAGES
        }
        allowed, refused = ALLOWED_TYPES[base.__name__], REFUSED_TYPES.get(base.__name__, set())
        assert not allowed & refused
        assert names <= allowed | refused, base
        assert allowed <= names, base


def test_the_types_of_all_studies_are_allowed():
    allowed = frozenset().union(*ALLOWED_TYPES.values())
    for study in NAMES:
        for runs in experiments(study).runs.values():
            for run in runs.values():
                for name in ("model", "dataset_reader", "validation_dataset_reader"):
                    assert set(types_in(run.config.get(name))) <= allowed


def types_in(value: Any) -> List[str]:
    if isinstance(value, list):
        return [name for each in value for name in types_in(each)]
    if not isinstance(value, dict):
        return []
    own = [value["type"]] if isinstance(value.get("type"), str) else []
    return own + [name for each in value.values() for name in types_in(each)]


def test_an_index_of_weights_names_files_next_to_it(bert, tmp_path):
    folder = Path(shutil.copytree(bert, tmp_path / "bert"))
    for name in ("../weights.safetensors", "/etc/hostname", "a/../../b"):
        index = {"metadata": {}, "weight_map": {"classifier.weight": name}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        with pytest.raises(InputError, match=r"index.json: names .* outside the folder"):
            TransformerFolder.opened(folder)


def test_a_transformer_inside_a_run_reads_no_file_outside_its_folder(run, bert, tmp_path):
    inside = Path(shutil.copytree(run, tmp_path / "run")) / "bert"
    shutil.copytree(bert, inside)
    indexers = {"tokens": transformer("pretrained_transformer", str(inside))}
    config = changed(run, with_value("dataset_reader", "token_indexers", value=indexers))
    (tmp_path / "run" / "config.json").write_text(json.dumps(config))
    open_archive(tmp_path / "run")
    stated = json.loads((inside / "tokenizer_config.json").read_text())
    changed_config = json.dumps({**stated, "vocab_file": "/etc/hostname"})
    (inside / "tokenizer_config.json").write_text(changed_config)
    with pytest.raises(InputError, match=r"'vocab_file' is '/etc/hostname'"):
        open_archive(tmp_path / "run")


def test_a_tokenizer_reads_no_file_outside_its_folder(bert, tmp_path):
    folder = Path(shutil.copytree(bert, tmp_path / "bert"))
    config = folder / "tokenizer_config.json"
    stated = json.loads(config.read_text()) if config.exists() else {}
    config.write_text(json.dumps({**stated, "vocab_file": "/etc/hostname"}))
    with pytest.raises(InputError, match=r"'vocab_file' is '/etc/hostname'"):
        TransformerFolder.opened(folder)
    config.write_text(json.dumps({**stated, "special_tokens_map_file": "/home/who/map.json"}))
    TransformerFolder.opened(folder)
