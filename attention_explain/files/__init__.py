"""
The files of the project: complete writes, checksums and damage (`whole`, `records`, `sealed`), and the formats
of the files that the commands write and the analyses read (`tables`, `attributions`, `perturbations`,
`faithfulness`). Loads neither torch nor AllenNLP.
"""
