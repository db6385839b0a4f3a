"""
How alike two columns of scores are, text by text: one file a measure, found by its name. Also what
one column is like by itself.
"""
