"""
The papers' tables and figures, filled from attribution files and compared with what was published:
one folder a paper, and `shared` for what several have in common.
"""
