"""Wording that all commands share: durations, and suggestions for mistyped names."""
