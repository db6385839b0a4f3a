"""The former package `workflow`: `python -m workflow` is an alias of `allennlp study`."""
