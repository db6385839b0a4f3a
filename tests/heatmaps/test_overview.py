"""A page of many texts: what is said of each method, and texts that can be sorted and filtered."""

from itertools import permutations

import numpy
import pytest

from attention_explain.heatmaps.explanation import Explanation
from attention_explain.heatmaps.html_page import card, page, policy
from attention_explain.heatmaps.overview import MANY, Facts, facts_of, script, top_weights
from tests.analysis.report.chromium import PATH, chromium
from tests.heatmaps.elements import Elements

METHODS = ("attention", "lrp", "random")
NASTY = "</script><b>"


def explanation(number: int, tokens: int = 5, **changes) -> Explanation:
    chance = numpy.random.default_rng(number)
    values = {
        "id": f"text-{number}",
        "tokens": [f"word{number}", *["a"] * (tokens - 1)],
        "label": "good",
        "labels": ["good", "bad"],
        "probs": [0.75, 0.25],
        "scores": {name: chance.normal(size=tokens).tolist() for name in METHODS},
        "gold": "bad" if number % 5 == 0 else "good",
    }
    return Explanation(**{**values, **changes})


def page_of(texts) -> str:
    facts = [facts_of(text) for text in texts]
    cards = [card(text, facts=about) for text, about in zip(texts, facts, strict=True)]
    return page(cards, facts=facts)


@pytest.mark.parametrize("scores", [[3, 1, 2], [1, 1, 1, 0], [0, 0], [2, 1, 1, 1, 0], [-1, -2, -1]])
def test_words_are_named_as_often_as_chance_between_equal_scores_names_them(scores):
    for most in range(1, len(scores) + 1):
        counts = numpy.zeros(len(scores))
        orders = list(permutations(range(len(scores))))
        for order in orders:
            # A stable sort keeps equal scores in an order by chance, over all of these.
            counts[sorted(order, key=lambda position: -scores[position])[:most]] += 1
        assert top_weights(scores, most) == pytest.approx(counts / len(orders))


def test_what_methods_share_is_over_the_others_and_not_the_control():
    # Two of ten words are the top fifth.
    first, second, third = [9, 8, *[0] * 8], [9, 0, 8, *[0] * 7], [0, 0, 9, 8, *[0] * 6]
    text = explanation(
        1, 10, scores={"a": first, "b": second, "c": third, "random": first, "d": None}
    )
    facts = facts_of(text)
    assert facts.shared == pytest.approx(
        {
            "a": (0.5 + 0) / 2,
            "b": (0.5 + 0.5) / 2,
            "c": (0 + 0.5) / 2,
            "random": (1 + 0.5 + 0) / 3,
        }
    )
    assert facts.disputed == pytest.approx(1 - (0.25 + 0.5 + 0.25) / 3)
    assert list(facts.methods) == ["a", "b", "c", "random"] and facts.words == 10


def test_same_words_are_no_dispute_and_one_method_has_none():
    same = {"a": [1.0, 0, 0], "b": [5.0, 1, 2]}
    assert facts_of(explanation(1, 3, scores=same)).disputed == 0
    alone = facts_of(explanation(1, 3, scores={"a": [1.0, 0, 0]}))
    assert alone.disputed == 0 and alone.shared == {}
    assert facts_of(explanation(1, 3, scores={"a": [1.0, 0, 0], "random": [0, 1, 0]})).disputed == 0


def test_marked_words_of_any_annotator_count_where_any_are_marked():
    scores = {"a": [0.0, 2, 1], "b": [1.0, 1, 0]}
    rationale = [[0, 1, 0], [0, 0, 1]]
    assert facts_of(explanation(1, 3, scores=scores, rationale=rationale)).marked == {
        "a": 1.0,
        "b": 0.5,
    }
    assert facts_of(explanation(1, 3, scores=scores, rationale=[0, 0, 0])).marked == {}
    assert facts_of(explanation(1, 3, scores=scores)).marked == {}


def test_few_texts_have_no_script_and_many_have_one_and_no_other():
    few, many = (page_of([explanation(n) for n in range(size)]) for size in (MANY, MANY + 1))
    assert "<script" not in few and "class=controls" not in few
    tree = Elements(many)
    assert [text for _, text in tree.all("script")] == [script()]
    assert tree.all("meta")[1][0]["content"] == policy([script()]) and "http" not in script()
    assert len(script().splitlines()) <= 150


