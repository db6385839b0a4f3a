"""
What the commands wrote, made into tables, figures and a report. No torch here, and nothing of the
plugin: files are all that the two sides share.
"""
