"""What is fast, how fast, against what: ratios of two ways in one run, on this machine."""

import attention_explain.plugin  # noqa: F401  (registers everything, and sets defaults for the configs)
