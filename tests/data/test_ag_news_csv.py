"""The reader of news topics, on invented news and, where it is, on the official test file."""

import logging

import pytest

from attention_explain.errors import InputError

NEWS = (
    '"3","Prices up","Tea costs\\more, \\$2 a ""cup"""\n'
    '"2","Cup final","Teams drew"\n'
    '"1","Talks","Leaders met\\\\again"\n'
    '"4","Robots","They brew"\n'
)


def words(instances) -> list:
    return [" ".join(instance["metadata"]["tokens"]) for instance in instances]


def labels(instances) -> list:
    return [instance["label"].label for instance in instances]


@pytest.mark.parametrize("name", ["test.csv", "test.csv.gz"])
def test_the_order_of_classes_gives_the_labels_and_other_classes_are_counted(
    write, read, caplog, name
):
    path = write(name, NEWS)
    with caplog.at_level(logging.INFO):
        instances = read(path, type="ag_news_csv", classes=["World", "Business"])
    assert labels(instances) == ["1", "0"]
    assert [instance["metadata"]["id"] for instance in instances] == ["line-1", "line-3"]
    assert f"{path}: 2 texts kept; dropped: 2 with an unwanted label" in caplog.messages


def test_all_classes_are_read_in_the_official_order_by_default(write, read):
    assert labels(read(write("test.csv", NEWS), type="ag_news_csv")) == ["2", "1", "0", "3"]


def test_a_backslash_stands_for_a_line_break(write, read):
    instances = read(write("test.csv", NEWS), type="ag_news_csv")
    assert words(instances)[0] == 'Tea costs more, $2 a "cup"'
    assert words(instances)[2] == "Leaders met again"


def test_backslashes_may_be_kept_as_published(write, read):
    instances = read(write("test.csv", NEWS), type="ag_news_csv", keep_backslashes=True)
    assert words(instances)[0] == 'Tea costs\\more, \\$2 a "cup"'


def test_the_title_is_read_on_request(write, read):
    instances = read(write("test.csv", NEWS), type="ag_news_csv", include_title=True)
    assert words(instances)[1] == "Cup final Teams drew"


@pytest.mark.parametrize(
    "row, problem",
    [
        (
            '"1","only a title"',
            "has 2 columns, but must have 3: class index, title, description",
        ),
        ('"5","a","b"', "column 'class index' is '5', but must be 1, 2, 3 or 4"),
        ('"World","a","b"', "column 'class index' is 'World', but must be 1, 2, 3 or 4"),
        ('"1","a","b', "is not a table (unexpected end of data)"),
        (
            '"1","a"," "',
            "the text is empty (the dataset reader's option min_tokens, 1 or more, drops such texts)",
        ),
    ],
)
def test_a_bad_row_is_rejected_by_file_and_line(write, rejection, row, problem):
    path = write("test.csv", '"1","fine","fine"\n' + row + "\n")
    assert rejection(path, type="ag_news_csv") == f"{path}, line 2: {problem}"


@pytest.mark.parametrize("classes", [["World", "Economy"], ["World", "World"]])
def test_unknown_or_repeated_classes_are_rejected(make_reader, classes):
    with pytest.raises(InputError) as rejected:
        make_reader("ag_news_csv", classes=classes)
    assert str(rejected.value) == (
        f"classes must name different ones of World, Sports, Business, Sci/Tech, not {classes}"
    )
