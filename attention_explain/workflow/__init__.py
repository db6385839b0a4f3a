"""
A study, which is a jsonnet file, as a graph of steps: what to run, in which order, what is done already,
and about how long the rest takes. Snakemake runs the graph; each step starts commands of `allennlp` or
`python -m analysis` as processes of their own.

Here is no torch and no AllenNLP. Of `analysis`, which has neither, we use what names a model by its config
and what lists the files in a folder of results.

A study goes through `study_file` (read and checked), `resolve` (what runs refer to, and where their files
lie), `plan` (steps), `run` (the engine), and `run_step` (one step, in a process that the engine starts).
`configs` prints a single experiment of a study.
"""
