"""
Figures for print: each function takes numbers and gives a `matplotlib.figure.Figure`; what the
numbers are, it does not know. How all of them look is in `style`.
"""
