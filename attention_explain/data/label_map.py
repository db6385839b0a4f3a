"""The labels that a file may hold, and the names they get."""

from typing import Any, Dict, Optional

from attention_explain.data.example import Example


class LabelMap:
    """`labels` as the readers take them: None takes every label as it is, a name of None drops texts."""

    def __init__(self, labels: Optional[Dict[str, Any]]) -> None:
        self.labels = labels

    def without_spaces(self, label: str) -> str:
        """A label as it is meant: spaces around it count only where the map has them."""
        return label if label in (self.labels or {}) else label.strip()

    def mapped(self, example: Example, field: str) -> Optional[str]:
        """
        The name of the example's label, which its file has as `field`; None where its texts are to be
        dropped.
        """
        label = str(example.label)
        if self.labels is None:
            return label
        if label not in self.labels:
            known = ", ".join(repr(name) for name in self.labels)
            raise example.error(f"field '{field}' is {label!r}, which is none of {known}")
        name = self.labels[label]
        return None if name is None else str(name)

    def is_new_name(self, label: str) -> bool:
        """Whether it is a name that the map gives, and not one that it replaces."""
        labels = self.labels or {}
        new_names = {str(name) for name in labels.values() if name is not None}
        return label in new_names and label not in labels
