"""
Files that survive a kill, a full disk and damage, for every side of the project: this package knows
nothing of models, texts or tables, and imports nothing of ours.
"""
