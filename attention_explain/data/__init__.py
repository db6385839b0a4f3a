"""Text becomes Instances here: dataset readers, tokenizers, and the vocabulary."""

from attention_explain.data import (  # noqa: F401
    acl_imdb,
    ag_news_csv,
    attention_text,
    newsgroups,
    planted,
    sst_trees,
    tokenizers,
    vocabulary,
)
