"""
Wiegreffe & Pinter 2019, Table 1: how long the texts of a corpus are, and how many of each class there are. From files
that have all texts of a split: attribution files of the test texts, and the guides of guided models, which have train.
"""

from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

import pandas

from analysis.attributions import Attributions, load_attributions
from analysis.errors import AnalysisError
from analysis.model_config import guides_of
from analysis.output import Output
from analysis.papers.shared.published import published
from analysis.papers.shared.study_files import StudyFiles

NAME = "wiegreffe-pinter-table-1"
SPLITS = {"train": "train_data_path", "test": "test_data_path"}


def table_1(study: StudyFiles, output: Output) -> Optional[str]:
    """Adds the table of corpora. Nothing is ever left out."""
    rows: Dict[Tuple[str, str], Dict[str, Any]] = {}
    for file in _files(study):
        split = _whole_split(file)
        if split is not None and (file.model.corpus, split) not in rows:
            rows[file.model.corpus, split] = _row(file, split)
    if not rows:
        raise AnalysisError(
            "it takes an attribution file of all test texts, or of all training texts, as guided models have them"
        )
    theirs = published("wiegreffe_pinter/table1_corpora").rename(
        columns={"published_length": "published length"}
    )
    theirs["published by class"] = [
        _by_class(counts) for counts in zip(theirs["negative"], theirs["positive"])
    ]
    theirs["published texts"] = theirs.pop("negative") + theirs.pop("positive")
    table = pandas.DataFrame(rows.values()).merge(
        theirs, on=["corpus", "split"], how="left", validate="one_to_one"
    )
    table = table.astype({"published length": "Int64", "published texts": "Int64"})
    table["order"] = table["split"].map(list(SPLITS).index)
    table = table.sort_values(["corpus", "order"], kind="stable", ignore_index=True)
    columns = ["corpus", "split", "published length", "length", "published texts", "texts"]
    columns += ["published by class", "by class"]
    output.table(
        NAME,
        table.drop(columns="order"),
        "The corpora: mean length of the texts in tokens, and how many there are, compared with Wiegreffe & Pinter (2019), "
        f"Table 1. {', '.join(dict.fromkeys(table['corpus']))}.",
        "By class: in the order of the labels, negative first. Ours without the symbols at both ends of a text, and "
        "without the texts that the limits of length drop. Published: as Jain & Wallace (2019) print them, Table 1, "
        "whose splits these are; one length for train and test.",
        table[columns],
    )
    return None


def _files(study: StudyFiles) -> Iterator[Attributions]:
    """Those that were given; then what guided models have read, of each corpus once."""
    for model in study.models:
        yield model.files[0]
    seen: List[str] = []
    for run in study.runs:
        paths = [Path(guide).expanduser() for guide in guides_of(run.config)]
        if paths and run.model.corpus not in seen and all(path.is_file() for path in paths):
            seen.append(run.model.corpus)
            yield from map(load_attributions, paths)


def _whole_split(file: Attributions) -> Optional[str]:
    """Which split all of whose texts it has; None if some were left out, or it is another."""
    kept = file.metadata.get("texts", {}).get("kept", len(file.table))
    config = file.metadata["config"]
    for split, setting in SPLITS.items():
        if setting in config and file.metadata.get("data") == config[setting]:
            return split if len(file.table) == kept else None
    return None


def _row(file: Attributions, split: str) -> Dict[str, Any]:
    counts = file.table["label"].value_counts()
    return {
        "corpus": file.model.corpus,
        "split": split,
        "texts": len(file.table),
        "length": float(file.table["tokens"].map(len).mean()),
        "by class": _by_class([counts[label] for label in sorted(counts.index)]),
    }


def _by_class(counts: Any) -> str:
    return " / ".join(f"{int(count)}" for count in counts)
