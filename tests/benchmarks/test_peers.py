"""The environment of the packages that `benchmarks.peers` compares with."""

import re
import subprocess
import sys

import pytest

from benchmarks.peers import REQUIREMENTS, install

# These have no wheel on PyPI, so that pip builds them; jsonnet has none either, and compiles for a minute.
BUILT = ("lime", "pytreebank")


@pytest.mark.slow
def test_packages_without_a_wheel_are_built_with_an_empty_cache(tmp_path, monkeypatch):
    listed = re.findall(r"^(\S+)==", REQUIREMENTS.read_text(), re.MULTILINE)
    assert set(BUILT) <= set(listed)
    monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "cache"))
    lookup = [sys.executable, "-m", "pip", "index", "versions", "lime"]
    if subprocess.run(lookup, capture_output=True).returncode:
        pytest.skip("no package index can be reached from here")
    pinned = [line for line in REQUIREMENTS.read_text().splitlines() if line.startswith(BUILT)]
    assert install(tmp_path / "environment", pinned) is None
