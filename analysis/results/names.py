"""What a page calls things."""

from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

# Corpora, as papers call them and in this order; others as they are.
CORPORA = {
    "sst": "SST",
    "imdb": "IMDb",
    "20news_sports": "20 Newsgroups",
    "newsgroups": "20 Newsgroups",
    "agnews": "AG News",
    "ag_news": "AG News",
    "sst-wiki": "SST-Wiki",
    "sst_wiki": "SST-Wiki",
    "sst_annotators": "SST (annotators)",
    "movies": "movies",
    "hatexplain": "HateXplain",
    "snli": "SNLI",
    "babi_1": "bAbI 1",
    "babi_2": "bAbI 2",
    "babi_3": "bAbI 3",
}
IN_SHORT = {"20 Newsgroups": "20NG", "AG News": "AG"}
ENCODERS = {
    "bilstm": "BiLSTM",
    "affine": "no context",
    "cnn": "CNN",
    "transformer": "Transformer",
}


def corpus_name(corpus: str) -> str:
    """As papers write it."""
    return CORPORA.get(corpus, corpus)


def corpus_in_short(corpus: str) -> str:
    """Where many are listed."""
    name = corpus_name(corpus)
    return IN_SHORT.get(name, name)


def corpus_position(corpus: str) -> int:
    """In the order of a list; others come last."""
    return list(CORPORA).index(corpus) if corpus in CORPORA else len(CORPORA)


def encoder_name(encoder: str) -> str:
    """As papers write it."""
    return ENCODERS.get(encoder, encoder)


def link(path: Path, here: Path) -> str:
    """From a page in the folder `here`."""
    with suppress(ValueError):
        path = path.resolve().relative_to(here.resolve())
    return quote(path.as_posix())
