"""The verdicts of all studies in one table, each with its own numbers."""

import pandas

from analysis.results.cited import Page, Sheet
from analysis.results.verdicts import models_verdicts, where_decided

JUDGED = {
    **{"corpus": "sst", "model": "bilstm", "answer": "no", "nothing to judge": ""},
    **{"attention": 0.3, "attention low": 0.2, "attention high": 0.4},
    **{"recommended": "lrp", "recommended score": 0.9},
}


def told(*studies, say=models_verdicts):
    sheets = [
        Sheet(f"results/{number}/verdicts.csv", pandas.DataFrame(rows))
        for number, rows in enumerate(studies)
    ]
    return Page("RESULTS.md", "\n".join(say(sheets))).text


def test_nothing_is_said_of_what_was_not_run():
    assert told() == ""


def test_a_model_has_a_row_and_a_corpus_a_column():
    other = {**JUDGED, "corpus": "agnews", "answer": "yes", "attention": 0.7}
    text = told([JUDGED, {**JUDGED, "model": "cnn"}], [other, {**JUDGED, "attention": 0.1}])
    assert "| model | SST | AG News |" in text
    own = "**no** 0.300 [0.200, 0.400]; lrp 0.900"
    # What a later study says of the same model on the same corpus does not count.
    assert f"| bilstm | {own} | **yes** 0.700 [0.200, 0.400]; lrp 0.900 |" in text
    assert f"| cnn | {own} | - |" in text


def test_a_model_with_nothing_to_judge_and_one_without_a_method_say_so():
    nothing = {**JUDGED, "nothing to judge": "it is no better", "attention": float("nan")}
    none = {
        **JUDGED,
        "corpus": "imdb",
        "recommended": float("nan"),
        "recommended score": float("nan"),
    }
    text = told([nothing, none])
    assert "| nothing to judge | **no** 0.300 [0.200, 0.400]; no method |" in text


def test_a_sentence_says_where_attention_scores_above_a_half():
    yes = {**JUDGED, "model": "affine tanh softmax", "corpus": "agnews", "answer": "yes"}
    no = {**JUDGED, "model": "bilstm tanh sparsemax"}
    inconclusive = {**JUDGED, "model": "cnn tanh softmax", "answer": "inconclusive"}
    nothing = {**yes, "corpus": "imdb", "nothing to judge": "it is no better"}
    begins = "By both measures together, attention scores "
    assert told([inconclusive, nothing], say=where_decided) == ""
    assert (
        told([yes, nothing], say=where_decided)
        == begins + "above a half on AG News (no context).\n"
    )
    assert told([yes, no, inconclusive], say=where_decided) == (
        f"{begins}above a half on AG News (no context) and below a half on SST (bilstm tanh sparsemax); "
        "elsewhere the verdict is inconclusive.\n"
    )


def test_tables_of_earlier_versions_are_read():
    earlier = {**JUDGED, "answer": "cannot be told", "show": "lrp", "place of it": 0.9}
    del earlier["recommended"], earlier["recommended score"]
    assert told([earlier]) == told([{**JUDGED, "answer": "inconclusive"}])
