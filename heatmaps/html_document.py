"""
The frame of every HTML page: its head, and a policy by which a browser loads nothing from anywhere
and runs nothing but the page's own scripts, whatever a text, a label or a figure may hold.
"""

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import Sequence


def policy(scripts: Sequence[str] = ()) -> str:
    """The Content-Security-Policy of a page with these scripts in it, to the letter."""
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
    A page that is complete in itself.

    # Parameters

    title : `str`
    style, scripts : `str`, `Sequence[str]`
        The program's own: nothing of them is escaped. Scripts stand at the end of the body.
    body : `str`
        HTML.
    classes : `str`
        Those of the body.
    """
    ending = "".join(f"<script>{script}</script>\n" for script in scripts)
    return (
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
        f'<meta http-equiv=Content-Security-Policy content="{policy(scripts)}">\n'
        '<meta name=viewport content="width=device-width, initial-scale=1">\n'
        # Not even the icon is asked for.
        '<link rel=icon href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f'<body class="{escape(classes)}">\n{body}{ending}</body>\n</html>\n'
    )
