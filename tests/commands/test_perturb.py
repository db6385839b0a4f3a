"""`allennlp perturb`: the file, its metadata, what is rejected, and life after a stop."""

import json
import re
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

from attention_explain import defaults
from attention_explain.__main__ import main
from attention_explain.archives import open_archive
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.job_options import listed_configs
from attention_explain.commands.perturb import perturb_from_file
from attention_explain.counterfactual.perturbation import PERTURBATIONS, Perturber
from attention_explain.data.any_reader import read_instances
from attention_explain.errors import InputError
from attention_explain.files import attributions, perturbations
from tests.commands.stopping import stop_after
from tests.commands_run import PROJECT
from tests.small_archive import small_archive

CONFIGS = [
    {"type": "permutation", "permutations": 7},
    {"type": "instance-adversary", "steps": 5},
    {"type": "instance-adversary", "steps": 5, "keep": "best", "name": "best"},
    "uniform",
    "random",
    "drop-top",
    "removal-order",
]
NAMES = [config if isinstance(config, str) else config["type"] for config in CONFIGS]
NAMES[2] = "best"
# Few tokens, so that the test split of 24 texts falls into many parts.
TOKENS = 60
SETS = sorted((PROJECT / "training_configs/perturbations").glob("*.jsonnet"))


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    return small_archive(tmp_path_factory.mktemp("perturb") / "run")


@pytest.fixture
def perturb(archive, tmp_path):
    """The command, on the test split; the file that it writes."""

    def run(name: str = "out.parquet", **options) -> Path:
        options = {"perturbations": CONFIGS, "batch_tokens": TOKENS, **options}
        perturb_from_file(str(archive), "test", tmp_path / name, **options)
        return tmp_path / name

    return run


def test_one_row_a_text_with_the_fields_of_each_perturbation(archive, perturb):
    opened = open_archive(archive)
    texts = read_instances(opened.validation_dataset_reader, opened.model.vocab, "test")
    expected = Perturber(opened.model, PERTURBATIONS.build(CONFIGS)).perturb(texts)
    table = pyarrow.parquet.read_table(perturb()).to_pylist()
    assert [row["id"] for row in table] == [text["metadata"].metadata["id"] for text in texts]
    for row, text in zip(table, expected, strict=True):
        assert row["tokens"] == text.tokens and row["label"] == text.gold
        assert row["predicted"] == text.label
        assert row["probs"] == pytest.approx(text.probs, abs=1e-6)
        assert row["attention"] == pytest.approx(text.attention, abs=1e-6)
        for name, fields in text.results.items():
            for field, value in fields.items():
                assert row[f"{name}.{field}"] == pytest.approx(value, abs=1e-5)


def test_the_columns_are_those_of_the_contract(perturb):
    schema = pyarrow.parquet.read_schema(perturb())
    floats = "list<element: float>"
    kinds = {field.name: str(field.type) for field in schema}
    assert list(kinds)[:6] == ["id", "tokens", "label", "predicted", "probs", "attention"]
    assert kinds["probs"] == kinds["attention"] == kinds["permutation.tvd"] == floats
    assert kinds["instance-adversary.attention"] == kinds["uniform.probs"] == floats
    assert kinds["best.max_jsd"] == kinds["drop-top.top_tvd"] == "float"
    assert kinds["best.success"] == kinds["removal-order.random_flipped"] == "bool"
    assert sorted({name.split(".")[0] for name in list(kinds)[6:]}) == sorted(NAMES)


def test_metadata_say_where_the_results_come_from(archive, perturb):
    path = perturb(seed=5)
    metadata = perturbations.FORMAT.read_metadata(path)
    assert metadata["format"] == 1 and metadata["archive"] == str(archive)
    assert len(metadata["archive_sha256"]) == len(metadata["data_sha256"]) == 64
    assert metadata["config"]["model"]["type"] == "attention_classifier"
    assert metadata["data"] == "test" and metadata["instances"] == 24
    assert list(metadata["perturbations"]) == NAMES
    options = metadata["perturbations"]["instance-adversary"]["parameters"]
    assert options["steps"] == 5 and options["epsilon"] == 0.05 and options["keep"] == "last"
    assert metadata["seeds"] == {name: 5 for name in NAMES if name != "uniform"}
    assert set(metadata["seconds"]) == set(NAMES) and metadata["reads"] == {}
    table = pyarrow.parquet.read_table(path).to_pylist()
    failures = sum(not row["instance-adversary.success"] for row in table)
    assert metadata["failed"]["instance-adversary"] == failures
    assert metadata["undefined"] == {}


