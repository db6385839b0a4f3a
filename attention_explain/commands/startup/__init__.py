"""
The `allennlp` command until anything heavy is needed: loading torch takes seconds, and help or a
mistyped option need none of it. What it does then is `attention_explain`'s. And what commands of every package say
alike: how long something takes.
"""
