"""
The report: one page, complete in itself, of all that an output folder's manifest lists, with
heatmaps of texts from the attribution files behind it. One section of the page a file.
"""
