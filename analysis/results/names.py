"""What a page calls things."""

from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

# Corpora, as papers call them; others as they are.
CORPORA = {
    "sst": "SST",
    "agnews": "AG News",
    "ag_news": "AG News",
    "imdb": "IMDb",
    "20news_sports": "20 Newsgroups",
    "newsgroups": "20 Newsgroups",
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
ENCODERS = {
    "bilstm": "BiLSTM",
    "affine": "no context",
    "cnn": "CNN",
    "transformer": "Transformer",
}


def corpus_name(corpus: str) -> str:
    """As papers write it."""
    return CORPORA.get(corpus, corpus)


def encoder_name(encoder: str) -> str:
    """As papers write it."""
    return ENCODERS.get(encoder, encoder)


def link(path: Path, here: Path) -> str:
    """From a page in the folder `here`."""
    with suppress(ValueError):
        path = path.resolve().relative_to(here.resolve())
    return quote(path.as_posix())
