"""
Heatmaps as HTML, in a page or in a notebook: the tokens of a text, in one row per method; and the frame of
every HTML page: colours and style sheet, a head, and a security policy. With it, a browser loads nothing from
other addresses and runs only the page's own scripts, whatever texts, labels or figures contain.
"""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from typing import Any

from attention_explain.files.atomic import PAGE_MARK
from attention_explain.files.attributions import markings
from attention_explain.heatmaps.explanation import NORMAL, Explanation
from attention_explain.heatmaps.overview import MANY, Facts, overview, script

Colour = tuple[int, int, int]

# The number of shades of a scale, in addition to white.
SHADES = 12

# The deepest shade of each scale; black text on it has a contrast of at least 7 to 1. Orange and blue can be
# distinguished with all kinds of colour blindness. Unsigned scores have a scale of one hue.
FOR: Colour = (255, 163, 77)
AGAINST: Colour = (122, 176, 240)
STRENGTH: Colour = (178, 160, 222)

# Class names: p for, n against, u unsigned.
SCALES = {"p": FOR, "n": AGAINST, "u": STRENGTH}

_STYLE = """
.ae { color-scheme: light; color: #1b1b1b; background: #fff; line-height: 1.45;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  -webkit-print-color-adjust: exact; print-color-adjust: exact; }
.ae article { border: 1px solid #d9d9d9; border-radius: 6px; padding: .7rem .9rem .5rem;
  margin: 0 0 1rem; content-visibility: auto; contain-intrinsic-size: auto 20rem; }
.ae :is(h2, h3, h4, h5) { font-size: 1rem; margin: 0 .8rem 0 0; overflow-wrap: anywhere; }
.ae .prediction { display: flex; flex-wrap: wrap; gap: .15rem .9rem; align-items: baseline;
  margin: 0 0 .45rem; font-size: .9rem; }
.ae .prediction span { overflow-wrap: anywhere; }
.ae .wrong { border: 1px solid #1b1b1b; border-radius: 3px; padding: 0 .3rem; }
.ae .probs { display: inline-flex; flex-wrap: wrap; gap: .1rem .9rem; }
.ae .bar { display: inline-block; height: .6rem; background: #8a8a8a; margin-right: .25rem; }
.ae table { border-collapse: collapse; width: 100%; }
.ae th { text-align: left; vertical-align: top; font-weight: 600; font-size: .82rem; width: 10.5rem;
  padding: .3rem .8rem .3rem 0; overflow-wrap: anywhere; }
.ae th small { display: block; font-weight: 400; color: #595959; }
.ae td { padding: .25rem 0; line-height: 1.7; overflow-wrap: anywhere; }
.ae tr + tr > * { border-top: 1px solid #efefef; }
.ae i { font-style: normal; border-radius: 3px; padding: .08rem .14rem; }
.ae i[class^="n"] { text-decoration: underline dotted #1b1b1b 1px; text-underline-offset: .2em; }
.ae i.x { outline: 1px dashed #6a6a6a; outline-offset: -1px; font-style: italic; }
.ae .rationale i { color: #767676; }
.ae .rationale i.r { color: #1b1b1b; font-weight: 700; border-bottom: 2px solid #1b1b1b;
  border-radius: 0; }
.ae .legend { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; font-size: .85rem;
  margin: .6rem 0; }
.ae .legend div { display: flex; align-items: center; gap: .4rem; }
.ae .scale { display: inline-block; width: 8rem; height: .9rem; border: 1px solid #b5b5b5; }
@media (max-width: 40rem) {
  .ae tr, .ae th, .ae td { display: block; width: auto; }
  .ae th { padding: .35rem 0 0; border: 0; }
  .ae th small { display: inline; margin-left: .5rem; }
  .ae tr + tr > td { border-top: 0; }
  .ae tr + tr { border-top: 1px solid #efefef; display: block; }
  .ae article { padding: .6rem .6rem .3rem; }
}
@media print {
  .ae article { break-inside: avoid; content-visibility: visible; }
}
"""

