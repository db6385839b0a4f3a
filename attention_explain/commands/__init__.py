"""Subcommands of `allennlp`: importing this registers them."""

from attention_explain.commands.attribute import Attribute

__all__ = ["Attribute"]
