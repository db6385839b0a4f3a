"""No page contains the words and phrases that this project no longer uses."""

import re
from pathlib import Path
from typing import Iterator, Tuple

import pytest

PROJECT = Path(__file__).parent.parent

# One line per set of pages.
GLOBS = [
    "docs/**/*.md",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
]

# Each with the words to use instead.
PATTERNS = {
    r"(?<!in )(?<!takes )(?<!take )\bplaces?\b": "score, rank, position, index, location",
    r"of the way (from|to|by|between)": "scores 0.367 (0 = random order, 1 = best order found)",
    r"cannot be told|\buntold\b|\b(can|could) be told\b": "inconclusive",
    r"points? to what matters": "finds the words that matter",
    r"(?<!--)\bby size\b|\b(has|have|having|without) (no |a )?signs?\b": "by magnitude, ignoring sign; unsigned",
    r"\banew\b": "re-initialised, randomised, again",
    r"\b(taken|takes?|taking) out\b|(?<!-)\berasures?\b(?!:)": "removed, removal method",
    r"\bso many\b": "N, the given number of",
    r"\bheld against\b|\bbeside\b(?!-print)": "compared with, checked against, next to",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bwords by chance\b": "random words, expected at random",
    r"\brefus(e|es|ed|ing|als?)\b": "fails with an error message, does not support",
    r"\b(in|with|gets?|ends? in|get) (one|a) sentence\b": "fails with an error message",
    r"\bfolder of no training run\b": "not a training run: no config.json in ...",
    r"\b(scores?|numbers?|rows?|lines?|lists?|jobs?|logs?|points?|objects?|columns?|ms|milliseconds|seconds|series|weights?|0 or 1)"
    r" an? (text|token|seed|line|method|model|step|run|claim|paper|word|study|epoch|permutation|measure|group)\b": "per text, per token, per seed",
    r"\b(whoever|whosoever|nobody says otherwise|of which the|in earnest|as it stands)\b": "plain order of words",
}

CODE = re.compile(r"`[^`\n]+`")
# What `make results` writes into a page is the text of the analyses.
GENERATED = re.compile(r"<!-- what we found.*?<!-- end of what we found -->", re.DOTALL)


def pages() -> Iterator[Path]:
    for glob in GLOBS:
        yield from sorted(PROJECT.glob(glob))


def lines(page: Path) -> Iterator[Tuple[int, str]]:
    """The lines of a page without inline code, numbered from 1."""
    text = GENERATED.sub(lambda found: "\n" * found[0].count("\n"), page.read_text("utf-8"))
    for number, line in enumerate(text.split("\n"), start=1):
        yield number, CODE.sub("``", line)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_page_has_words_that_must_not_come_back(pattern):
    found = [
        f"{page.relative_to(PROJECT)}:{number}: '{match[0]}'; write: {PATTERNS[pattern]}"
        for page in pages()
        for number, line in lines(page)
        for match in re.finditer(pattern, line, re.IGNORECASE)
    ]
    assert not found, "\n".join(found)


def test_pages_are_found():
    assert any(page.suffix == ".md" for page in pages())


@pytest.mark.parametrize(
    "text",
    [
        "It comes 0.4 of the way from random to the best order.",
        "That cannot be told.",
        "Scores are compared by size.",
        "The parameters were drawn anew.",
        "One score a token, one row a text.",
        "A bad file is refused.",
        "The words are taken out.",
    ],
)
def test_old_phrases_are_recognised(text):
    assert any(re.search(pattern, text, re.IGNORECASE) for pattern in PATTERNS)
