"""
Texts of dataset readers that are not this project's, such as AllenNLP's `text_classification_json`:
made what ours are, so that all else needs to know one kind of instance.
"""

from inspect import Parameter, signature
from typing import Any, Dict, Optional

from allennlp.data import DatasetReader, Instance
from allennlp.data.fields import LabelField, MetadataField, TextField

from attention_explain.data.errors import DataError
from attention_explain.data.fields import KnownLabelField
from attention_explain.data.text_reader import TextReader


def complete(instance: Instance, id: str, path: Optional[str] = None) -> Instance:
    """
    The instance, with what the reader did not say of it: its `id` (the one given here) and its
    `tokens`. A label that the training data did not have is then an error that names the text, and
    the file (`path`) where one is known.
    """
    field = instance.fields.get("metadata")
    said = field.metadata if field is not None and isinstance(field.metadata, dict) else {}
    if {"id", "tokens"} <= said.keys():
        return instance
    place = ", ".join(filter(None, (path, id))) or None
    text = instance.fields.get("tokens")
    if not isinstance(text, TextField):
        raise DataError(
            f"the dataset reader gives no text 'tokens', but {_what_it_gives(instance)}", place
        )
    if not text.tokens:
        raise DataError("the text is empty", place)
    tokens = [token.text for token in text.tokens]
    instance.add_field("metadata", MetadataField({"id": id, "tokens": tokens, **said}))
    label = instance.fields.get("label")
    if type(label) is LabelField and isinstance(label.label, str):
        instance.add_field("label", KnownLabelField(label.label, place))
    return instance


def instance_of(reader: DatasetReader, fields: Dict[str, Any]) -> Instance:
    """The instance that the reader makes of one text, from those of its fields that it takes."""
    if isinstance(reader, TextReader):
        return reader.text_to_instance(**fields)
    parameters = signature(reader.text_to_instance).parameters
    given = {name: value for name, value in fields.items() if name in parameters}
    missing = [
        name
        for name, parameter in parameters.items()
        if parameter.default is Parameter.empty
        and parameter.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        and name not in given
    ]
    if missing or not {"text", "tokens"} & given.keys():
        wanted = "', '".join(missing or ["text"])
        raise DataError(
            f"the dataset reader, a {type(reader).__name__}, needs '{wanted}' to read a single "
            f"text, but the input has {', '.join(map(repr, fields))}"
        )
    return complete(reader.text_to_instance(**given), fields.get("id", ""))


def _what_it_gives(instance: Instance) -> str:
    given = (f"'{name}', a {type(field).__name__}" for name, field in instance.fields.items())
    return ", ".join(given) or "nothing"
