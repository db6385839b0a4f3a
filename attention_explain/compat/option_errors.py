"""The error for an option of a component that AllenNLP is building."""

from allennlp.common.checks import ConfigurationError

from attention_explain.errors import InputError


class OptionError(InputError, ConfigurationError):
    """AllenNLP catches it where an option may have several types, and tries the next type."""
