"""
The verdict on one model: five questions about its attention, the same measure of every method, and
what to show instead. What `python -m analysis verdict` judges, writes and prints; the rule and its
bounds, with the reasons, are in docs/explanation/verdict-rule.md.
"""
