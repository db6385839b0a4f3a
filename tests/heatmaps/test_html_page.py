"""The page of heatmaps: whole, escaped, self-contained, with the right shades in the right rows."""

import re

import pytest

from attention_explain.heatmaps.explanation import Explanation, WordRelevance
from attention_explain.heatmaps.html_page import SCALES, SHADES, card, fragment, page, policy
from tests.heatmaps.elements import Elements

NASTY = "<script>alert('&')</script>"


def explanation(**changes) -> Explanation:
    values = {
        "id": "text-1",
        "tokens": ["a", NASTY, "film"],
        "label": "good",
        "labels": ["good", "<bad>"],
        "probs": [0.75, 0.25],
        "attention": [0.0, 0.5, 0.5],
        "scores": {"attention": [0.0, 0.5, 0.5], "lrp": [-0.2, 0.1, 0.0]},
        "signed": {"attention": False, "lrp": True},
        "checks": {"lrp": {"conservation_error": 0.5, "flagged": 1}},
        "gold": "<bad>",
        "rationale": [0, 1, 0],
    }
    return Explanation(**{**values, **changes})


def test_elements_are_closed_in_order_and_nothing_is_loaded():
    text = page([card(explanation())] * 3, methods={"lrp": {"signed": True, "passes": "1 < 2"}})
    tree = Elements(text)
    assert len(tree.all("article")) == 3 and len(tree.all("main")) == 1
    assert not {"script", "img", "iframe"} & tree.tags
    assert (
        "http:" not in text
        and "https:" not in text
        and "url(" not in text
        and "@import" not in text
    )
    meta = [attributes for attributes, _ in tree.all("meta")]
    assert meta[0] == {"charset": "utf-8"}
    assert meta[1] == {"http-equiv": "Content-Security-Policy", "content": policy()}


def test_text_is_escaped_wherever_it_comes_from():
    given = explanation(
        id=NASTY,
        label=NASTY,
        labels=[NASTY, "x"],
        scores={NASTY: [1.0, 2.0, 3.0]},
        signed={NASTY: False},
        checks={NASTY: {'"><script>': 1.0}},
        target=NASTY,
    )
    for text in (
        page([card(given)], title=NASTY, about=[NASTY], methods={NASTY: {"sums_to": NASTY}}),
        fragment(given),
        card(explanation(scores={"lrp": None}, skipped={"lrp": NASTY})),
    ):
        assert "<script" not in text and "alert('&')" not in text
        assert "&lt;script&gt;" in text
        Elements(text)


def test_each_method_is_a_row_over_the_tokens():
    tree = Elements(card(explanation()))
    assert [text for _, text in tree.all("th")] == ["rationale", "attention", "lrp"]
    assert [text for _, text in tree.all("small")] == [
        "marked by people",
        "largest 0.5",
        "largest 0.2; flagged",
    ]
    marks = [(attributes.get("class"), text) for attributes, text in tree.all("i")]
    deepest, half = SHADES, SHADES // 2
    assert marks == [
        (None, "a"), ("r", NASTY), (None, "film"),
        (None, "a"), (f"u{deepest}", NASTY), (f"u{deepest}", "film"),
        (f"n{deepest}", "a"), (f"p{half}", NASTY), (None, "film"),
    ]  # fmt: skip
    titles = [attributes["title"] for attributes, _ in tree.all("i")[3:]]
    assert titles == ["0", "0.5", "0.5", "-0.2", "0.1", "0"]


def test_each_annotator_is_a_row():
    tree = Elements(card(explanation(rationale=[[0, 1, 0], [1, 1, 0]])))
    assert [text for _, text in tree.all("th")][:3] == ["rationale", "rationale", "attention"]
    said = [text for _, text in tree.all("small")][:2]
    assert said == ["marked by people, 1 of 2", "marked by people, 2 of 2"]
    marks = [attributes.get("class") for attributes, _ in tree.all("i")[:6]]
    assert marks == [None, "r", None, "r", "r", None]


