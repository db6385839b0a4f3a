"""verdict.html, read as text and as people see it."""

import re

import pytest

from analysis.__main__ import main
from tests.analysis.report.chromium import PATH, chromium
from tests.analysis.verdict.verdict_files import write_folder

HOSTILE = "<script>alert(1)</script>"
LONG_WORD = "Donaudampfschifffahrtsgesellschaft" * 4
TWENTY = "abcdefghijklmnopqrs"
ROWS = "[...document.querySelectorAll('.plot li:not(.axis, .gap, .head)')].filter(each => each.offsetHeight).length"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
END = "Math.max(...['.next', '.plot', '.summary'].map(each => document.querySelector(each).getBoundingClientRect().bottom))"


def run(folder, *options):
    return main(["verdict", str(folder), *options])


def test_the_page_holds_all_of_it_loads_nothing_and_is_small(tmp_path):
    folder = write_folder(tmp_path, tokens=[HOSTILE, "b", "c"], attention=[0.5, 0.3, 0.2],
                          gradient=[0.1, 0.2, 0.3], lrp=[0.3, 0.2, 0.1])  # fmt: skip
    assert run(folder) == 0
    page = (folder / "verdict.html").read_text()
    assert len(page.encode()) < 400_000
    assert page.count("<article>") == 6 and page.count("<svg") == 8
    assert HOSTILE not in page and "&lt;script&gt;alert(1)" in page
    assert "default-src 'none'; script-src 'none'" in page
    addresses = re.findall(r"(?:src|href)=[\"']?([^\"'>\s]*)", page)
    assert addresses and all(each.startswith(("#", "data:")) for each in addresses)
    # The recommended method is on top of every text.
    assert re.findall(r"<table>\n<tr><th scope=row[^>]*>([\w-]+)", page) == ["lrp"] * 6
    for heading in ("Typical", "Methods disagree most", "Attention misleads most"):
        assert f"<h3>{heading}</h3>" in page


@pytest.mark.parametrize(
    "reliability, said",
    [
        ({"delete": 0.95, "unk": 0.97}, "reliable (split-half reliability 0.95)"),
        ({"delete": 0.95, "unk": 0.7}, "uncertain (split-half reliability 0.70)"),
        ({}, None),
    ],
)
def test_each_example_says_how_reliable_the_relevance_of_its_words_is(tmp_path, reliability, said):
    folder = write_folder(tmp_path, texts=30, reliability=reliability)
    assert run(folder) == 0
    page = (folder / "verdict.html").read_text()
    assert page.count("Relevance of its words: ") == (6 if said else 0)
    assert said is None or page.count(said) == 6


def test_long_texts_do_not_make_a_page_that_cannot_be_sent(tmp_path):
    words = [f"word{index}" for index in range(1500)]
    scores = [float(index) for index in range(1500)]
    folder = write_folder(
        tmp_path, texts=30, tokens=words, attention=scores, gradient=scores, lrp=scores
    )
    assert run(folder) == 0
    page = (folder / "verdict.html").read_text()
    assert len(page.encode()) < 400_000 and "too long to be shown here" in page


@pytest.mark.skipif(PATH is None, reason="there is no Chromium here")
def test_the_answer_is_on_the_first_screen_and_nothing_is_wider(tmp_path):
    methods = {f"{name}-method": 0.9 - 0.04 * index for index, name in enumerate(TWENTY)}
    means = {"attention": 0.3, **methods}
    words = [LONG_WORD, "b", "c"]
    scores = {name: [0.5, 0.3, 0.2] for name in means}
    folder = write_folder(tmp_path, scores=means, tokens=words, **scores)
    assert run(folder) == 0
    path = folder / "verdict.html"
    with chromium(tmp_path / "profile") as page:
        for width, height, shown in ((1280, 800, 20), (390, 844, 7)):
            page.open(path, width, height)
            assert page.value(OVERFLOW) == 0
            assert page.value(END) <= height
            assert page.value(ROWS) == shown
            page.value("document.querySelector('.plot > input').click()")
            assert page.value(ROWS) == 20
            page.value("document.querySelectorAll('details').forEach(each => each.open = true)")
            assert page.value(OVERFLOW) == 0
        assert page.complaints == [] and set(page.requests) == {path.as_uri()}
