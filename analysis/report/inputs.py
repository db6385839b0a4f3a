"""The files behind an output folder, as far as they are still what was analysed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional

from analysis.attributions import Attributions, load_attributions
from analysis.errors import AnalysisError
from analysis.perturbations import METADATA as PERTURBED
from analysis.perturbations import load_perturbations
from analysis.runs import METRICS
from analysis.text_files import TextFile, has_key
from durable.checksums import sha256


@dataclass(frozen=True)
class Input:
    """
    A file that the manifest lists.

    file : what is in it, where that is texts; None for what a training run reached.
    problem : why it cannot be shown, if it cannot.
    """

    path: str
    sha256: str
    file: Optional[TextFile]
    problem: str = ""

    @property
    def attributions(self) -> Optional[Attributions]:
        return self.file if isinstance(self.file, Attributions) else None


def load_inputs(manifest: Dict[str, Any]) -> List[Input]:
    """
    A file that is gone or has changed is no error: tables and figures stand without it. But its
    texts are not shown beside numbers that come from others.
    """
    # Two analyses may have been given one file by two names.
    files = {entry["sha256"]: entry["path"] for entry in reversed(manifest["files"])}
    return [_load(path, expected) for expected, path in reversed(files.items())]


def _load(path: str, expected: str) -> Input:
    if not Path(path).is_file():
        return Input(path, expected, None, "is not there (any more)")
    try:
        if sha256(Path(path)) != expected:
            return Input(path, expected, None, "has changed since it was analysed")
        return Input(path, expected, _content(Path(path)))
    except (AnalysisError, OSError) as error:
        return Input(path, expected, None, f"cannot be read ({error})")


def _content(path: Path) -> Optional[TextFile]:
    if path.name == METRICS:
        return None
    return load_perturbations(path) if has_key(path, PERTURBED) else load_attributions(path)
