"""
Who says which tokens decide: the maker of a corpus, who planted them and so knows, or people who
marked what seems to decide to them. The second is no fact about the model, and nobody's proof.
"""

from typing import Any, Mapping

KNOWN = "known causes"
MARKED = "marked by people"

# Readers of texts whose labels were made from the tokens that they mark.
MADE_FROM_CAUSES = ("planted",)


def rationales_of(config: Mapping[str, Any]) -> str:
    """From the training config in a file: what its reader of explained texts reads."""
    reader = config.get("validation_dataset_reader") or config.get("dataset_reader")
    kind = reader.get("type") if isinstance(reader, Mapping) else reader
    return KNOWN if kind in MADE_FROM_CAUSES else MARKED
