"""What other studies add to the answer: a sentence each, with the numbers of their tables."""

import pandas
import pytest

from analysis.results.cited import Page, Sheet
from analysis.results.other_ways import sentences


def told(tables: dict[str, list[dict]], study: str = "a_study") -> list[str]:
    """As people read them."""
    sheets = {
        name: [Sheet(f"results/{study}/{name}.csv", pandas.DataFrame(rows))]
        for name, rows in tables.items()
    }
    marked = sentences(lambda table: sheets.get(table, []))
    return [Page("RESULTS.md", sentence).text for sentence in marked]


def estimated(name: str, mean: float) -> dict:
    return {name: mean, f"{name} low": mean - 0.1, f"{name} high": mean + 0.1}


def racu(**means: float) -> list[dict]:
    about = {"corpus": "sst", "model": "bilstm tanh softmax", "seeds": 3}
    return [
        {**about, "method": method.replace("_", "-"), **estimated("RACU", mean)}
        for method, mean in means.items()
    ]


def test_nothing_is_said_of_what_was_not_run():
    assert told({}) == []


def test_without_the_words_of_attention_next_to_without_those_of_the_best():
    (said,) = told({"recursive-roar-racu": racu(attention=0.2, lrp=0.5, leave_one_out=0.4)})
    assert "(SST, bilstm tanh softmax, 3 seeds)" in said
    assert "at once) 0.200 [0.100, 0.300]; without those of lrp 0.500 [0.400, 0.600]." in said
    (said,) = told({"recursive-roar-racu": racu(attention=0.6, lrp=0.5)})
    assert "at once) 0.600 [0.500, 0.700]; no method has more." in said


def scale(method: str, position: float, **others) -> dict:
    about = {"corpus": "sst", "model": "MiniLM", "measure": "comprehensiveness", "k": None}
    return {**about, "method": method, "texts": 30, **estimated("score", position), **others}


def test_a_pretrained_transformer_is_told_by_the_mean_over_shares():
    rows = [
        scale("attention", 0.9, k=0.01),
        scale("attention", 0.95, measure="sufficiency"),
        *(scale("attention", 0.3), scale("lime", 0.8), scale("random", 0.0), scale("search", 1.0)),
    ]
    (said,) = told({"faithfulness-delete": rows}, "pretrained_debate")
    assert "0.300 [0.200, 0.400] with SST, MiniLM" in said
    assert "(lime 0.800 [0.700, 0.900]; 30 texts)." in said
    # Other studies have the table, too.
    assert told({"faithfulness-delete": rows}, "faithfulness-sst") == []


@pytest.mark.parametrize("problem", [None, "no better than a guess"])
def test_known_facts_of_models_that_have_learned_something(problem):
    rows = [
        {
            **{"corpus": "babi_1", "model": "bilstm", "method": method, "accuracy": 0.996},
            **{"nothing to judge": problem, "chance": 0.228},
            **estimated("mass", mass),
            **estimated("comprehensiveness", 0.75),
        }
        for method, mass in (("occlusion", 0.9), ("attention", 0.867))
    ]
    said = told({"supporting-facts": rows})
    if problem:
        assert said == []
    else:
        own = "87 % [77, 97] (chance 23 %) and 0.750 [0.650, 0.850] on bAbI 1 (accuracy 100 %)."
        assert own in said[0] and "(bilstm): the share" in said[0]
        both = told({"supporting-facts": [*rows, *({**row, "corpus": "babi_2"} for row in rows)]})
        assert len(both) == 1 and "; 87 %" in both[0] and "bAbI 2" in both[0]


def test_what_is_called_gradient_decides_how_well_attention_agrees_with_it():
    about = {"corpus": "sst", "model": "bilstm", "measure": "tau-b", "of": "logit"}
    rows = [
        {**about, "gradient": gradient, "scores": scores, "attention fixed": fixed}
        | {"mean": mean, "low": mean - 0.1, "high": mean + 0.1}
        for gradient, scores, fixed, mean in (
            ("x input", "signed", "no", 0.2),
            ("x input", "by magnitude", "yes", 0.3),
            ("norm", "by magnitude", "yes", 0.6),
        )
    ]
    others = [{**rows[0], "measure": "tau-x", "mean": 0.9}]
    (said,) = told({"gradient-definitions": [*rows, *others]})
    assert "(bilstm) depends on its definition: tau of attention is, on SST, 0.200 [0.100" in said
    assert "with gradient x input of the logit, signed, attention not held fixed, and 0.600" in said
    assert "with the norm of the gradient of the logit, by magnitude, attention held fixed." in said


def test_what_people_mark_is_told_of_the_first_model_of_each_corpus():
    def rows(corpus, model, problem=None, **means):
        about = {"corpus": corpus, "model": model, "nothing to judge": problem, "chance": 0.25}
        return [
            {**about, "measure": measure, "method": method}
            | {"mean": mean + more, "low": mean + more - 0.1, "high": mean + more + 0.1}
            for measure, more in (("token-f1", 0.3), ("average-precision", 0.0))
            for method, mean in means.items()
        ]

    movies = rows("movies", "bilstm", attention=0.4, lrp=0.5, random=0.6)
    others = rows("movies", "affine", attention=0.1, lrp=0.2)
    untaught = rows("hatexplain", "bilstm", "no better than a guess", attention=0.9)
    (said,) = told({"plausibility": [*others, *movies, *untaught]})
    assert "attention 0.400 [0.300, 0.500], lrp 0.500 [0.400, 0.600] on movies" in said
    assert "(chance 0.250)." in said and "affine" not in said and "HateXplain" not in said
    (said,) = told({"plausibility": rows("movies", "bilstm", attention=0.4, lrp=0.3)})
    assert "of attention 0.400 [0.300, 0.500] on movies" in said
