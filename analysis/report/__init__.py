"""
The report: one page, complete in itself, of all that an output folder's manifest lists, with
heatmaps of texts from the attribution files behind it. `page` puts together what
the other files have made, most of them a section each.
"""
