"""Text of the data in each format: nothing of it is markup there, and it is read back as it was."""

import random
import re
from contextlib import suppress
from html import unescape

import pandas
import pytest
from markdown_it import MarkdownIt

from analysis.formats import as_json, cell, csv, latex, markdown, numeric, read_csv, read_shown
from analysis.written import (
    Estimate,
    Interval,
    csv_text,
    html_text,
    latex_text,
    markdown_code,
    markdown_text,
    one_line,
    text_of_csv,
)
from tests.analysis.nasty_names import NASTY

READER = MarkdownIt("gfm-like", {"linkify": False, "html": True})


def random_texts(signs, number=300):
    draw = random.Random(0)
    return ["".join(draw.choices(signs, k=draw.randint(1, 9))) for _ in range(number)]


def words(tokens):
    """What is read, and the kinds of all that is not."""
    inline = [child for token in tokens for child in token.children or [token]]
    shown = "".join(one.content for one in inline if one.type in ("text", "code_inline"))
    return shown, {one.type for one in inline} - {"text", "code_inline", "text_special"}


@pytest.mark.parametrize("text", NASTY)
def test_a_line_is_one_by_every_definition(text):
    line = one_line(text)
    assert len(line.splitlines()) == 1 and len(line) == len(text)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff\ud800-\udfff]", line)
    assert one_line("日本 é \u200d \N{GRINNING FACE}") == "日本 é \u200d \N{GRINNING FACE}"


@pytest.mark.parametrize("text", NASTY)
def test_no_text_is_markup_in_markdown(text):
    shown, kinds = words(READER.parseInline(markdown_text(text)))
    assert not kinds
    # A pipe is escaped for tables, where its backslash goes first.
    expected = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", r"\2", one_line(text).strip())
    assert shown.strip().replace("\\|", "|") == expected.replace("\\|", "|")


def test_two_texts_in_a_paragraph_make_no_markup_together():
    for first in NASTY:
        for second in NASTY:
            together = f"{markdown_text(first)} and {markdown_text(second)}"
            assert not words(READER.parseInline(together))[1], (first, second)


def test_a_table_in_markdown_shows_the_texts():
    texts = [*map(str.strip, NASTY), *map(str.strip, random_texts("`\\|<*_&#$[]()!~ab"))]
    texts = [text for text in texts if one_line(text).strip()]
    table = pandas.DataFrame({"name": texts})
    cells = [token for token in READER.parse(markdown(table)) if token.type == "inline"]
    assert len(cells) == 1 + len(texts)
    for made, text in zip(cells[1:], texts, strict=True):
        assert not words([made])[1], text


@pytest.mark.parametrize("text", NASTY)
def test_html_has_neither_elements_nor_ends_of_lines(text):
    made = html_text(text)
    assert not re.search("[<>\"'\\n\\r]", made) and unescape(made) == one_line(text)


def test_a_table_in_json_comes_back_with_its_numbers_and_intervals():
    table = pandas.DataFrame(
        {
            "name": [*NASTY, "-"],
            "mean": [Estimate(0.1 * n, -0.2, float("nan")) for n in range(len(NASTY))] + [None],
            "interval": [Interval(0.25, 0.5)] * len(NASTY) + [None],
            "number": [0.5 * n for n in range(len(NASTY))] + [float("nan")],
            "count": range(len(NASTY) + 1),
        }
    )
    read = read_shown(as_json(table).encode())
    assert list(read.columns) == list(table.columns)
    for name in table:
        assert [cell(value) for value in read[name]] == [cell(value) for value in table[name]]
        assert numeric(read[name]) == numeric(table[name]) == (name != "name")
    for other in (b"{", b"[]", b'{"columns": ["a"]}', b'{"columns": [], "rows": [1]}'):
        with pytest.raises(ValueError):
            read_shown(other)


@pytest.mark.parametrize("text", NASTY)
def test_code_is_code_whatever_it_holds(text):
    (token,) = READER.parseInline(markdown_code(text))[0].children
    assert token.type == "code_inline" and token.content.strip() == one_line(text).strip()


@pytest.mark.parametrize("text", NASTY)
def test_latex_has_neither_commands_nor_ends_of_lines(text):
    made = latex_text(text)
    assert "\n" not in made and "\r" not in made
    left = re.sub(r"\\text[a-z]+\{\}|\\[&%$#_{}]", "", made)
    assert not re.search(r"[\\&%$#_{}~^<>|]", left)


def test_no_row_of_latex_begins_with_an_option_of_the_row_above():
    table = pandas.DataFrame({"name": ["[1] a", "* b"], "other": ["x", "y\n\nz"]})
    text = latex(table, "A caption.\n\nOf two.", "tab:a")
    assert "\n{}[1] a &" in text and "\n{}* b &" in text
    assert "\n\n" not in text


def test_no_text_is_a_formula_in_a_spreadsheet_and_it_comes_back():
    for text in (*NASTY, *random_texts("'=+-@1e. \t\ra")):
        cell = csv_text(text)
        assert text_of_csv(cell) == text
        with suppress(ValueError):
            float(text)
            continue
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")), text


def test_a_csv_file_gives_back_the_same_table(tmp_path):
    table = pandas.DataFrame(
        {
            "name": [*NASTY, "-1", "overall"],
            "number": [-0.1 - n for n in range(len(NASTY))] + [float("nan"), float("inf")],
            "=count": range(len(NASTY) + 2),
        }
    )
    path = tmp_path / "a.csv"
    path.write_bytes(csv(table).encode())
    pandas.testing.assert_frame_equal(read_csv(path), table)
    assert ",-0.1," in path.read_text() and "\n=" not in path.read_text()
    numbers = pandas.DataFrame({"corpus": ["20", "007"], "predicted": ["1", "-1"], "mean": [1, 2]})
    path.write_text(csv(numbers))
    pandas.testing.assert_frame_equal(read_csv(path), numbers)
    plain = pandas.DataFrame({"name": ["a", "-"], "number": [0.5, float("nan")]})
    assert csv(plain) == "name,number\na,0.5\n'-,\n"
