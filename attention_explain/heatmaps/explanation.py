"""
One explained text: what `predict` prints, `attribute` writes and `explain` returns, and what is made
again of the rows of an attribution file.

And who says which tokens decide: the maker of a corpus, who planted them and so knows, or people who
marked what seems to decide to them. The second is no fact about the model, and nobody's proof.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

import numpy

# 0 or 1 a token; or one such list for each of the annotators, who are kept apart.
Rationale = Union[Sequence[int], Sequence[Sequence[int]]]

# The side of a pair on which both texts have scores.
BOTH = "both"
KNOWN = "known causes"
MARKED = "marked by people"

# Readers of texts whose labels were made from the tokens that they mark.
MADE_FROM_CAUSES = ("planted", "babi")


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


@dataclass
class Explanation:
    """
    A text, what the model makes of it, and which of its tokens mattered by each method.

    tokens : without boundary symbols; every list of scores is as long.
    label : the predicted one.
    labels, probs : the model's labels and their probabilities, in the same order.
    attention : the model's weights.
    scores : of each method; None where it failed on this text, and `skipped` says why.
    signed : of each method, whether a score may be negative.
    checks : of each method that has any, numbers that tell how good its scores are.
    target : the label that is explained, where that is not the predicted one of each text.
    gold, rationale : where there are any; several annotators' markings are a list of them.
    contrary : 1 for each token that speaks against the gold label, where that is known.
    rationales : who says so, `KNOWN` or `MARKED`.
    unknown : 1 for each token that is not in the model's vocabulary; None where that says nothing.
    side : of a pair, the text that has scores: `passage`, `query`, or `both`, the query's words last.
    other : of a pair, the words of the other text; those of the query, where both have scores.
    """

    tokens: List[str]
    label: str
    labels: List[str]
    probs: List[float]
    attention: Optional[List[float]] = None
    scores: Dict[str, Optional[List[float]]] = field(default_factory=dict)
    signed: Dict[str, bool] = field(default_factory=dict)
    checks: Dict[str, Dict[str, float]] = field(default_factory=dict)
    skipped: Dict[str, str] = field(default_factory=dict)
    id: str = ""
    target: Optional[str] = None
    gold: Optional[str] = None
    rationale: Optional[Rationale] = None
    contrary: Optional[List[int]] = None
    rationales: str = MARKED
    unknown: Optional[List[int]] = None
    side: Optional[str] = None
    other: Optional[List[str]] = None

    @property
    def beside(self) -> Optional[str]:
        """Of a pair, the text without scores, and what it is called; None if both have them."""
        if self.other is None or self.side == BOTH:
            return None
        return f"{'passage' if self.side == 'query' else 'query'}: {' '.join(self.other)}"

    @property
    def turn(self) -> Optional[int]:
        """Where the query begins in the tokens, if both texts have scores."""
        return len(self.tokens) - len(self.other or ()) if self.side == BOTH else None

    def to_dict(self) -> Dict[str, Any]:
        """As a line of `allennlp predict`; what is not known is left out."""
        known: Dict[str, Any] = {
            "id": self.id or None,
            "tokens": self.tokens,
            "label": self.label,
            "gold": self.gold,
            "target": self.target,
            "labels": self.labels,
            "probs": short(self.probs),
            "attention": None if self.attention is None else short(self.attention),
            "rationale": self.rationale,
            "unknown": self.unknown,
            "side": self.side,
            "other": self.other,
        }
        values = {name: value for name, value in known.items() if value is not None}
        values["saliency"] = {
            name: None if scores is None else short(scores) for name, scores in self.scores.items()
        }
        if self.checks:
            values["checks"] = {
                method: dict(zip(checks, short(checks.values()), strict=True))
                for method, checks in self.checks.items()
            }
        if self.skipped:
            values["skipped"] = self.skipped
        return values

    def __str__(self) -> str:
        from attention_explain.heatmaps.terminal import render

        return render(self)

    def _repr_html_(self) -> str:
        from attention_explain.heatmaps.html_page import fragment

        return fragment(self)


def short(values: Sequence[float]) -> List[float]:
    """
    The numbers with as many digits as single precision has: .3 for .30000001192092896, which is the
    same number there.
    """
    return [
        value if isinstance(value, int) else float(str(numpy.float32(value))) for value in values
    ]


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
            side=metadata.get("side", "passage") if row.get("other") is not None else None,
            other=row.get("other"),
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
