"""
Explained texts, and how they look: on a page, in a notebook, in a terminal. Both sides of the wall
use this package, so it knows neither torch nor AllenNLP, neither the plugin nor the analysis.
"""
