"""
Plausibility: how near the scores of a method come to what people have marked as the reason of a
label. It says nothing about the model: a plausible explanation may be a false one, and a true one
may show what no person would have gone by.
"""
