"""The planted corpus: invented reviews in which the cause of the label is known."""
