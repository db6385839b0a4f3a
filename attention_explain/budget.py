"""How much goes through a model at once, where nobody says otherwise."""

# How many tokens, padding included, one pass through the model may hold at once. On a CPU larger
# passes are slower, because they leave the cache: for a BiLSTM of 128, leave-one-out takes a third
# more time at 16384, gradients a third, deeplift five times as much. A GPU wants more.
DEFAULT_BUDGET = 4096
