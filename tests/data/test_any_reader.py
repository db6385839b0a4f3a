"""Models over dataset readers that are not this project's are explained as those over ours."""

import json

import pyarrow.parquet
import pytest
from allennlp.data import Instance
from allennlp.data.fields import LabelField, MetadataField, TextField
from allennlp.data.tokenizers import Token
from allennlp.predictors import Predictor

from attention_explain.api import explain
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.perturb import perturb_from_file
from attention_explain.data.any_reader import complete, spread_evenly
from attention_explain.errors import InputError
from tests.builders import LABELS, TEXTS
from tests.small_archive import small_archive

METHODS = ["attention", "gradient-x-input", "random"]
ALLENNLP = {"type": "text_classification_json", "tokenizer": "whitespace"}
OURS = {"type": "attention_text", "tokenizer": "whitespace"}


def write(path, texts=TEXTS, labels=LABELS, **more):
    lines = [
        json.dumps({"text": text, "label": label, **{name: f(n) for name, f in more.items()}})
        for n, (text, label) in enumerate(zip(texts, labels))
    ]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write(tmp_path_factory.mktemp("data") / "texts.jsonl")


@pytest.fixture(scope="module")
def archives(tmp_path_factory, data):
    """The same model over the same texts, by AllenNLP's reader and by ours."""
    folder = tmp_path_factory.mktemp("archives")
    return [
        small_archive(folder / name, reader=reader, train=data)
        for name, reader in (("allennlp", ALLENNLP), ("ours", OURS))
    ]


def rows(write_file, archive, path, **options):
    write_file(str(archive), **options, output_file=path)
    return pyarrow.parquet.read_table(path).to_pylist()


@pytest.mark.parametrize(
    "command, options",
    [
        (attribute_from_file, {"interpreters": METHODS[:2]}),
        (perturb_from_file, {"perturbations": ["uniform"]}),
    ],
    ids=["attribute", "perturb"],
)
def test_commands_give_what_they_give_with_our_reader(command, options, archives, data, tmp_path):
    made = [
        rows(command, archive, tmp_path / f"{number}.parquet", data=data, **options)
        for number, archive in enumerate(archives)
    ]
    assert [row.pop("id") for row in made[0]] == ["text-1", "text-2", "text-3", "text-4"]
    assert [row.pop("id") for row in made[1]] == ["line-1", "line-2", "line-3", "line-4"]
    assert made[0] == made[1]
    assert [row["tokens"] for row in made[0]] == [text.split() for text in TEXTS]


def test_predicted_lines_are_those_of_our_reader(archives):
    lines = [json.dumps({"text": TEXTS[1], "id": "mine"}), TEXTS[0], json.dumps({"text": "fine"})]
    predicted = []
    for archive in archives:
        predictor = Predictor.from_path(archive, import_plugins=False, interpreters=METHODS)
        predicted.append(predictor.predict_batch_json([predictor.load_line(s) for s in lines]))
    assert predicted[0] == predicted[1]
    assert [row["id"] for row in predicted[0]] == ["mine", "line-2", "line-3"]


def test_instances_of_the_reader_are_numbered_over_all_batches(archives, data):
    predictor = Predictor.from_path(archives[0], import_plugins=False, interpreters=METHODS)
    texts = list(predictor._dataset_reader.read(data))
    batches = [predictor.predict_batch_instance(texts[:3]), [predictor.predict_instance(texts[3])]]
    ids = [row["id"] for batch in batches for row in batch]
    assert ids == ["text-1", "text-2", "text-3", "text-4"]


def test_explained_from_python(archives):
    one, other = (explain(archive, TEXTS[3], METHODS).to_dict() for archive in archives)
    assert one == other
    with pytest.raises(InputError, match="needs 'text' to read a single text"):
        explain(archives[0], ["as", "tokens"])


def test_texts_of_two_interleaved_files(tmp_path):
    paths = {
        name: write(tmp_path / f"{name}.jsonl", id=lambda n, name=name: f"{name}-{n}")
        for name in ("a", "b")
    }
    both = json.dumps(paths)
    reader = {"type": "interleaving", "readers": {"a": dict(OURS), "b": dict(OURS)}}
    archive = small_archive(tmp_path / "run", reader=reader, train=both)
    made = rows(
        attribute_from_file, archive, tmp_path / "x.parquet", data=both, interpreters=METHODS
    )
    assert [row["id"] for row in made[:3]] == ["a-0", "b-0", "a-1"] and len(made) == 8
    predictor = Predictor.from_path(archive, import_plugins=False)
    texts = list(predictor._dataset_reader.read(both))
    assert len(predictor._model.forward_on_instances(texts)) == 8
    with pytest.raises(InputError, match="needs 'dataset_key' to read a single text"):
        predictor.predict_json({"text": "a dull film"})


def test_ids_that_come_twice_are_rejected(tmp_path):
    path = write(tmp_path / "texts.jsonl")
    both = json.dumps({"a": path, "b": path})
    reader = {"type": "interleaving", "readers": {"a": dict(OURS), "b": dict(OURS)}}
    archive = small_archive(tmp_path / "run", reader=reader, train=both)
    with pytest.raises(InputError, match="2 texts have the id 'line-1'"):
        attribute_from_file(str(archive), both, tmp_path / "x.parquet", METHODS)


@pytest.mark.parametrize(
    "text, label, sentence",
    [
        ("a film", "good", r"texts.jsonl, text-1: field 'label' is 'good', which is not one of"),
        ("", "1", r"texts.jsonl, text-1: the text is empty"),
    ],
)
def test_what_is_wrong_with_a_text_names_it(archives, tmp_path, text, label, sentence):
    data = write(tmp_path / "texts.jsonl", [text], [label])
    with pytest.raises(InputError, match=sentence):
        attribute_from_file(str(archives[0]), data, tmp_path / "x.parquet", METHODS)


def test_what_a_reader_says_itself_stays():
    said = MetadataField({"id": "its own", "source": "x"})
    instance = Instance({"tokens": TextField([Token("fine")]), "metadata": said})
    known = complete(instance, "text-1")["metadata"].metadata
    assert known == {"id": "its own", "source": "x", "tokens": ["fine"]}
    with pytest.raises(InputError, match="gives no text 'tokens', but 'label', a LabelF"):
        complete(Instance({"label": LabelField("1")}), "text-1")


@pytest.mark.parametrize("number, limit", [(1000, 100), (1000, 200), (999, 100), (7, 6), (8, 4)])
def test_so_many_texts_are_one_of_each_stretch(number, limit):
    positions = spread_evenly(number, limit)
    assert len(positions) == limit
    for index, position in enumerate(positions):
        assert index * number // limit <= position < (index + 1) * number / limit


@pytest.mark.parametrize("limit", [50, 100, 200, 250])
def test_of_stories_with_five_questions_each_question_is_as_frequent(limit):
    counts = [
        sum(position % 5 == which for position in spread_evenly(1000, limit)) for which in range(5)
    ]
    assert max(counts) - min(counts) <= 0.1 * limit


def test_steps_that_differ_are_as_they_were():
    assert spread_evenly(11, 4) == [0, 2, 5, 8]
