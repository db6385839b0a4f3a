"""`python -m workflow`: prints a notice and runs `allennlp study` with the same arguments."""

import sys

from attention_explain.workflow.__main__ import main

if __name__ == "__main__":
    print(
        "`python -m workflow` is deprecated and will be removed in 0.3; use `allennlp study`",
        file=sys.stderr,
    )
    sys.exit(main())
