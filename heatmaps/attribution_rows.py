"""The rows of an attribution file, made into explained texts again."""

from typing import Any, Dict, Iterable, Iterator, List, Mapping

from heatmaps.explanation import Explanation
from heatmaps.rationales import rationales_of


def explanations(
    rows: Iterable[Mapping[str, Any]], metadata: Mapping[str, Any]
) -> Iterator[Explanation]:
    """
    The texts as they were explained, less the model's attention where it is no method.

    # Parameters

    rows : `Iterable[Mapping[str, Any]]`
        By column, as `pyarrow.Table.to_pylist` gives them.
    metadata : `Mapping[str, Any]`
        That of the file.
    """
    methods: Dict[str, Dict[str, Any]] = metadata["interpreters"]
    signed = {name: declared["signed"] for name, declared in methods.items()}
    rationales = rationales_of(metadata["config"])
    for row in rows:
        yield Explanation(
            id=row["id"],
            tokens=row["tokens"],
            label=row["predicted"],
            labels=metadata["labels"],
            probs=row["probs"],
            scores={name: row[name] for name in methods},
            signed=signed,
            checks=_checks(row, list(methods)),
            skipped={
                name: ", ".join(metadata["skipped"].get(name, {}))
                for name in methods
                if row[name] is None
            },
            target=metadata["target"],
            gold=row["label"],
            rationale=row.get("rationale"),
            rationales=rationales,
            unknown=row.get("unknown"),
        )


def _checks(row: Mapping[str, Any], methods: List[str]) -> Dict[str, Dict[str, float]]:
    checks_of = {
        method: {
            name.removeprefix(f"{method}."): value
            for name, value in row.items()
            if name.startswith(f"{method}.") and value is not None
        }
        for method in methods
    }
    return {method: checks for method, checks in checks_of.items() if checks}
