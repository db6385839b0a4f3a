"""
The files of the project: atomic writes, checksums and damage (`atomic`, `records`, `sealed`), and the formats
of the files that the commands write and the analyses read (`tables`, `attributions`, `perturbations`,
`faithfulness`). Loads neither torch nor AllenNLP.
"""
