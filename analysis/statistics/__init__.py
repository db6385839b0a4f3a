"""
From a value a text to a number with its uncertainty. Values come as arrays of seeds x texts: the
rows are the trainings of one model, the columns the texts, which are the same for all of them.
"""
