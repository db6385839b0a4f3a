"""The reader of newsgroup posts, on invented posts."""

import logging

import pytest

from attention_explain.data.folders import strip_footer, strip_headers, strip_quotes
from attention_explain.errors import InputError

GROUPS = ["rec.tea", "rec.coffee"]
POST = """From: ann@example.org (Ann)
Subject: Re: kettles

In article <1@example.org> bob@example.org writes:
> Kettles are overrated.
I disagree.

They boil water.

--
Ann, tea drinker
"""


@pytest.fixture
def corpus(write, tmp_path):
    write("posts-train/rec.tea/10", POST)
    write("posts-train/rec.tea/9", "Subject: x\n\nGreen tea\n")
    write("posts-train/rec.coffee/101", "Subject: y\n\nCaf\u00e9 noir\n".encode("latin-1"))
    write("posts-train/rec.coffee/102", "Subject: z\n\n> only a quote\n")
    write("posts-train/rec.cocoa/1", "Subject: not read\n\nnot read\n")
    return str(tmp_path / "posts-train")


def words(instances) -> list:
    return [" ".join(instance["metadata"]["tokens"]) for instance in instances]


def test_posts_are_stripped_labelled_by_the_order_of_groups_and_dropped_where_empty(
    corpus, read, caplog
):
    with caplog.at_level(logging.INFO):
        instances = read(corpus, type="newsgroups", groups=GROUPS)
    assert [instance["metadata"]["id"] for instance in instances] == [
        "posts-train/rec.tea/9",
        "posts-train/rec.coffee/101",
        "posts-train/rec.tea/10",
    ]
    assert words(instances) == [
        "Green tea",
        "Caf\u00e9 noir",
        "I disagree. They boil water.",
    ]
    assert [instance["label"].label for instance in instances] == ["0", "1", "0"]
    assert f"{corpus}: 3 texts kept; dropped: 1 with fewer than 1 tokens" in caplog.messages


def test_an_archive_is_read_as_the_folder_in_it(corpus, pack, read):
    path = pack("posts-train", "posts.tar.gz")
    from_archive = read(f"{path}!posts-train", type="newsgroups", groups=GROUPS)
    assert words(from_archive) == words(read(corpus, type="newsgroups", groups=GROUPS))


def test_what_is_stripped_is_an_option(corpus, read):
    kept = read(corpus, type="newsgroups", groups=GROUPS, strip=["headers"])
    assert words(kept)[3] == "> only a quote"
    whole = read(corpus, type="newsgroups", groups=GROUPS, strip=[])
    assert words(whole)[0] == "Subject: x Green tea"


def test_labels_may_be_the_names_of_the_groups(corpus, read):
    instances = read(
        corpus, type="newsgroups", groups=GROUPS, labels={group: group for group in GROUPS}
    )
    assert {instance["label"].label for instance in instances} == set(GROUPS)


def test_headers_end_at_the_first_empty_line():
    assert strip_headers("From: a\nSubject: b\n\none\n\ntwo") == "one\n\ntwo"
    assert strip_headers("no empty line") == ""


def test_a_footer_follows_the_last_empty_or_hyphen_line():
    assert strip_footer("one\n\ntwo\n--\nme\n\n") == "one\n\ntwo"
    assert strip_footer("one\n \ntwo") == "one"
    assert strip_footer("one\ntwo\n") == "one\ntwo\n"
    assert strip_footer("---\none") == "---\none"


@pytest.mark.parametrize(
    "line",
    [
        "> quoted",
        "| quoted",
        "In article <1> someone",
        "Quoted from a book",
        "Bob writes:",
        "Bob wrote: this",
        "she says: no",
        "he said:",
        "Bob writes in anger",
    ],
)
def test_a_quoted_line_is_stripped(line):
    assert strip_quotes(f"one\n{line}\ntwo") == "one\ntwo"


@pytest.mark.parametrize("line", [" > indented", "a > b", "See In article", "he said so"])
def test_other_lines_are_not_stripped(line):
    assert strip_quotes(line) == line


def test_a_missing_group_is_rejected(corpus, rejection):
    assert rejection(corpus, type="newsgroups", groups=["rec.tea", "rec.milk"]) == (
        f"{corpus}: has no folder 'rec.milk'"
    )


@pytest.mark.parametrize("groups", [["rec.tea"], ["rec.tea", "rec.tea"]])
def test_two_different_groups_are_needed(make_reader, groups):
    with pytest.raises(InputError) as rejected:
        make_reader("newsgroups", groups=groups)
    assert str(rejected.value) == (f"groups must name two or more different groups, not {groups}")


def test_an_unknown_part_to_strip_is_rejected(make_reader):
    with pytest.raises(InputError) as rejected:
        make_reader("newsgroups", groups=GROUPS, strip=["header"])
    assert str(rejected.value) == (
        "strip names ['header'], but these can be stripped: headers, footers, quotes"
    )
