"""
Who says which tokens decide: the maker of a corpus, who planted them and so knows, or people who
marked what seems to decide to them. The second is no fact about the model, and nobody's proof.
"""

from collections.abc import Collection
from typing import Any, List, Mapping, Optional, Sequence, Union

# 0 or 1 a token; or one such list for each of the annotators, who are kept apart.
Rationale = Union[Sequence[int], Sequence[Sequence[int]]]

KNOWN = "known causes"
MARKED = "marked by people"

# Readers of texts whose labels were made from the tokens that they mark.
MADE_FROM_CAUSES = ("planted",)


def rationales_of(config: Mapping[str, Any]) -> str:
    """From the training config in a file: what its reader of explained texts reads."""
    reader = config.get("validation_dataset_reader") or config.get("dataset_reader")
    kind = reader.get("type") if isinstance(reader, Mapping) else reader
    return KNOWN if kind in MADE_FROM_CAUSES else MARKED


def markings(rationale: Optional[Rationale]) -> List[Sequence[int]]:
    """What each annotator has marked: nothing at all where there is no rationale."""
    # A column of a table has NaN where there is none.
    if rationale is None or isinstance(rationale, float):
        return []
    return list(rationale) if several(rationale) else [rationale]


def several(rationale: Rationale) -> bool:
    """Whether it is a list of markings, and not one of them."""
    return len(rationale) > 0 and isinstance(rationale[0], Collection)
