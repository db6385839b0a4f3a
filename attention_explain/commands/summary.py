"""What a user reads when all is done."""

from typing import Any, Dict, List

from attention_explain.data.read_counts import counted


def attribution_summary(metadata: Dict[str, Any], flagged: Dict[str, int]) -> str:
    """
    How many texts, how fast, where the time went, what was left out, unknown, skipped or flagged.

    # Parameters

    metadata : `Dict[str, Any]`
        Of the attribution file.
    flagged : `Dict[str, int]`
        How many texts each method has flagged.
    """
    lines = _time_spent(metadata, "explained") + _left_out(metadata)
    count = metadata["instances"]
    unknown = metadata["unknown_tokens"]
    if unknown is not None:
        lines.append(
            f"  {100 * unknown['unknown'] / unknown['tokens']:.1f} % of the tokens are unknown to the model "
            f"({unknown['unknown']} of {unknown['tokens']}, in {unknown['texts']} texts)"
        )
    for method, reasons in metadata["skipped"].items():
        for reason, times in reasons.items():
            lines.append(f"  {method} skipped {times} of {count} texts: {reason}")
    for method, times in flagged.items():
        if times:
            lines.append(
                f"  {method} flagged {times} of {count} texts: its own check fails there "
                "(see its check columns)"
            )
    return "\n".join(lines)


def perturbation_summary(metadata: Dict[str, Any], found: List[str]) -> str:
    """The same of a perturbation file, with what failed or is undefined; last, what was found."""
    lines = _time_spent(metadata, "perturbed") + _left_out(metadata)
    count = metadata["instances"]
    for name, times in metadata["failed"].items():
        lines.append(f"  {name} found no other attention for {times} of {count} texts")
    for name, times in metadata["undefined"].items():
        lines.append(f"  {name} is undefined for {times} of {count} texts")
    lines += found
    return "\n".join(lines)


def _left_out(metadata: Dict[str, Any]) -> List[str]:
    """What the reader dropped or cut of the data."""
    texts = metadata.get("texts", {"kept": 0, "dropped": {}, "cut": {}})
    dropped, cut = sum(texts["dropped"].values()), sum(texts["cut"].values())
    lines = []
    if dropped:
        all_texts = texts["kept"] + dropped
        lines.append(f"  {dropped} of {all_texts} texts dropped: {counted(texts['dropped'])}")
    if cut:
        lines.append(f"  {cut} of {texts['kept']} texts cut: {counted(texts['cut'])}")
    return lines


def _time_spent(metadata: Dict[str, Any], done: str) -> List[str]:
    seconds: Dict[str, float] = metadata["seconds"]
    total = sum(seconds.values())
    count = metadata["instances"]
    rate = f", {count / total:.1f} texts a second" if total > 0 else ""
    lines = [f"{count} texts {done} in {total:.1f} s{rate}"]
    width = max(map(len, seconds))
    for name, spent in sorted(seconds.items(), key=lambda item: -item[1]):
        share = spent / total if total > 0 else 0
        lines.append(f"  {name.ljust(width)} {spent:9.2f} s {share:4.0%}")
    return lines
