"""Heatmaps as HTML, in a page or in a notebook: the tokens of a text, in one row per method."""

from collections.abc import Sequence
from html import escape
from typing import Any

from attention_explain.files.attributions import markings
from attention_explain.heatmaps.explanation import Explanation
from attention_explain.heatmaps.html_document import PAGE_STYLE, SHADES, document, style
from attention_explain.heatmaps.overview import MANY, Facts, overview, script

# The number of labels with a bar.
SHOWN_LABELS = 5

SCALE_NOTE = (
    "Each row is scaled by its own largest absolute score, which is shown below the method's name: "
    "between rows, compare which tokens are coloured, not how deep the colour is. Point at a token to see its "
    "score."
)


def page(
    cards: Sequence[str],
    title: str = "Which tokens mattered",
    about: Sequence[str] = (),
    methods: dict[str, dict[str, Any]] | None = None,
    facts: Sequence[Facts] = (),
) -> str:
    """
    A self-contained page.

    # Parameters

    cards : `Sequence[str]`
        The texts, made by `card`.
    about : `Sequence[str]`
        Lines about the origin of the scores.
    methods : `Dict[str, Dict[str, Any]]`, optional
        The declared properties of each method (`registry.properties`).
    facts : `Sequence[Facts]`, optional
        Facts about each text. With many texts, the page has a summary line per method, and texts can be sorted
        and filtered.
    """
    many = len(facts) > MANY
    lines = "".join(f"<p class=about>{escape(line)}</p>\n" for line in about)
    body = (
        f"<div class=page>\n<header>\n<h1>{escape(title)}</h1>\n{lines}"
        f"{legend()}{_methods_table(methods or {})}{overview(facts) if many else ''}</header>\n<main>\n"
        + "".join(cards)
        + "</main>\n</div>\n"
    )
    scripts = [script()] if many else []
    return document(title, style() + PAGE_STYLE, body, classes="ae", scripts=scripts)


def fragment(explanation: Explanation) -> str:
    """One text with style and legend, for a notebook."""
    return f"<div class=ae><style>{style()}</style>{card(explanation)}{legend()}</div>"


def card(explanation: Explanation, heading: str = "h2", facts: Facts | None = None) -> str:
    """
    One text: the prediction, then a row of tokens per method. `facts` are for pages on which texts can be sorted.
    """
    rows = [_row(explanation, method, scores) for method, scores in explanation.scores.items()]
    rows = _other_row(explanation) + _rationale_rows(explanation) + rows
    name = f"<{heading}>{escape(explanation.id)}</{heading}>" if explanation.id else ""
    return (
        f"<article{facts.attributes() if facts else ''}>\n<div class=prediction>{name}{_prediction(explanation)}</div>\n"
        f"<table>\n{''.join(rows)}</table>\n</article>\n"
    )


def _prediction(explanation: Explanation) -> str:
    parts = [f"<span>predicted <b>{escape(explanation.label)}</b></span>"]
    if explanation.gold is not None:
        wrong = explanation.gold != explanation.label
        parts.append(
            f"<span{' class=wrong' if wrong else ''}>gold <b>{escape(explanation.gold)}</b>"
            f"{' (wrong)' if wrong else ''}</span>"
        )
    if explanation.target is not None:
        parts.append(f"<span>explained <b>{escape(explanation.target)}</b></span>")
    chances = sorted(zip(explanation.probs, explanation.labels, strict=True), reverse=True)
    bars = [
        f'<span><span class=bar style="width:{4 * chance:.2f}rem"></span>'
        f"<b>{escape(label)}</b> {chance:.3f}</span>"
        for chance, label in chances[:SHOWN_LABELS]
    ]
    if len(chances) > SHOWN_LABELS:
        bars.append(f"<span>and {len(chances) - SHOWN_LABELS} more labels</span>")
    return "".join(parts) + f"<span class=probs>{''.join(bars)}</span>"


