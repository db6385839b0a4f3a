"""Shared by the papers: families of models, agreement, divergence, and comparison with published numbers."""
