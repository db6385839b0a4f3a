"""
Text of the data (labels, corpora, methods, file names) in the formats we write: one escaping a
format.
"""

import re
import unicodedata
from html import escape

# Line ends of any kind, controls, and halves of characters: none of them is for people to read.
UNREADABLE = ("Cc", "Cs", "Zl", "Zp")
NO_CHARACTERS = "\ufffe\uffff"

LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}

# What is in backticks is shown as it is, by every reader of Markdown.
CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
# With these begin HTML, formulas, emphasis, links and entities.
MARKUP = re.compile(
    r"[\\*~$`]|<(?=[A-Za-z/!?])|&(?=[#\w])|!(?=\[)|\](?=[(\[:])|(?<!\w)_|_(?!\w)", re.ASCII
)

# By these (the last four are wide ones) a spreadsheet knows a formula; an apostrophe before tells it
# that there is none.
FORMULA = re.compile("'*[-=+@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def one_line(text: str) -> str:
    """The text with a space for all that breaks a line or cannot be shown."""
    if text.isprintable():
        return text
    return "".join(" " if _unreadable(sign) else sign for sign in text)


def markdown_text(text: str) -> str:
    """Also for a cell of a table."""
    text, made, end = one_line(text), "", 0
    for code in CODE.finditer(text):
        made += MARKUP.sub(r"\\\g<0>", text[end : code.start()]) + code.group()
        end = code.end()
    made += MARKUP.sub(r"\\\g<0>", text[end:])
    # A pipe ends a cell, also in code.
    return made.replace("|", r"\|")


def markdown_code(text: str) -> str:
    """The text as code, whatever is in it."""
    text = one_line(text)
    runs = [len(run) for run in re.findall("`+", text)]
    fence = "`" * next(size for size in range(1, len(runs) + 2) if size not in runs)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def html_text(text: str) -> str:
    """Also for an attribute in quotes."""
    return escape(one_line(text))


def latex_text(text: str) -> str:
    """Also for a cell of a table, or a caption."""
    return "".join(LATEX_SPECIAL.get(character, character) for character in one_line(text))


def csv_text(text: str) -> str:
    """Numbers are no formulas, also where they are written as text."""
    return f"'{text}" if FORMULA.match(text) and not _number(text) else text


def text_of_csv(cell: str) -> str:
    """The text that `csv_text` made the cell of."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def _unreadable(sign: str) -> bool:
    return sign in NO_CHARACTERS or unicodedata.category(sign) in UNREADABLE


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isprintable()
