"""Layer-wise relevance propagation: the epsilon rule once, and what it means for each encoder."""
