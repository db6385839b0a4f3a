"""How often models are right, compared with Jain & Wallace's: what says nothing has nothing to explain."""

from typing import Sequence

import pandas

from analysis.models import Model
from analysis.output import Output
from analysis.papers.shared.per_text import correct, summarised
from analysis.papers.shared.published import (
    OURS_SELECTED,
    about,
    published,
    readable,
    with_difference,
    with_published,
)
from analysis.papers.shared.study_files import described
from analysis.statistics.intervals import ABOUT_INTERVALS

NAME = "jain-wallace-accuracy"
SHOWN = ("corpus", "model", "published", "mean", "interval", "difference", "n", "seeds")
SHOWN += ("undefined", "selected on")


def accuracy_table(models: Sequence[Model]) -> pandas.DataFrame:
    """One row per model, in their order, with what was published of it, if anything was."""
    rows = [{**about(model), **summarised(model, correct)} for model in models]
    theirs = published("jain_wallace/accuracy_of_pairs").assign(projection="softmax")
    return with_difference(with_published(pandas.DataFrame(rows), theirs), "published")


def accuracies(models: Sequence[Model], output: Output) -> None:
    """Adds the table of accuracies; of pairs, with those of the released code's outputs."""
    table = accuracy_table(models)
    output.table(
        NAME,
        table,
        f"Accuracy, of pairs compared with Jain & Wallace (2019). {described(models)}.",
        "Published: outputs of the released code, trained on all pairs of SNLI and on the large training "
        "set of bAbI 3, where the configs here have a part; nothing of single texts. Undefined: texts "
        "without a label. "
        f"{OURS_SELECTED} {ABOUT_INTERVALS}",
        readable(table, SHOWN),
    )