def test_a_perturbation_file_is_not_taken_for_an_attribution_file(perturb):
    with pytest.raises(KeyError):
        attributions.FORMAT.read_metadata(perturb(perturbations=["uniform"]))


def test_failures_and_what_is_undefined_are_counted(tmp_path, capsys):
    reader = {"type": "attention_text", "tokenizer": "just_spaces"}
    train = tmp_path / "train.jsonl"
    train.write_text('{"text": "a b", "label": "x"}\n{"text": "c", "label": "y"}\n')
    archive = small_archive(tmp_path / "run", reader=reader, train=str(train))
    path = tmp_path / "out.parquet"
    configs = [{"type": "instance-adversary", "steps": 2}, "drop-top"]
    metadata = perturb_from_file(str(archive), str(train), path, configs)
    assert metadata["failed"] == {"instance-adversary": 1}
    assert set(metadata["undefined"].values()) == {1}
    printed = capsys.readouterr().err
    assert "instance-adversary found no other attention for 1 of 2 texts" in printed
    assert re.search(r"drop-top is undefined \(.*top_flip.*\) for 1 of 2 texts", printed)
    assert pyarrow.parquet.read_table(path)["drop-top.top_flip"].null_count == 1


def test_it_ends_with_what_was_found(perturb, capsys):
    path = perturb()
    lines = capsys.readouterr().err.splitlines()
    table = pyarrow.parquet.read_table(path).to_pylist()
    flips = sum(row["uniform.flip"] for row in table)
    moved = sum(row["uniform.tvd"] for row in table) / len(table)
    (uniform,) = [line for line in lines[-len(CONFIGS) :] if line.startswith("With uniform")]
    assert f"for {100 * flips / len(table):.0f} % of the texts" in uniform
    assert f"moves by {moved:.2f} on average" in uniform
    assert all(line.endswith(".") and line[0].isupper() for line in lines[-len(CONFIGS) :])


def test_nothing_is_said_of_what_is_undefined_for_all_texts(tmp_path, capsys):
    reader = {"type": "attention_text"}
    train = tmp_path / "train.jsonl"
    train.write_text('{"text": "a", "label": "x"}\n{"text": "c", "label": "y"}\n')
    archive = small_archive(tmp_path / "run", reader=reader, train=str(train))
    perturb_from_file(str(archive), str(train), tmp_path / "out.parquet", ["uniform", "drop-top"])
    printed = capsys.readouterr().err
    assert printed.splitlines()[-1].startswith("With uniform") and "Without" not in printed


def test_the_budget_changes_no_result(perturb):
    one = pyarrow.parquet.read_table(perturb("one.parquet")).to_pylist()
    other = pyarrow.parquet.read_table(perturb("other.parquet", batch_tokens=100000)).to_pylist()
    for row, same in zip(one, other, strict=True):
        assert row == {
            name: pytest.approx(value, abs=1e-5)
            if isinstance(value, float) or name.endswith(("tvd", "probs", "attention"))
            else value
            for name, value in same.items()
        }


def test_a_stopped_run_goes_on_and_ends_as_an_unbroken_one(perturb, monkeypatch, capsys):
    whole = pyarrow.parquet.read_table(perturb("whole.parquet"))
    stop_after(3, Perturber, "perturb_batch", monkeypatch, KeyboardInterrupt())
    with pytest.raises(SystemExit) as end:
        perturb()
    assert end.value.code == 130
    folder = Path(capsys.readouterr().err.split("work is in ")[1].split(";")[0])
    assert len(list(folder.glob("*.parquet"))) == 3 and folder.name == "out.parquet.parts"
    assert not folder.with_name("out.parquet").exists()
    with pytest.raises(
        InputError, match="--perturbations is .* now and was .*; give the same options"
    ):
        perturb(perturbations=["uniform"])

    monkeypatch.undo()
    resumed = pyarrow.parquet.read_table(perturb())
    assert resumed.equals(whole) and not folder.exists()


def test_the_longest_texts_come_first(perturb, monkeypatch):
    lengths = []
    perturb_batch = Perturber.perturb_batch

    def counted(self, given, *rest):
        lengths.append(max(len(text["tokens"]) for text in given))
        return perturb_batch(self, given, *rest)

    monkeypatch.setattr(Perturber, "perturb_batch", counted)
    perturb(perturbations=["uniform"])
    # After the longest a batch from the middle, which tells how long the rest will take.
    first, middle, *rest = lengths
    assert first == max(lengths) and middle < first and len(rest) > 2
    assert rest == sorted(rest, reverse=True)


