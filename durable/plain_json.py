"""JSON that others have written: whatever is wrong with it is one kind of error."""

import json
from typing import Any, List, Union

# All that handles what was read goes down level by level, and Python's stack is not endless.
MOST_LEVELS = 200


def read_json(text: Union[str, bytes], **options: Any) -> Any:
    """
    As `json.loads`, but raises nothing except `JSONDecodeError`, also for bytes that are no text,
    for numbers that are too long, and for what is nested too deeply.
    """
    shown = text if isinstance(text, str) else text.decode("utf-8", "replace")
    try:
        value = json.loads(text, **options)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise _too_deep(shown) from None
    except UnicodeDecodeError as error:
        raise json.JSONDecodeError(f"not UTF-8 ({error.reason})", shown, 0) from error
    except ValueError as error:
        # Python makes no number of more than some thousand digits.
        reason = "a number is too long" if "digits" in str(error) else str(error)
        raise json.JSONDecodeError(reason, shown, 0) from error
    nested = isinstance(value, (dict, list)) and shown.count("[") + shown.count("{") > MOST_LEVELS
    if nested and _is_too_deep(value):
        raise _too_deep(shown)
    return value


def _too_deep(text: str) -> json.JSONDecodeError:
    return json.JSONDecodeError(f"nested deeper than {MOST_LEVELS} levels", text, 0)


def _is_too_deep(value: Any) -> bool:
    level: List[Any] = [value]
    for _ in range(MOST_LEVELS):
        level = [
            part
            for one in level
            for part in (one.values() if isinstance(one, dict) else one)
            if isinstance(part, (dict, list))
        ]
        if not level:
            return False
    return True
