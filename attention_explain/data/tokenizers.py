"""Tokenizers that need no downloaded model."""

from functools import lru_cache
from typing import List

from allennlp.data.tokenizers import Token, Tokenizer


@lru_cache(maxsize=1)
def _english_rules():
    import spacy

    return spacy.blank("en").tokenizer


@Tokenizer.register("english")
class EnglishTokenizer(Tokenizer):
    """
    spaCy's English tokenisation rules, from a blank pipeline: punctuation and clitics become
    tokens of their own ("it's fine." -> it 's fine .). AllenNLP's own `spacy` tokenizer wants a
    model that cannot be installed as a package.

    Registered as a `Tokenizer` with name "english".
    """

    def tokenize(self, text: str) -> List[Token]:
        return [Token(word.text) for word in _english_rules()(text) if not word.is_space]