def test_unknown_words_are_marked_and_explained():
    tree = Elements(page([card(explanation(unknown=[1, 0, 1], rationale=None))]))
    legend, *marks = [each for each, _ in tree.all("i")]
    assert legend == {"class": "x"} and "word unknown to the model" in tree.text
    assert [(mark.get("class", "").split(), mark["title"]) for mark in marks] == [
        (["x"], "0, unknown"), ([f"u{SHADES}"], "0.5"), ([f"u{SHADES}", "x"], "0.5, unknown"),
        ([f"n{SHADES}", "x"], "-0.2, unknown"), ([f"p{SHADES // 2}"], "0.1"), (["x"], "0, unknown"),
    ]  # fmt: skip


def test_the_head_says_what_is_predicted_and_what_is_right():
    text = re.sub(r"<[^>]+>", " ", card(explanation()))
    words = " ".join(text.split())
    assert "predicted good gold &lt;bad&gt; (wrong) good 0.750 &lt;bad&gt; 0.250" in words
    right = card(explanation(gold="good"))
    assert "wrong" not in right
    assert "gold" not in card(explanation(gold=None))
    many = card(explanation(labels=[f"c{n}" for n in range(20)], probs=[0.05] * 20))
    assert "and 15 more labels" in many


def test_a_row_of_zeros_and_a_method_that_failed():
    tree = Elements(
        card(explanation(scores={"a": [0.0, 0.0, 0.0], "b": None}, skipped={"b": "NaN"}))
    )
    assert all("class" not in attributes for attributes, _ in tree.all("i")[3:])
    assert tree.all("td")[-1][1] == "no scores: NaN"


@pytest.mark.parametrize("scale", SCALES)
def test_black_text_can_be_read_on_every_shade(scale):
    """Contrast as WCAG 2 has it; 7 is its stricter level."""

    def luminance(colour):
        parts = [part / 255 for part in colour]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    text = luminance((27, 27, 27))
    assert (luminance(SCALES[scale]) + 0.05) / (text + 0.05) >= 7


def test_every_shade_has_a_rule():
    text = page([])
    for scale in SCALES:
        for shade in range(1, SHADES + 1):
            assert f".ae .{scale}{shade} {{ background: #" in text


def test_a_page_of_two_hundred_texts_is_small():
    long = explanation(
        tokens=["word"] * 20,
        scores={f"method-{n}": [0.123456] * 20 for n in range(8)},
        signed={},
        rationale=None,
    )
    assert len(page([card(long)] * 200)) < 2_000_000


def test_a_notebook_gets_a_heatmap():
    shown = explanation()._repr_html_()
    assert shown.startswith("<div class=ae><style>") and "<article>" in shown
    assert len(Elements(shown).all("th")) == 3


def test_the_heading_of_a_text_can_be_of_any_level():
    assert Elements(card(explanation(), heading="h4")).all("h4") == [({}, "text-1")]


def test_the_relevance_of_words_is_a_row_with_its_mark():
    measured = WordRelevance([0.1, 0.4, 0.0], [0.01, 0.05, 0.0], 0.62, 16)
    tree = Elements(card(explanation(relevance=measured)))
    assert [text for _, text in tree.all("th")][:2] == ["rationale", "moves the output"]
    small = [text for _, text in tree.all("small")]
    assert "largest 0.4; ranking uncertain (0.62)" in small
    titles = [attributes.get("title") for attributes, _ in tree.all("i")]
    assert "0.4 ± 0.098" in titles and "moves the output" not in card(explanation())


@pytest.mark.parametrize(
    "reliability, permutations, mark",
    [
        (0.95, 16, "reliable (0.95)"),
        (0.9, 16, "reliable (0.90)"),
        (0.3, 16, "uncertain (0.30)"),
        (None, 16, "uncertain (no word stands out)"),
        (1.0, 0, "exact"),
    ],
)
def test_the_mark_says_how_certain_the_ranking_is(reliability, permutations, mark):
    assert WordRelevance([0.1], [0.0], reliability, permutations).mark == mark
