"""
The frame of every HTML page: colours and style sheet of the heatmaps, a head, and a security policy. With it, a
browser loads nothing from other addresses and runs only the page's own scripts, whatever texts, labels or figures
contain.
"""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape

from attention_explain.files.own_files import PAGE_MARK

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
