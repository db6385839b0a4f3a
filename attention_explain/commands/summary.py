"""What a user reads when all is done."""

from typing import Any, Dict, List


def summary(metadata: Dict[str, Any], done: str, flagged: Dict[str, int]) -> str:
    """
    How many texts, how fast, where the time went, what was skipped or flagged, and why.

    # Parameters

    metadata : `Dict[str, Any]`
        Of the attribution file.
    done : `str`
        What was done to the texts.
    flagged : `Dict[str, int]`
        How many texts each method has flagged.
    """
    seconds: Dict[str, float] = metadata["seconds"]
    total = sum(seconds.values())
    count = metadata["instances"]
    rate = f", {count / total:.1f} texts a second" if total > 0 else ""
    lines: List[str] = [f"{count} texts {done} in {total:.1f} s{rate}"]
    width = max(map(len, seconds))
    for method, spent in sorted(seconds.items(), key=lambda item: -item[1]):
        share = spent / total if total > 0 else 0
        lines.append(f"  {method.ljust(width)} {spent:9.2f} s {share:4.0%}")
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
