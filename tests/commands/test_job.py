"""What every job does for its command: here one with several rows per text, and a file that it reads."""

import pyarrow
import pytest

from attention_explain.commands.job import Job
from attention_explain.commands.job_options import JobOptions
from attention_explain.errors import InputError
from attention_explain.files.records import sha256
from attention_explain.files.tables import TableFormat, read_sealed
from tests.commands.stopping import stop_after
from tests.small_archive import small_archive


class Letters(Job):
    """The words of each text and their lengths, one row per word."""

    format = TableFormat(
        name="letter",
        command="allennlp letters",
        key=b"letters",
        columns=(pyarrow.field("id", pyarrow.string()), pyarrow.field("word", pyarrow.string())),
        described=("alphabets",),
        metadata={"case": "of the letters", "said": "before the work", "words": "their number"},
        version=7,
    )
    doing, done = "counting", "counted"
    components = "alphabets"
    parameters = {"latin": {"type": "latin", "seed": 3}}
    declared = {"latin": {"letters": 26}}
    budget = 60

    def __init__(self, options, alphabet):
        super().__init__(options)
        self.reads = [str(alphabet)]

    def open(self, archive):
        assert archive.model.labels

    def settings(self):
        return {"case": "lower"}

    def more_metadata(self):
        return {"said": "before"}

    def columns(self, instances):
        return pyarrow.schema(self.format.columns)

    def results(self, instances, after_step, steps):
        after_step("latin", 0.25)
        return [instance["metadata"].metadata for instance in instances]

    def records(self, text, columns):
        return [{"id": text["id"], "word": word} for word in text["tokens"]]

    def count(self, texts):
        return {"words": sum(len(text["tokens"]) for text in texts)}

    def totals(self, table, counts):
        return {"words": sum(each["words"] for each in counts)}

    def summary(self, table, metadata):
        return [f"  {metadata['words']} words"]


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return small_archive(tmp_path_factory.mktemp("job") / "run")


@pytest.fixture
def alphabet(tmp_path):
    (tmp_path / "alphabet.txt").write_text("abc")
    return tmp_path / "alphabet.txt"


@pytest.fixture
def count(archive, alphabet, tmp_path):
    def run(**options):
        output = options.pop("output_file", tmp_path / "words.parquet")
        return Letters(JobOptions(str(archive), "test", output, **options), alphabet).run()

    return run


def test_several_rows_a_text_are_in_the_order_of_the_data(count, tmp_path, capsys):
    metadata = count()
    table = read_sealed(tmp_path / "words.parquet").to_pylist()
    ids = list(dict.fromkeys(row["id"] for row in table))
    assert len(ids) == metadata["instances"] == 24 and len(table) == metadata["words"] > 48
    # Together, and in order: nothing comes twice.
    assert [row["id"] for row in table] == sorted((row["id"] for row in table), key=ids.index)
    assert f"24 texts counted in {metadata['seconds']['latin']:.1f} s" in capsys.readouterr().err


def test_the_metadata_have_what_the_job_says_and_the_hash_of_what_it_reads(count, alphabet):
    metadata = count()
    assert metadata["format"] == 7 and metadata["case"] == "lower" and metadata["said"] == "before"
    assert metadata["alphabets"]["latin"] == {
        "parameters": {"type": "latin", "seed": 3},
        "letters": 26,
    }
    assert metadata["seeds"] == {"latin": 3}
    assert metadata["reads"] == {str(alphabet): sha256(alphabet)}


def test_another_content_of_the_file_is_another_job(count, alphabet, monkeypatch):
    stop_after(2, Letters, "work", monkeypatch, KeyboardInterrupt())
    with pytest.raises(SystemExit):
        count()
    alphabet.write_text("xyz")
    with pytest.raises(InputError, match="of another command, with other reads"):
        count()


def test_a_file_that_is_read_is_not_written(count, alphabet, tmp_path):
    linked = tmp_path / "linked.parquet"
    linked.hardlink_to(alphabet)
    with pytest.raises(InputError, match="linked.parquet: is an input"):
        count(output_file=linked, force=True)


def test_metadata_that_the_format_does_not_declare_are_an_error(count, monkeypatch):
    monkeypatch.setattr(Letters, "more_metadata", lambda self: {"surprise": 1})
    with pytest.raises(KeyError, match="letter file: metadata .'surprise'. are not declared"):
        count()
