"""A synthetic corpus of reviews with known causes of the labels. Importing this registers its reader."""

from attention_explain.data.planted import reader  # noqa: F401
