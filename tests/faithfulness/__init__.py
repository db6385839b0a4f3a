"""Measures of faithfulness, each against a slow reference from its definition."""
