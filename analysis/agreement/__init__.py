"""How far the methods of attribution files agree, text by text and on the whole, compared with chance."""
