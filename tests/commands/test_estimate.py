"""The time that a long job is said to take: from two batches, and nothing for a short one."""

import re

import pytest

from attention_explain.commands import batches
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.batches import estimate, sampling_order, seconds_left
from attention_explain.commands.perturb import perturb_from_file
from tests.small_archive import small_archive

# The longest texts first, as the commands have them.
TOKENS = [400, 400, 390, 380, 300]
LONGEST = [200, 100, 50, 20, 5]


def test_the_longest_comes_first_and_then_the_middle():
    assert sampling_order([0, 1, 2, 3, 4], TOKENS) == [0, 2, 1, 3, 4]
    # Some are done already.
    assert sampling_order([1, 3, 4], TOKENS) == [1, 3, 4]
    # One batch can be half of all.
    assert sampling_order([0, 1], [900, 10]) == [0, 1]
    assert sampling_order([4], TOKENS) == [4] and sampling_order([], TOKENS) == []


def test_a_cost_that_grows_with_the_length_is_found_again():
    """A token of a text of n takes a + b n seconds: exact down to the length of the second."""

    def cost(number):
        return TOKENS[number] * (0.01 + 0.002 * LONGEST[number])

    taken = {0: cost(0), 2: cost(2)}
    assert seconds_left(taken, [1], TOKENS, LONGEST) == pytest.approx(cost(1))
    # Shorter ones are taken to be no cheaper a token.
    of_second = cost(2) / TOKENS[2]
    assert seconds_left(taken, [3, 4], TOKENS, LONGEST) == pytest.approx(of_second * 680)


def test_texts_of_one_length_take_the_mean():
    assert seconds_left({0: 2.0, 1: 4.0}, [2, 3], [10] * 4, [5] * 4) == pytest.approx(6.0)


def test_the_sentence():
    spent = {"attention": 1.0, "integrated-gradients": 3.0}
    assert estimate(720.0, 500, spent) == (
        "about 12 min on this machine for the remaining 500 texts, 75% of it for "
        "integrated-gradients; use --limit for fewer texts"
    )
    assert estimate(59.0, 500, spent) is None
    assert "%" not in estimate(720.0, 500, {"lrp": 2.0})


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return str(small_archive(tmp_path_factory.mktemp("estimate") / "run"))


@pytest.mark.parametrize("command", [attribute_from_file, perturb_from_file])
def test_both_commands_say_it_once_and_short_jobs_say_nothing(
    command, archive, tmp_path, capfd, monkeypatch
):
    options = [["attention"]] if command is attribute_from_file else [["uniform"]]
    command(archive, "test", tmp_path / "short.parquet", *options, batch_tokens=60)
    assert "on this machine" not in capfd.readouterr().err
    monkeypatch.setattr(batches, "seconds_left", lambda *_: 720.0)
    command(archive, "test", tmp_path / "long.parquet", *options, batch_tokens=60)
    said = capfd.readouterr().err
    (texts,) = re.findall(r"ing: about 12 min on this machine for the remaining (\d+) texts", said)
    assert 0 < int(texts) < 24
