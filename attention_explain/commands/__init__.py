"""The subcommands of `allennlp`; `registered` imports all of them."""