def _row(explanation: Explanation, method: str, scores: list[float] | None) -> str:
    name = escape(method)
    if scores is None:
        reason = escape(explanation.skipped.get(method, "not known"))
        return f"<tr><th scope=row>{name}</th><td>no scores: {reason}</td></tr>\n"
    signed = explanation.signed.get(method, any(score < 0 for score in scores))
    largest = max(map(abs, scores), default=0.0)
    unknown = explanation.unknown or [0] * len(scores)
    marked = [
        _token(token, score, largest, signed, bool(mark))
        for token, score, mark in zip(explanation.tokens, scores, unknown, strict=True)
    ]
    tokens = _join(marked, explanation.query_start)
    checks = explanation.checks.get(method, {})
    flagged = "; flagged" if checks.get("flagged") else ""
    details = "; ".join(f"{check} {value:.3g}" for check, value in checks.items())
    title = f' title="{escape(details)}"' if details else ""
    return (
        f"<tr><th scope=row{title}>{name}<small>largest {largest:.3g}{flagged}</small></th>"
        f"<td dir=auto>{tokens}</td></tr>\n"
    )


def _token(token: str, score: float, largest: float, signed: bool, unknown: bool) -> str:
    shade = round(SHADES * abs(score) / largest) if largest > 0 else 0
    scale = "u" if not signed else "n" if score < 0 else "p"
    colour = f"{scale}{shade}" if shade else ""
    word = escape(token)
    if unknown:
        return f'<i class="{colour} x" title="{score:.3g}, unknown">{word}</i>'
    # Most tokens have no visible shade; short tags keep the page small.
    return f"<i{f' class={colour}' if colour else ''} title={score:.3g}>{word}</i>"


def _rationale_rows(explanation: Explanation) -> list[str]:
    """One row per annotator."""
    by_annotator = markings(explanation.rationale)
    rows = []
    for number, marking in enumerate(by_annotator, start=1):
        words = [
            f"<i{' class=r' if inside else ''}>{escape(token)}</i>"
            for token, inside in zip(explanation.tokens, marking, strict=True)
        ]
        marked = _join(words, explanation.query_start)
        who = f", {number} of {len(by_annotator)}" if len(by_annotator) > 1 else ""
        rows.append(
            f"<tr class=rationale><th scope=row>rationale<small>{explanation.rationales}{who}"
            f"</small></th><td dir=auto>{marked}</td></tr>\n"
        )
    return rows


def _other_row(explanation: Explanation) -> list[str]:
    """The text of a pair that has no scores."""
    if explanation.context is None:
        return []
    name, _, words = explanation.context.partition(": ")
    return [
        f"<tr class=rationale><th scope=row>{name}<small>without scores</small></th>"
        f"<td dir=auto>{escape(words)}</td></tr>\n"
    ]


def _join(words: Sequence[str], query_start: int | None) -> str:
    """The words, with a bar before the query of a pair."""
    if query_start is None:
        return " ".join(words)
    return f"{' '.join(words[:query_start])} <b>|</b> {' '.join(words[query_start:])}"


def legend() -> str:
    """The meaning of the colours."""
    return (
        "<div class=legend>"
        "<div>against the class (dotted) <span class='scale signed-scale'></span> for it, "
        "signed methods</div>"
        "<div>0 <span class='scale strength-scale'></span> largest, unsigned methods</div>"
        "<div><i class=x>word</i> unknown to the model, which treats all such words alike</div>"
        f"</div>\n<p class=about>{SCALE_NOTE}</p>\n"
    )


def _methods_table(methods: dict[str, dict[str, Any]]) -> str:
    if not methods:
        return ""
    rows = "".join(
        f"<tr><th scope=row>{escape(name)}</th>"
        f"<td>{'signed' if declared.get('signed') else 'unsigned'}</td>"
        f"<td>{'deterministic' if declared.get('deterministic') else 'seeded by the id'}</td>"
        f"<td>{escape(str(declared.get('passes', '')))}</td>"
        f"<td>{_sum(declared.get('sums_to'))}</td></tr>\n"
        for name, declared in methods.items()
    )
    return (
        "<details class=methods>\n<summary>Properties of the methods</summary>\n"
        f"<table>\n{rows}</table>\n</details>\n"
    )


def _sum(sums_to: str | None) -> str:
    return f"scores sum to: {escape(sums_to)}" if sums_to else ""