def test_without_javascript_all_texts_are_there_in_their_order_and_no_controls():
    tree = Elements(page_of([explanation(n) for n in range(30)]))
    assert [text for _, text in tree.all("h2")] == [f"text-{n}" for n in range(30)]
    (controls,) = [each for each, _ in tree.all("div") if each.get("class") == "controls"]
    assert "hidden" in controls and controls["aria-label"]
    assert all("hidden" not in each for each, _ in tree.all("article"))


def test_a_line_a_method():
    texts = [explanation(n, rationale=[1, 0, 0, 0, 0]) for n in range(30)]
    texts[3].scores["lrp"] = None
    texts[3].scores[NASTY] = [1.0] * 5
    # One element a line.
    lines = [line for line in page_of(texts).splitlines() if line.startswith("<li>")]
    facts = [facts_of(text) for text in texts]
    shared = numpy.mean([each.shared["attention"] for each in facts])
    marked = numpy.mean([each.marked["attention"] for each in facts])
    assert lines[0] == (
        f"<li><b>attention</b>: {shared:.0%} shared; top word marked in {marked:.0%} of texts</li>"
    )
    assert lines[1].endswith("; no scores for 1 of 30 texts</li>")
    assert lines[3].endswith("; no scores for 29 of 30 texts</li>")
    assert len(lines) == 4 and not any(NASTY in line for line in lines)
    alone = page_of([explanation(n, scores={"lrp": [1.0] * 5}) for n in range(30)])
    assert "<b>lrp</b>: scores for all 30 texts" in alone


def test_without_labels_nothing_is_wrong_or_right():
    text = page_of([explanation(n, gold=None) for n in range(30)])
    assert 'value="wrong">wrong predictions first' not in text and "<label hidden>Show" in text
    assert "data-wrong" not in text


def test_facts_as_attributes():
    facts = Facts(7, ["a"], True, {"a": 0.25, "random": 1.0}, {})
    assert facts.attributes() == " data-words=7 data-disputed=0.750 data-wrong=1"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


ORDER = (
    "[...document.querySelectorAll('article')].filter(each => each.checkVisibility())"
    ".map(each => each.querySelector('h2').textContent)"
)
CHOOSE = (
    "{{const each = document.querySelector('[name={}]'); each.value = '{}';"
    "each.dispatchEvent(new Event('{}'))}}"
)
# Every control has a name that is read out, and the keyboard gets there.
LABELLED = (
    "[...document.querySelectorAll('.controls :is(select, input)')]"
    ".every(each => each.labels.length === 1 && each.tabIndex === 0)"
)
SAID = "document.querySelector('output').textContent"
# After the pause in which somebody goes on typing.
LATER = "new Promise(done => setTimeout(done, 300))"


@pytest.mark.skipif(PATH is None, reason="there is no Chromium here")
@pytest.mark.parametrize("width", [1280, 390])
def test_texts_are_sorted_and_filtered_in_a_browser(browser, tmp_path, width):
    texts = [explanation(n, tokens=5 + n * 7 % 25) for n in range(25)]
    texts[7].tokens[1] = "Zebra"
    file = tmp_path / "page.html"
    file.write_text(page_of(texts))
    facts = {text.id: facts_of(text) for text in texts}
    names = list(facts)
    browser.requests.clear()
    browser.complaints.clear()
    browser.open(file, width)
    assert browser.value(ORDER) == names and browser.value(SAID) == "25 of 25 texts"
    for by, value in (
        ("disputed", lambda name: -float(f"{facts[name].disputed:.3f}")),
        ("words", lambda name: -facts[name].words),
        ("wrong", lambda name: not facts[name].wrong),
        ("", lambda name: 0),
    ):
        browser.value(CHOOSE.format("sort", by, "change"))
        assert browser.value(ORDER) == sorted(names, key=value), by
    browser.value(CHOOSE.format("shown", "wrong", "change"))
    wrong = [name for name in names if facts[name].wrong]
    assert browser.value(ORDER) == wrong and browser.value(SAID) == f"{len(wrong)} of 25 texts"
    browser.value(CHOOSE.format("shown", "right", "change"))
    browser.value(CHOOSE.format("words", "zEBra text-7", "input"))
    browser.send("Runtime.evaluate", expression=LATER, awaitPromise=True)
    assert browser.value(ORDER) == ["text-7"] and browser.value(SAID) == "1 of 25 texts"
    assert browser.value(LABELLED)
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.value(overflow) == 0
    assert browser.complaints == [] and browser.requests == [file.as_uri()]
