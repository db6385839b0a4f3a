"""Text becomes Instances here: dataset readers, tokenizers, and the vocabulary."""

from attention_explain.data import (  # noqa: F401
    acl_imdb,
    ag_news_csv,
    attention_text,
    babi,
    eraser,
    hatexplain,
    newsgroups,
    question_passage,
    sst_trees,
    tokenizers,
    vocabulary,
)
from attention_explain.data.planted import reader  # noqa: F401
