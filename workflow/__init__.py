"""
A study, which is a jsonnet file, as a graph of the commands that exist: what to run, in which order,
and what is done already. Snakemake runs the graph. No torch, no AllenNLP and no analysis here.
"""
