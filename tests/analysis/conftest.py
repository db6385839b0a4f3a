"""For tests of what stands in tables, and not of how figures look."""

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def undrawn(monkeypatch):
    """Figures are empty files, which takes no time."""
    monkeypatch.setattr(Figure, "savefig", lambda figure, file, **options: file.write(b""))
