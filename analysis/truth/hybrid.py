"""
Hybrid documents (Poerner et al. 2018): does the word with the highest score lie in a fragment of the predicted class?
"""

from collections.abc import Sequence

import numpy
import pandas

from analysis.errors import AnalysisError
from analysis.measures.scores import Scores
from analysis.statistics.intervals import intervals
from analysis.text_files import Attributions
from analysis.written import estimates

COLUMN = "fragments"
HIT = "hit"


def hits_by_text(file: Attributions) -> tuple[dict[str, numpy.ndarray], numpy.ndarray]:
    """
    Of each method, whether the top word of each text lies in a fragment of the predicted class (of tied ones, the
    share), and the share of all words, which random scores reach. NaN where the prediction is the class of no
    fragment. Shape: (texts,) each
    """
    if COLUMN not in file.table or file.table[COLUMN].isna().all():
        raise AnalysisError(
            f"{file.path}: has no hybrid documents; make it with --overrides "
            "'{\"dataset_reader.hybrid\": {}}'"
        )
    right = Scores.of(
        None if fragments is None else [float(each == predicted) for each in fragments]
        for fragments, predicted in zip(file.table[COLUMN], file.table["predicted"], strict=True)
    )
    some = right.known & (right.sums(right.values) > 0)
    blind = Scores.of(numpy.zeros(length) for length in right.lengths)
    by_method = {method: _hits(file.scores(method), right, some) for method in file.methods}
    return by_method, _hits(blind, right, some)


def _hits(scores: Scores, right: Scores, some: numpy.ndarray) -> numpy.ndarray:
    usable = some & scores.known & scores.finite
    found = numpy.full(len(usable), numpy.nan)
    if usable.any():
        of_texts = scores.only(usable)
        at_top = (of_texts.higher == 0) / of_texts.ties
        found[usable] = of_texts.sums(at_top * right.only(usable).values)
    return found


def hybrid_table(files: Sequence[Attributions]) -> pandas.DataFrame:
    """
    For each method the share of hits with a 95 % interval, next to that of random scores. The files are seeds of one
    model, on the same documents.
    """
    ids = [file.table["id"].tolist() for file in files]
    for file, of_file in zip(files, ids, strict=True):
        if of_file != ids[0]:
            raise AnalysisError(f"{file.path}: its documents are not those of {files[0].path}")
    hits, chance = zip(*map(hits_by_text, files), strict=True)
    methods = [name for name in hits[0] if all(name in of_file for of_file in hits)]
    values = numpy.array([[of_file[name] for of_file in hits] for name in methods])
    means = intervals(values).of_shares()
    table = pandas.DataFrame(
        {
            "method": methods,
            HIT: means.mean,
            "low": means.low,
            "high": means.high,
            "random scores": float(numpy.nanmean(numpy.array(chance))),
            "documents": (~numpy.isnan(values)).any(axis=1).sum(axis=1),
            "seeds": len(files),
        }
    )
    return table.sort_values(HIT, ascending=False, ignore_index=True)


def shown_hybrid(table: pandas.DataFrame) -> pandas.DataFrame:
    """What people read."""
    shown = table[["method"]].copy()
    shown[f"{HIT} [95 %]"] = estimates(table, mean=HIT)
    return shown.join(table[["random scores", "documents", "seeds"]])
