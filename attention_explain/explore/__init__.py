"""
The page of `allennlp explore`: what a person may ask of loaded models, as plain functions
(`open_model.py`, `heads.py`, `data_texts.py`), and the server and the page that ask them.
"""
