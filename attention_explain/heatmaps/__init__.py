"""
Explained texts as heatmaps: on a page, in a notebook, in a terminal. Commands and analyses both use this package,
so it imports neither torch nor AllenNLP.
"""
