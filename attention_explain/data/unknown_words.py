"""Which words of a text a model does not know: all of them are the same symbol to it."""

from typing import List, Mapping, Optional, Sequence

from allennlp.data import TokenIndexer, Vocabulary
from allennlp.data.token_indexers import SingleIdTokenIndexer


def unknown_words(
    words: Sequence[str], indexers: Mapping[str, TokenIndexer], vocab: Vocabulary
) -> Optional[List[int]]:
    """
    1 for each word that the vocabulary lacks, else 0; None where an indexer looks at more than the
    word as a whole (its characters or pieces), so that no word is unknown altogether.
    """
    if not all(map(_one_id_a_word, indexers.values())):
        return None
    known = [
        (vocab.get_token_to_index_vocabulary(indexer.namespace), indexer.lowercase_tokens)
        for indexer in indexers.values()
    ]
    return [
        int(all((word.lower() if lower else word) not in names for names, lower in known))
        for word in words
    ]


def _one_id_a_word(indexer: TokenIndexer) -> bool:
    return (
        type(indexer) is SingleIdTokenIndexer
        and indexer.namespace is not None
        and indexer._feature_name == "text"
    )
