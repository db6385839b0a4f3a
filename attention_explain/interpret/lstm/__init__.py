"""An LSTM step by step, for the methods that have to look inside it."""
