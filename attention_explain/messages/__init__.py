"""Wording that all commands share: durations, suggestions for mistyped names, jsonnet's errors."""
