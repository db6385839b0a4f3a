"""
What `python -m analysis` can do, one file a command. A command has a line of `HELP`, says in
`add_arguments` what it takes, and does it in `run`, which gets `command` (the whole command line)
next to its arguments, raises `AnalysisError` for what a user can fix, and may give an exit code.
"""

from analysis.commands import (
    agreement,
    causes,
    claims,
    diagnosticity,
    hybrid,
    models,
    plausibility,
    report,
    results,
    simulatability,
    table,
    verdict,
)

COMMANDS = {
    "models": models,
    "causes": causes,
    "plausibility": plausibility,
    "hybrid": hybrid,
    "diagnosticity": diagnosticity,
    "simulatability": simulatability,
    "agreement": agreement,
    "table": table,
    "claims": claims,
    "report": report,
    "results": results,
    "verdict": verdict,
}
