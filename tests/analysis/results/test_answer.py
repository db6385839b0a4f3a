"""The answer in short follows the numbers, and methods unsigned are compared with attention by themselves."""

import pandas
import pytest

from analysis.results.answer import (
    ATTENTION,
    COLUMNS,
    FILE,
    UNSIGNED,
    answer_sentences,
    counts_sheet,
)
from analysis.results.cited import Page, Sheet
from attention_explain.interpret.interpreter import build_interpreters
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.builders import model, reader

OTHERS = {"lrp": 0.9, "leave-one-out": 0.5, "leave-one-out-signed": 0.85}


def said(*attention, others=OTHERS):
    """One encoder for each position of attention, on SST."""
    rows = [
        {
            **{"panel": "SST", "measure": "comprehensiveness", "method": method},
            **{"encoder": encoder, "mean": mean, "low": mean - 0.05, "high": mean + 0.05},
            **{"chance": 0.0, "corpora": 1, "seeds": 5},
        }
        for encoder, own in zip(("bilstm", "affine", "cnn"), attention)
        for method, mean in {"attention": own, **others}.items()
    ]
    sheet = Sheet(FILE, pandas.DataFrame(rows, columns=COLUMNS))
    missing = {"planted": "Not run: planted.", "SST": "Not run: SST."}
    return Page("RESULTS.md", "\n".join(answer_sentences(sheet, counts_sheet(sheet), missing))).text


@pytest.mark.parametrize(
    "attention,answer,apart",
    [
        ((0.3, 0.4, 0.5), "No, not by itself.", "3 of 3 on SST"),
        ((0.3, 0.4, 0.88), "Not as a rule.", "2 of 3 on SST"),
        ((0.3, 0.88, 0.88), "It depends on the model.", "1 of 3 on SST"),
        ((0.88, 0.88, 0.95), "It may be.", "0 of 3 on SST"),
    ],
)
def test_the_answer_is_what_most_encoders_say(attention, answer, apart):
    first = said(*attention).splitlines()[0]
    assert first.startswith(
        f"**{answer}** With {apart} another method is clearly more faithful than attention"
    )
    some = 0 < int(apart[0]) < 3
    assert (("; with the remaining one" in first) and first.endswith(" they overlap.")) is some


def test_what_the_sign_is_worth_is_said_where_it_is_worth_something():
    assert (
        "leave-one-out scores 0.850 [0.800, 0.900] with it, and 0.500 [0.450, 0.550] by magnitude"
        in said(0.3)
    )
    assert "sign" not in said(0.3, others={**OTHERS, "leave-one-out": 0.84})
    assert "0.400 [0.350, 0.450] (no context; best: lrp, 0.900; best unsigned: 0.500)" in said(
        0.3, 0.4
    )


def test_without_numbers_there_is_no_answer():
    assert said() == "Not run: planted.\nNot run: SST."


def test_methods_without_a_sign_say_so_themselves():
    predictor = SaliencyPredictor(model(), reader())
    drawn = ["gradient-x-input", "integrated-gradients", "lrp", "occlusion", "lime", "deeplift"]
    drawn += ["kernel-shap", "gradient-shap"]
    for names, signed in (((ATTENTION, *UNSIGNED), False), (drawn, True)):
        for name, method in build_interpreters(list(names), predictor).items():
            assert method.signed is signed, name
