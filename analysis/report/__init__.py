"""
The report: one page, complete in itself, of all that an output folder's manifest lists, with
heatmaps of texts from the attribution files behind it. `page` puts it together; the heatmaps and
where everything comes from, its last sections, have files of their own.
"""
