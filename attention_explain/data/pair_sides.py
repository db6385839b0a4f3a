"""Instances of pairs for explanations of the query, or of both texts, instead of the passage."""

from collections.abc import Sequence
from typing import Any

import numpy
from allennlp.data import Field, Instance, Token
from allennlp.data.fields import MetadataField, TensorField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer

from attention_explain.errors import InputError

PASSAGE, QUERY, BOTH = SIDES = ("passage", "query", "both")
# The indexer for the text that a token belongs to: 0 the passage, 1 the query.
PART = "part"


def turned(instances: Sequence[Instance], side: str) -> list[Instance]:
    """The pairs with the text of that side as `tokens`; they must have their token indexers."""
    if side == PASSAGE:
        return list(instances)
    for instance in instances:
        if "query" not in instance.fields:
            raise InputError(f"side is '{side}', but the texts are not pairs")
    return [_query(each) if side == QUERY else _both(each) for each in instances]


def _query(instance: Instance) -> Instance:
    known = instance["metadata"].metadata
    fields: dict[str, Field] = {
        "tokens": instance["query"],
        "attendable": _attendable(_shown(instance, "query")),
        "passage": instance["tokens"],
    }
    if "attendable" in instance.fields:
        fields["passage_attendable"] = instance["attendable"]
    told = {"id": known["id"], "tokens": known["query"], "other": known["tokens"], "side": QUERY}
    return _with(instance, fields, told)


def _both(instance: Instance) -> Instance:
    known = instance["metadata"].metadata
    tokens = [
        Token(token.text, type_id=part)
        for part, field in enumerate(("tokens", "query"))
        for token in instance[field].tokens
    ]
    part = SingleIdTokenIndexer(namespace=None, feature_name="type_id")
    indexers = {**instance["tokens"].token_indexers, PART: part}
    shown = _shown(instance, "tokens") + _shown(instance, "query")
    fields = {"tokens": TextField(tokens, indexers), "attendable": _attendable(shown)}
    told: dict[str, Any] = {
        "id": known["id"],
        "tokens": [*known["tokens"], *known["query"]],
        "other": known["query"],
        "side": BOTH,
    }
    # Rationales mark words of the passage only.
    nothing = [0] * len(known["query"])
    marks = known.get("rationale")
    if marks is not None:
        several = len(marks) > 0 and not isinstance(marks[0], int)
        told["rationale"] = [[*each, *nothing] for each in marks] if several else [*marks, *nothing]
    if "contrary" in known:
        told["contrary"] = [*known["contrary"], *nothing]
    return _with(instance, fields, told)


def _with(instance: Instance, fields: dict[str, Field], told: dict[str, Any]) -> Instance:
    for name in ("candidates", "label"):
        if name in instance.fields:
            fields[name] = instance[name]
    return Instance({**fields, "metadata": MetadataField(told)})


def _shown(instance: Instance, name: str) -> list[int]:
    """0 at boundary symbols, which are around both texts or around none."""
    tokens = len(instance[name].tokens)
    bounds = 1 if "attendable" in instance.fields else 0
    return [0] * bounds + [1] * (tokens - 2 * bounds) + [0] * bounds


def _attendable(mask: list[int]) -> TensorField:
    return TensorField(numpy.array(mask, dtype=bool))
