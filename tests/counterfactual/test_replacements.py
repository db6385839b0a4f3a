"""`uniform`, `random` and `other-model`: what other weights do to the output."""

import math

import numpy
import pyarrow
import pyarrow.parquet
import pytest
import torch
from scipy import stats
from scipy.spatial import distance

from attention_explain.errors import InputError
from tests.builders import TEXTS
from tests.counterfactual.fixed import by_hand, fixed, perturbation, sharp_model

WORDS = {f"text-{number}": text.split() for number, text in enumerate(TEXTS)}


def test_two_tokens_by_hand():
    """
    All attention on a token with votes (0, log 3): probabilities 1/4, 3/4. The other token has
    votes (0, -log 3); half of each is (0, 0): probabilities 1/2, 1/2, and the first label wins.
    """
    texts = by_hand([[0, math.log(3)], [0, -math.log(3)]], attention=[1.0, 0.0])
    result = perturbation("uniform").perturb(texts)
    assert result["probs"].tolist()[0] == pytest.approx([0.5, 0.5])
    assert result["tvd"].item() == pytest.approx(0.25)
    # m = (3/4, 1/4): JSD = (log(4/3) + log(2/3) / 2 + log(2) / 2) / 2
    expected = (math.log(4 / 3) + math.log(2 / 3) / 2 + math.log(2) / 2) / 2
    assert result["jsd"].item() == pytest.approx(expected)
    assert bool(result["flip"].item())


def test_the_fields_are_distances_to_what_the_model_said():
    texts = fixed(sharp_model())
    method = perturbation("random", seed=4)
    weights, result = method.weights(texts), method.perturb(texts)
    before = texts.probs(texts.attention)
    for row in range(4):
        after = torch.softmax(weights[row] @ texts.votes[row], dim=-1)
        assert result["probs"][row].tolist() == pytest.approx(after.tolist())
        assert result["tvd"][row].item() == pytest.approx((after - before[row]).abs().max().item())
        jsd = distance.jensenshannon(weights[row], texts.attention[row]) ** 2
        assert result["jsd"][row].item() == pytest.approx(jsd, abs=1e-12)
        assert bool(result["flip"][row]) == (after.argmax() != before[row].argmax()).item()


def test_uniform_weights_leave_a_uniform_model_as_it_is():
    result = perturbation("uniform").perturb(fixed(sharp_model(projection="uniform")))
    assert result["tvd"].tolist() == pytest.approx([0] * 4, abs=1e-7)
    assert result["jsd"].tolist() == pytest.approx([0] * 4, abs=1e-7)
    assert not result["flip"].any()


def test_random_weights_are_uniform_over_all_distributions():
    """The weight of one of n tokens under Dirichlet(1, ..., 1) is Beta(1, n - 1)."""
    texts = by_hand([[0.0, 1.0]] * 4)
    first = [perturbation("random", seed=seed).weights(texts)[0, 0].item() for seed in range(400)]
    assert stats.kstest(first, stats.beta(1, 3).cdf).pvalue > 0.01


@pytest.fixture
def write(tmp_path):
    """A file as another model would have, with the given weights by id."""

    def to_file(weights, column="attention", words=WORDS):
        path = tmp_path / "other.parquet"
        kind = pyarrow.list_(pyarrow.float32())
        columns = {
            "id": list(weights),
            "tokens": [words.get(id_, ["other"] * 5) for id_ in weights],
            column: pyarrow.array(list(weights.values()), kind),
        }
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        return str(path)

    return to_file


def some_weights():
    chance = numpy.random.default_rng(1)
    # In another order than the texts, and with one that is not asked for.
    ids = [*WORDS, "text-9"][::-1]
    return {id_: chance.dirichlet([1] * len(WORDS.get(id_, "other"))).tolist() for id_ in ids}


def test_another_models_weights_are_joined_by_id_and_tokens(write):
    weights = some_weights()
    method = perturbation("other-model", file=write(weights, "mine"), column="mine")
    method.check(WORDS.items())
    texts = fixed(sharp_model())
    taken = method.weights(texts)
    for row, id_ in enumerate(WORDS):
        own = taken[row, texts.attendable[row]].tolist()
        assert own == pytest.approx(weights[id_], abs=1e-6) and sum(own) == pytest.approx(1)
    assert (taken[~texts.attendable] == 0).all()


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"text-1": [0.5, 0.5]}, "of text 'text-1' is not a valid attention over its 12 tokens"),
        ({"text-0": [0.5, 0.7, -0.2]}, "of text 'text-0' is not a valid attention"),
        ({"text-0": [0.5, 0.7, 0.2]}, "of text 'text-0' is not a valid attention"),
        ({"text-0": [0.5, 0.5, math.nan]}, "of text 'text-0' is not a valid attention"),
        ({"text-2": None}, "of text 'text-2' is missing"),
        ({"text-3": "absent"}, "has no text with id 'text-3'"),
    ],
)
def test_weights_that_do_not_match_are_rejected(write, change, sentence):
    weights = {**some_weights(), **change}
    weights = {id_: row for id_, row in weights.items() if row != "absent"}
    method = perturbation("other-model", file=write(weights))
    with pytest.raises(InputError, match=r"other\.parquet: .*" + sentence):
        method.check(WORDS.items())


def test_the_text_of_another_data_set_with_the_same_id_is_rejected(write):
    other = [*WORDS["text-3"][:-1], "others"]
    method = perturbation(
        "other-model", file=write(some_weights(), words={**WORDS, "text-3": other})
    )
    sentence = r"other\.parquet: text 'text-3' has other tokens \(11: not a good film at all "
    with pytest.raises(InputError, match=sentence):
        method.check(WORDS.items())


def test_files_without_weights_are_rejected(write, tmp_path):
    path = write(some_weights())
    with pytest.raises(InputError, match="has no column 'attentions'"):
        perturbation("other-model", file=path, column="attentions")
    with pytest.raises(InputError, match="column 'id' does not hold lists of numbers"):
        perturbation("other-model", file=path, column="id")
    with pytest.raises(InputError, match=r"absent.parquet: no such file"):
        perturbation("other-model", file=str(tmp_path / "absent.parquet"))
    (tmp_path / "text").write_text("no parquet")
    with pytest.raises(InputError, match="not a readable parquet file"):
        perturbation("other-model", file=str(tmp_path / "text"))


def test_an_id_must_be_there_once(tmp_path):
    path = tmp_path / "twice.parquet"
    rows = pyarrow.array([[1.0], [1.0]], pyarrow.list_(pyarrow.float32()))
    table = pyarrow.table({"id": ["a", "a"], "tokens": [["x"], ["x"]], "attention": rows})
    pyarrow.parquet.write_table(table, path)
    method = perturbation("other-model", file=str(path))
    with pytest.raises(InputError, match="has two texts with id 'a'"):
        method.check([("a", ["x"])])
