"""
Recognises files that this program wrote, so that it does not replace files of the user: logs and pages by their
first lines, verdicts by verdict.json or the page.
"""

from itertools import chain, count
from pathlib import Path

from attention_explain.files.atomic import OverwriteError
from attention_explain.files.records import read_json

# The first line of a log.
LOG_MARK = "# log of attention_explain"
VERDICT, PAGE = "verdict.json", "verdict.html"
VERDICT_FILES = (VERDICT, "verdict.md", PAGE)
VERDICT_FIELDS = {"model", "attention", "questions", "methods"}
# The beginning of every page.
PAGE_MARK = (
    "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
    "<meta http-equiv=Content-Security-Policy "
)


def log_name(output: str | Path) -> Path:
    """The log of an output: OUTPUT.log, or OUTPUT.2.log, ... if another file has that name."""
    numbered = (f"{output}.{number}.log" for number in count(2))
    names = map(Path, chain([f"{output}.log"], numbered))
    return next(path for path in names if not _exists(path) or _begins_with(path, LOG_MARK))


def check_verdict_files(folder: Path) -> None:
    """Raise if a verdict would replace a file that is not part of a verdict."""
    present = [folder / name for name in VERDICT_FILES if _exists(folder / name)]
    if _exists(folder / VERDICT):
        own = _is_verdict(folder / VERDICT)
    else:
        own = _begins_with(folder / PAGE, PAGE_MARK)
    if present and not own:
        raise OverwriteError(
            f"{present[0]}: was not written by this program, and would be replaced; move it, or give "
            "another folder"
        )


def check_page(path: str | Path, force: bool = False) -> None:
    """Raise if the file exists and is not a page of this program, unless `force` is given."""
    if not force and _exists(Path(path)) and not _begins_with(Path(path), PAGE_MARK):
        raise OverwriteError(
            f"{path}: exists, and was not written by this program; move it, or give another name"
        )


def _exists(path: Path) -> bool:
    """Whether there is a file, or a link with or without a target."""
    return path.exists() or path.is_symlink()


def _begins_with(path: Path, mark: str) -> bool:
    try:
        if not path.is_file():
            return False
        with open(path, "rb") as file:
            return file.read(len(mark)) == mark.encode()
    except OSError:
        return False


def _is_verdict(path: Path) -> bool:
    try:
        stated = read_json(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(stated, dict) and stated.keys() >= VERDICT_FIELDS
