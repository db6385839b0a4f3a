"""
Tables, figures and claims of papers, computed from attribution files and compared with the published numbers: one
folder per paper, `shared` for what several have in common, and modules for questions that no single paper asks.
"""
