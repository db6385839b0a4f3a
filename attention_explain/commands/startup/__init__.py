"""
The start of the `allennlp` command: answers help and mistyped options without torch, which takes seconds to load.
"""