def test_an_existing_file_is_kept_unless_forced(perturb):
    path = perturb(perturbations=["uniform"])
    content = path.read_bytes()
    with pytest.raises(InputError, match="exists already; give --force to replace it"):
        perturb(perturbations=["random"])
    assert path.read_bytes() == content
    perturb(perturbations=["random"], force=True)
    assert list(perturbations.FORMAT.read_metadata(path)["perturbations"]) == ["random"]


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"perturbations": ["permute"]}, "there is no perturbation 'permute'"),
        ({"perturbations": [{"type": "random", "sed": 1}]}, "perturbation 'random': "),
        ({"limit": 0}, "--limit is 0, but must be 1 or more"),
        ({"batch_tokens": 0}, "--batch-tokens is 0"),
        ({"cuda_device": 3}, "GPU"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(perturb, tmp_path, monkeypatch, options, sentence):
    monkeypatch.setattr(Perturber, "perturb_batch", lambda *given: pytest.fail("work was begun"))
    with pytest.raises(InputError, match=sentence):
        perturb(**options)
    assert not list(tmp_path.iterdir())


def test_attention_comes_from_another_models_attribution_file(archive, perturb, tmp_path):
    other = tmp_path / "other.parquet"
    attribute_from_file(str(archive), "test", other, ["attention"], limit=20)
    config = [{"type": "other-model", "file": str(other)}]
    with pytest.raises(InputError, match=r"other.parquet: has no text with id 'planted"):
        perturb(perturbations=config)
    assert [path.name for path in tmp_path.iterdir()] == ["other.parquet"]
    path = perturb(perturbations=config, limit=20)
    table = pyarrow.parquet.read_table(path).to_pylist()
    # Its own attention: nothing changes.
    assert [row["other-model.tvd"] for row in table] == pytest.approx([0] * 20, abs=1e-6)
    (sha256,) = perturbations.FORMAT.read_metadata(path)["reads"].values()
    assert len(sha256) == 64


def test_an_adversarys_attention_can_be_given_to_a_model(perturb):
    first = perturb("first.parquet", perturbations=[CONFIGS[1]])
    column = "instance-adversary.attention"
    again = perturb(perturbations=[{"type": "other-model", "file": str(first), "column": column}])
    before = pyarrow.parquet.read_table(first)["instance-adversary.tvd"].to_pylist()
    after = pyarrow.parquet.read_table(again)["other-model.tvd"].to_pylist()
    assert after == pytest.approx(before, abs=1e-6)


@pytest.mark.parametrize("path", SETS, ids=[path.stem for path in SETS])
def test_every_set_can_be_built(path, perturb, monkeypatch):
    monkeypatch.setenv("OTHER", str(perturb(perturbations=["uniform"])))
    built = PERTURBATIONS.build(listed_configs([str(path)], "perturbations"))
    if path.stem == "all":
        assert sorted(built) == sorted(defaults.PERTURBATIONS)
    if path.stem == "jain_wallace":
        usual = PERTURBATIONS.build(list(built))
        for name, given in built.items():
            assert PERTURBATIONS.parameters(given) == PERTURBATIONS.parameters(usual[name])


def test_the_command_line(archive, tmp_path, monkeypatch, capsys):
    command = ["perturb", str(archive), "dev", "-o", "out.parquet", "--limit", "4", "--seed", "3"]
    command += ["--perturbations", "uniform", json.dumps({"type": "random", "name": "control"})]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["allennlp", *command])
    main()
    assert perturbations.FORMAT.read_metadata("out.parquet")["seeds"] == {"control": 3}
    assert "out.parquet: 4 texts perturbed in " in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "error: out.parquet: exists already; give --force to replace it"


def test_the_file_of_another_model_is_not_written_over(archive, tmp_path):
    other = tmp_path / "other.parquet"
    weights = {"id": ["1"], "tokens": [["a"]], "attention": [[1.0]]}
    pyarrow.parquet.write_table(pyarrow.table(weights), other)
    before = other.read_bytes()
    reading = [{"type": "other-model", "file": str(other)}]
    with pytest.raises(InputError, match="is an input; give another name for the output"):
        perturb_from_file(str(archive), "test", other, perturbations=reading, force=True)
    assert other.read_bytes() == before
