"""
The verdict on one model: questions about its attention, the faithfulness score of every method, and
the method to show instead. The rule and its bounds, with the reasons, are in docs/explanation/verdict-rule.md.
"""
