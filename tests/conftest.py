"""Imported before every test: the plugin first, as the `allennlp` command does it."""

import attention_explain  # noqa: F401
