"""
A study, which is a jsonnet file, as a graph of steps: what to run, in which order, what is already done, and
about how long the rest takes. Snakemake runs the graph; each step starts `allennlp` or `python -m analysis`
in a process of its own. This package loads neither torch nor AllenNLP.

A study goes through `study_file` (reads and checks it), `resolve` (references between runs, and paths),
`plan` (steps), `run` (the engine) and `run_step` (one step, in a process that the engine starts). `configs`
prints a single experiment of a study.
"""
