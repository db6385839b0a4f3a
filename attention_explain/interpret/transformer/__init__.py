"""The layers of a Transformer, for the methods that follow its self-attention."""
