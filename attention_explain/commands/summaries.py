"""Statistics of finished files, for their metadata, and the lines that a command prints at the end."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy
import pyarrow
import pyarrow.compute

from attention_explain.files.attributions import ExplainedText
from attention_explain.files.faithfulness import RANDOM, SEARCH, TIED
from attention_explain.files.perturbations import Field
from attention_explain.files.tables import component_columns

# The number of texts by name (such as a method) and reason.
Reasons = dict[str, dict[str, int]]


def count_reasons(pairs: Iterable[tuple[str, str]]) -> Reasons:
    """How often each name occurs with each reason."""
    counts: Reasons = {}
    for (name, reason), times in Counter(pairs).items():
        counts.setdefault(name, {})[reason] = times
    return counts


# Attributions


def count_skipped(texts: Sequence[ExplainedText]) -> Reasons:
    """The number of texts that each method skipped, by reason."""
    return count_reasons(pair for text in texts for pair in text.skipped.items())


def add_skipped(chunks: Sequence[Reasons]) -> Reasons:
    """The sum of these numbers over several chunks."""
    total: dict[str, Counter] = {}
    for counts in chunks:
        for method, reasons in counts.items():
            total.setdefault(method, Counter()).update(reasons)
    return {method: dict(reasons) for method, reasons in total.items()}


def check_summaries(table: pyarrow.Table) -> dict[str, dict[str, float | None]]:
    """Mean and largest absolute value of each check over all texts that were not skipped."""
    summaries = {}
    for name in component_columns(table):
        values = numpy.abs(table[name].drop_null().to_numpy())
        summaries[name] = {
            "mean_absolute": _finite(values.mean()) if len(values) else None,
            "largest_absolute": _finite(values.max()) if len(values) else None,
        }
    return summaries


def unknown_tokens(table: pyarrow.Table) -> dict[str, int] | None:
    """The number of tokens, of unknown tokens, and of texts with an unknown token."""
    if "unknown" not in table.column_names:
        return None
    marks = table["unknown"].to_pylist()
    return {
        "tokens": sum(map(len, marks)),
        "unknown": sum(map(sum, marks)),
        "texts": sum(map(any, marks)),
    }


def attribution_summary(table: pyarrow.Table, metadata: dict[str, Any]) -> list[str]:
    """Unknown tokens, skipped texts, and texts whose check failed."""
    lines = []
    count = table.num_rows
    unknown = metadata["unknown_tokens"]
    if unknown is not None:
        lines.append(
            f"  {100 * unknown['unknown'] / unknown['tokens']:.1f} % of the tokens are unknown to the "
            f"model ({unknown['unknown']} of {unknown['tokens']}, in {unknown['texts']} texts)"
        )
    for method, reasons in metadata["skipped"].items():
        for reason, times in reasons.items():
            lines.append(f"  {method} skipped {times} of {count} texts: {reason}")
    for name in component_columns(table):
        flagged = name.endswith(".flagged") and int(table[name].drop_null().to_numpy().sum())
        if flagged:
            lines.append(
                f"  {name.removesuffix('.flagged')} flagged {flagged} of {count} texts: its own check "
                "fails there (see its check columns)"
            )
    return lines


# Perturbations


def count_failed(table: pyarrow.Table) -> dict[str, int]:
    """The number of texts for which each perturbation failed, for those that can fail."""
    return {
        name.removesuffix(".success"): table.num_rows - pyarrow.compute.sum(table[name]).as_py()
        for name in table.column_names
        if name.endswith(".success")
    }


def undefined_fields(table: pyarrow.Table) -> dict[str, int]:
    """The number of texts for which a field is undefined, if there are any."""
    counts = {name: table[name].null_count for name in component_columns(table)}
    return {name: count for name, count in counts.items() if count}


def perturbation_summary(
    table: pyarrow.Table, metadata: dict[str, Any], perturbations: Mapping[str, Any]
) -> list[str]:
    """Failures, undefined fields, and the findings of each `Perturbation`."""
    count = table.num_rows
    lines = [
        f"  {name} found no other attention for {times} of {count} texts"
        for name, times in metadata["failed"].items()
    ]
    # Usually all fields of a perturbation are undefined for the same texts.
    alike: dict[tuple[str, int], list[str]] = {}
    for name, times in metadata["undefined"].items():
        perturbation, _, field = name.partition(".")
        alike.setdefault((perturbation, times), []).append(field)
    lines += [
        f"  {perturbation} is undefined ({', '.join(fields)}) for {times} of {count} texts"
        for (perturbation, times), fields in alike.items()
    ]
    for name, perturbation in perturbations.items():
        results = {
            field: table[f"{name}.{field}"].cast(pyarrow.float64()).to_numpy()
            for field, kind in perturbation.fields.items()
            if kind in (Field.NUMBER, Field.FLAG)
        }
        if not any(numpy.isnan(values).all() for values in results.values()):
            lines.append(perturbation.found(results))
    return [line for line in lines if line is not None]


# Faithfulness


def undefined_values(table: pyarrow.Table) -> Reasons:
    """The number of undefined values of each measure, by reason."""
    undefined = table.filter(pyarrow.compute.is_valid(table["undefined"]))
    return count_reasons(zip(undefined["measure"].to_pylist(), undefined["undefined"].to_pylist()))


def faithfulness_summary(table: pyarrow.Table, metadata: dict[str, Any]) -> list[str]:
    """Missing scores, ties, and the faithfulness score of each method by each measure."""
    lines = []
    for method, reasons in metadata["skipped"].items():
        for reason, times in reasons.items():
            lines.append(f"  {method} has no scores for {times} texts: {reason}")
    for method, share in _ties(table).items():
        if share > 0:
            lines.append(
                f"  {method}: {100 * share:.0f} % of the tokens have tied scores, and are ranked at random"
            )
    removal = next(iter(metadata["erasures"]), None)
    lines += _measures_without_scale(table, metadata, removal)
    scores = _faithfulness_scores(table, removal)
    # A measure may have several forms; the first has its name.
    measures = [
        name
        for name, about in metadata["measures"].items()
        if about["in_order"] and about["of"] == name and any(of == name for of, _ in scores)
    ]
    if measures:
        methods = [method for method in metadata["methods"] if (measures[0], method) in scores]
        methods.sort(key=lambda method: -scores[measures[0], method])
        width = max(map(len, methods))
        heads = [name.replace("_", " ") for name in measures]
        lines.append(
            f"  faithfulness scores (0 = random order, 1 = best order found), words removed by {removal}:"
        )
        lines.append(f"  {'':{width}}  {'  '.join(heads)}")
        for method in methods:
            cells = (
                f"{scores[name, method]:{len(head)}.2f}"
                if (name, method) in scores
                else " " * len(head)
                for name, head in zip(measures, heads, strict=True)
            )
            lines.append(f"  {method:{width}}  {'  '.join(cells)}".rstrip())
    return lines


def _measures_without_scale(
    table: pyarrow.Table, metadata: dict[str, Any], removal: str | None
) -> list[str]:
    """Means of measures without a scale, and methods for which they are always undefined."""
    lines = []
    for measure, about in metadata["measures"].items():
        if about["of"] != measure or about["in_order"]:
            continue
        means = {}
        for method in metadata["methods"]:
            rows = _rows_of(table, measure, method, removal)
            values = rows["value"].drop_null().to_numpy()
            if len(values):
                means[method] = float(values.mean())
            elif len(rows):
                (reason, _), *_ = Counter(rows["undefined"].to_pylist()).most_common()
                lines.append(f"  {measure}: undefined for {method}: {reason}")
        if means:
            listed = ", ".join(f"{method} {mean:.3g}" for method, mean in means.items())
            best = "higher" if about["higher_is_better"] else "lower"
            lines.append(f"  {measure.replace('_', ' ')} ({best} is better): {listed}")
    return lines


def _rows_of(table: pyarrow.Table, measure: str, method: str, removal: str | None) -> pyarrow.Table:
    """The rows of this removal method, and those of measures that remove nothing."""
    compute = pyarrow.compute
    rows = table.filter(compute.equal(table["measure"], measure))
    rows = rows.filter(compute.equal(rows["method"], method))
    return rows.filter(
        compute.equal(compute.fill_null(rows["erasure"], removal or ""), removal or "")
    )


def _ties(table: pyarrow.Table) -> dict[str, float]:
    """The mean fraction of tokens with tied scores, by method."""
    tied = table.filter(pyarrow.compute.equal(table["measure"], TIED))
    means = tied.group_by("method").aggregate([("value", "mean")]).to_pylist()
    return {row["method"]: row["value_mean"] or 0.0 for row in means}


def _faithfulness_scores(table: pyarrow.Table, removal: str | None) -> dict[tuple[str, str], float]:
    """
    Faithfulness scores by measure and method; binned measures count with their mean. As in the tables of
    `analysis`: the mean gain over random orders, divided by the mean gain of the best order found.
    """
    compute = pyarrow.compute
    wanted = compute.and_(
        compute.and_(compute.equal(table["erasure"], removal), compute.is_null(table["k"])),
        compute.is_valid(table["value"]),
    )
    values: dict[tuple[str, str], dict[str, float]] = {}
    columns = table.filter(wanted).select(["measure", "method", "id", "value"])
    for row in columns.to_pylist():
        values.setdefault((row["measure"], row["method"]), {})[row["id"]] = row["value"]
    scores = {}
    for (measure, method), of_texts in values.items():
        random, best = (values.get((measure, end), {}) for end in (RANDOM, SEARCH))
        ids = [text for text in of_texts if text in random and text in best]
        possible = sum(best[text] - random[text] for text in ids)
        if method not in (RANDOM, SEARCH) and possible != 0:
            scores[measure, method] = sum(of_texts[text] - random[text] for text in ids) / possible
    return scores


def _finite(value: float) -> float | None:
    """JSON has no NaN."""
    return float(value) if numpy.isfinite(value) else None
