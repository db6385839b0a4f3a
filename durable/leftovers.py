"""
What a killed process leaves behind: files and folders that carry its number in their names, so that
the next one can tell whether anybody still owns them.
"""

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path


def owned_name(before: str, after: str = "") -> str:
    """A name that says which process it belongs to."""
    return f"{before}.{os.getpid()}{after}"


def clear_leftovers(folder: Path, before: str, after: str = "") -> None:
    """
    Removes what bears an owned name, and maybe more behind it, if no living process owns it. What
    cannot be removed is left: it is in nobody's way.
    """
    owned = re.compile(re.escape(before) + r"\.(\d+)(?!\d)" + re.escape(after) + ".*", re.DOTALL)
    with suppress(OSError):
        for path in folder.iterdir():
            name = owned.fullmatch(path.name)
            if name and not is_alive(int(name[1])):
                _remove(path)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