PAGE_STYLE = """
body { margin: 0; background: #fff; }
.page { max-width: 72rem; margin: 0 auto; padding: 1rem; }
.page h1 { font-size: 1.35rem; margin: .2rem 0 .3rem; }
.page p { margin: .2rem 0; max-width: 60rem; }
.page .about { color: #4a4a4a; font-size: .9rem; overflow-wrap: anywhere; }
.page .methods { margin: .5rem 0 1.1rem; font-size: .85rem; }
.page .methods summary { cursor: pointer; }
.page .summary { margin: .5rem 0; padding-left: 1.2rem; font-size: .9rem; overflow-wrap: anywhere; }
.page .controls { display: flex; flex-wrap: wrap; gap: .5rem 1.4rem; align-items: center;
  margin: .6rem 0 1rem; font-size: .9rem; }
.page .controls :is(select, input) { font: inherit; max-width: 100%; }
.page [hidden] { display: none; }
.page .methods table { width: auto; }
.page .methods th, .page .methods td { padding: .15rem 1.2rem .15rem 0; line-height: 1.4;
  border: 0; width: auto; }
@media (max-width: 40rem) {
  .page .methods th, .page .methods td { display: inline; padding: 0 .5rem 0 0; }
}
"""


def style() -> str:
    """The style sheet of the heatmaps, with a rule for every shade."""
    shades = [
        f".ae .{scale}{shade} {{ background: {_hex(colour, shade / SHADES)}; }}"
        for scale, colour in SCALES.items()
        for shade in range(1, SHADES + 1)
    ]
    scales = [
        f".ae .signed-scale {{ background: linear-gradient(to right, "
        f"{_hex(AGAINST, 1)}, #fff, {_hex(FOR, 1)}); }}",
        f".ae .strength-scale {{ background: linear-gradient(to right, "
        f"#fff, {_hex(STRENGTH, 1)}); }}",
    ]
    return _STYLE + "\n".join([*shades, *scales]) + "\n"


def _hex(colour: Colour, depth: float) -> str:
    """A colour between white (depth 0) and `colour` (depth 1)."""
    mixed = [round(255 + depth * (channel - 255)) for channel in colour]
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def policy(scripts: Sequence[str] = ()) -> str:
    """The Content-Security-Policy of a page with exactly these scripts."""
    hashes = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{each}'" for each in hashes) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def document(
    title: str, style: str, body: str, classes: str = "", scripts: Sequence[str] = ()
) -> str:
    """
    A self-contained page.

    # Parameters

    title : `str`
    style, scripts : `str`, `Sequence[str]`
        Not escaped. Scripts are at the end of the body.
    body : `str`
        HTML.
    classes : `str`
        The class names of the body.
    """
    ending = "".join(f"<script>{script}</script>\n" for script in scripts)
    return (
        f'{PAGE_MARK}content="{policy(scripts)}">\n'
        '<meta name=viewport content="width=device-width, initial-scale=1">\n'
        # Keeps browsers from requesting an icon.
        '<link rel=icon href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f'<body class="{escape(classes)}">\n{body}{ending}</body>\n</html>\n'
    )


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
    rows = (
        _other_row(explanation) + _rationale_rows(explanation) + _relevance_row(explanation) + rows
    )
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
    if explanation.contrast is not None:
        parts.append(f"<span>rather than <b>{escape(explanation.contrast)}</b></span>")
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


def _token(
    token: str, score: float, largest: float, signed: bool, unknown: bool, interval: str = ""
) -> str:
    shade = round(SHADES * abs(score) / largest) if largest > 0 else 0
    scale = "u" if not signed else "n" if score < 0 else "p"
    colour = f"{scale}{shade}" if shade else ""
    word = escape(token)
    if unknown:
        return f'<i class="{colour} x" title="{score:.3g}, unknown">{word}</i>'
    # Most tokens have no visible shade; short tags keep the page small.
    title = f'"{score:.3g}{interval}"' if interval else f"{score:.3g}"
    return f"<i{f' class={colour}' if colour else ''} title={title}>{word}</i>"


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


def _relevance_row(explanation: Explanation) -> list[str]:
    """How much each word moves the output, and how certain that is."""
    relevance = explanation.relevance
    if relevance is None:
        return []
    largest = max(relevance.values, default=0.0)
    marked = [
        _token(token, value, largest, False, False, "" if not error else f" ± {NORMAL * error:.2g}")
        for token, value, error in zip(
            explanation.tokens, relevance.values, relevance.errors, strict=True
        )
    ]
    return [
        "<tr class=relevance><th scope=row>moves the output"
        f"<small>largest {largest:.3g}; ranking {relevance.mark}</small></th>"
        f"<td dir=auto>{_join(marked, explanation.query_start)}</td></tr>\n"
    ]


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
