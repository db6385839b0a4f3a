"""Explanations compared with a known truth: which tokens a model must use, and which class a text part is of."""
