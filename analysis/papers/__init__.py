"""
The papers' tables and figures, filled from attribution files and set beside what was published:
one file a paper, and what they share.
"""
