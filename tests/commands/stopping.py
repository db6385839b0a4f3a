"""Work that ends in the middle, as by a user who has had enough."""

from typing import Any, Type

import pytest


def stop_after(
    calls: int, owner: Type, method: str, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """Lets the given number of calls of the method go well, and raises the error at the next."""
    original = getattr(owner, method)
    made = []

    def limited(self: Any, *given: Any) -> Any:
        made.append(given)
        if len(made) > calls:
            raise error
        return original(self, *given)

    monkeypatch.setattr(owner, method, limited)
