"""Text becomes Instances here: dataset readers, tokenizers, and the vocabulary."""

from attention_explain.data import (  # noqa: F401
    ag_news_csv,
    attention_text,
    counterfactual_pairs,
    folders,
    question_passage,
    rationales,
    sst_trees,
    tokenizers,
    vocabulary,
)
