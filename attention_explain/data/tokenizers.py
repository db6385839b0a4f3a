"""Tokenizers that need no downloaded model, among them one for Hugging Face folders."""

from functools import lru_cache
from typing import TYPE_CHECKING

import regex
from allennlp.data.tokenizers import Token, Tokenizer

from attention_explain.errors import InputError
from attention_explain.named_components import check_choice
from attention_explain.pretrained.folders import TransformerFolder

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

PUNCTUATION, SPACES, PRE_TOKENIZER = SPLITS = ("punctuation", "spaces", "pre_tokenizer")
# Runs of letters and digits, or of punctuation marks and symbols. Apostrophes and hyphens join letters,
# and full stops, commas and colons join digits.
WORD = r"[^\s\p{P}\p{S}]+"
WORDS = regex.compile(
    rf"{WORD}(?:['\u2019\-\u2010]{WORD}|(?<=\d)[.,:](?=\d){WORD})*|[\p{{P}}\p{{S}}]+"
)


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

    def tokenize(self, text: str) -> list[Token]:
        return [Token(word.text) for word in _english_rules()(text) if not word.is_space]


@Tokenizer.register("written_words")
class WrittenWords(Tokenizer):
    """
    The words of a text as written, in order: every character that is not white space is in one of
    them.

    Registered as a `Tokenizer` with name "written_words".

    # Parameters

    split : `str`, optional (default = `"punctuation"`)
        `punctuation`: words are separated by white space, and punctuation marks are words of their own
        ("thin, but" -> thin , but); apostrophes and hyphens inside words, and marks inside numbers, are
        not split off. `spaces`: words are separated by white space alone. `pre_tokenizer`: words are
        those of the pre-tokenizer of a folder of transformers, which also splits scripts without
        spaces, as far as it knows them.
    model_name : `str`, optional
        The folder in Hugging Face's layout whose pre-tokenizer is used.
    """

    def __init__(self, split: str = PUNCTUATION, model_name: str | None = None) -> None:
        self.split = check_choice("split", split, SPLITS)
        self._tokenizer: PreTrainedTokenizerFast | None = None
        if split == PRE_TOKENIZER:
            if model_name is None:
                raise InputError(f"split '{PRE_TOKENIZER}' needs the model_name of a folder")
            self._tokenizer = TransformerFolder.opened(model_name).tokenizer()

    def tokenize(self, text: str) -> list[Token]:
        if self.split == SPACES:
            return [Token(word) for word in text.split()]
        if self._tokenizer is None:
            return [Token(word) for word in WORDS.findall(text)]
        return [Token(word) for word in _pre_tokenized(self._tokenizer, text)]


def _pre_tokenized(tokenizer: "PreTrainedTokenizerFast", text: str) -> list[str]:
    read = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    spans: list[list[int]] = []
    last = None
    for number, (start, end) in zip(read.word_ids(), read["offset_mapping"], strict=True):
        # A character that the tokenizer takes apart belongs to one word.
        if spans and (number == last or start < spans[-1][1]):
            spans[-1][1] = max(end, spans[-1][1])
        else:
            spans.append([start, end])
        last = number
    words = (text[start:end].strip() for start, end in spans)
    return [word for word in words if word]
