"""
Measures of how faithful a saliency method is to the model, and the two controls that set the scale:
random rankings and a search for the best one. Importing this registers them.
"""

from attention_explain.faithfulness import (  # noqa: F401
    edits,
    effects,
    ranking_measure,
    relevance,
    removal,
    soft,
    stability,
)
