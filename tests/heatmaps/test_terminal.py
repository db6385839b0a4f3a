"""How an explained text looks in a terminal."""

from attention_explain.heatmaps.explanation import Explanation, columns, fit, render


def example(**changes) -> Explanation:
    values = {
        "tokens": ["a", "film", "電影", "x" * 40, "\x1b[2J"],
        "label": "good",
        "labels": ["good", "bad"],
        "probs": [0.75, 0.25],
        "scores": {"attention": [0.0, 0.5, 0.25, 0.25, 0.0], "lrp": [-0.02, 0.01, 0.0, 0.0, 0.0]},
    }
    return Explanation(**{**values, **changes})


def test_a_terminal_shows_a_token_a_line_aligned():
    lines = render(example(gold="bad", target="bad"), colour=False).splitlines()
    assert lines[0] == "predicted good (good 0.750, bad 0.250); gold bad; explained bad"
    assert lines[2].split() == ["token", "attention", "lrp"]
    assert len(lines) == 3 + 5
    assert lines[4].split() == ["film", "0.500", "██████", "0.0100", "███"]
    assert lines[3].split() == ["a", "0.000", "-0.0200", "██████"]
    # Nothing in a token can move the cursor, and wide characters keep the columns.
    assert "\x1b" not in "".join(lines)
    assert len({columns(line[: line.index(".")]) for line in lines[3:]}) == 1


def test_unknown_words_are_marked_and_explained():
    lines = render(example(unknown=[0, 1, 0, 1, 0]), colour=False).splitlines()
    assert lines[4].split()[:2] == ["film", "?"] and lines[5].split()[0] == "電影"
    assert lines[6].split()[0] == "x" * 23 + "…" and lines[6].split()[1] == "?"
    assert lines[-1] == "? unknown to the model, which treats all such words alike"
    assert len({columns(line[: line.index(".")]) for line in lines[3:8]}) == 1
    assert "unknown" not in render(example(unknown=[0] * 5), colour=False)


def test_colour_only_where_it_is_wanted(monkeypatch):
    assert "\x1b" not in str(example(tokens=["a", "b", "c", "d", "e"]))
    coloured = render(example(), colour=True)
    assert "\x1b[38;5;33m" in coloured and "\x1b[38;5;208m" in coloured


def test_many_methods_are_broken_into_blocks_that_fit(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    scores = {f"method-number-{n}": [0.1, 0.2, 0.3, 0.4, 0.5] for n in range(7)}
    shown = render(example(scores=scores), colour=False)
    assert max(map(columns, shown.splitlines())) <= 60
    assert all(name in shown for name in scores)


def test_a_method_that_failed_says_why():
    failed = example(scores={"lrp": None}, skipped={"lrp": "a score that is not finite"})
    assert str(failed).splitlines()[-1] == "lrp: no scores, a score that is not finite"


def test_no_name_moves_the_cursor():
    name = "a\x1b[2Jb\r\u2028"
    shown = render(
        example(label=name, labels=[name, "b"], scores={name: None}, skipped={name: name}),
        colour=False,
    )
    assert not set(shown) & set("\x1b\r\u2028") and "a\N{REPLACEMENT CHARACTER}[2Jb" in shown


def test_fit_cuts_and_fills_to_the_width():
    assert fit("abc", 5) == "abc  "
    assert fit("abcdef", 5) == "abcd…"
    assert columns(fit("電影電影", 5)) == 5
