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

# Of these, the words that must not come back in sources: docstrings, comments, strings and names alike.
SOURCES = [
    f"{folder}/**/*.{ending}"
    for folder in ("analysis", "attention_explain", "benchmarks", "tests", "training_configs")
    for ending in ("py", "toml", "jsonnet", "libsonnet")
]
WORDS = {
    r"place|places": "position, index, location, score",
    r"untold|cannot be told": "inconclusive",
    r"anew": "again, re-initialised",
    r"held against|beside": "compared with, next to",
    r"mend|mends|mended": "fix",
    r"so many": "the given number of",
    r"words by chance": "random words",
    r"of the way from": "scores 0.367 (0 = random order, 1 = best order found)",
    r"refuse|refuses|refused|refusal|refusals": "reject, fail with an error message",
    r"whoever|whosoever": "plain order of words",
}
# Names of tables in committed results, messages of other packages, readers of results of earlier versions, and idioms.
EXCEPTIONS = re.compile(
    r"beside-print|pinter-beside|beside-chance|starts anew\" in|mend the file|OSError\(.refused"
    r"|archive_reach|In place|(take|takes|took|in|at|each|one|right|many) (the |its |their |his )?places?\b|_(in|takes_the)_place"
)
# Files about the old words, or with a `place` that is a location in a file.
EXEMPT = {
    "analysis/formats.py",
    "attention_explain/data/planted/words.toml",
    "attention_explain/files/verdict_names.py",
    "tests/test_language.py",
    "tests/test_archive_reach.py",
    "tests/test_safe_archives.py",
    "tests/test_words.py",
    "tests/waits.py",
    "tests/commands/test_explore_verdict.py",
    "tests/analysis/results/test_models_verdicts.py",
    "tests/commands/test_verdict.py",
    "tests/browser/test_explore.py",
    "tests/faults",
    "tests/training/test_checkpoints.py",
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


@pytest.mark.parametrize("words", WORDS)
def test_no_source_has_words_that_must_not_come_back(words):
    # Parts of names count as words: `first_place`.
    pattern = re.compile(rf"(?<![A-Za-z])({words})(?![A-Za-z])", re.IGNORECASE)
    found = [
        f"{name}:{number}: '{match[0]}'; write: {WORDS[words]}"
        for name, text in sources()
        for number, line in enumerate(text.split("\n"), start=1)
        if (match := pattern.search(line)) and not EXCEPTIONS.search(line)
    ]
    assert not found, "\n".join(found)


def sources() -> Iterator[Tuple[str, str]]:
    """The name and the text of each source file that is not exempt."""
    for glob in SOURCES:
        for path in sorted(PROJECT.glob(glob)):
            name = path.relative_to(PROJECT).as_posix()
            if not any(name.startswith(exempt) for exempt in EXEMPT):
                yield name, path.read_text("utf-8")


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
