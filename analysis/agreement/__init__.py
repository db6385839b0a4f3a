"""How far the methods of attribution files agree, text by text and on the whole, beside chance."""
