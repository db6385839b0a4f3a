"""Classifiers in Hugging Face's layout: their folders, what each family has where, and their pieces."""
