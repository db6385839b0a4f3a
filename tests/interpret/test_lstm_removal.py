"""The fast way through an LSTM: the same numbers as the general one, and when it is taken."""

import pytest
import torch
from allennlp.modules import Seq2SeqEncoder

from attention_explain.interpret import lstm_removal as lstm_removal
from attention_explain.interpret.lstm_removal import LstmDirection, remove_from_lstm
from attention_explain.interpret.removal import (
    fast_removal,
    logits_with_deleted_inputs,
    logits_with_replaced_inputs,
)
from attention_explain.interpret.text_batch import TextBatch, baseline_embeddings
from attention_explain.modules import lstm as lstm_steps
from attention_explain.modules.lstm import groups, steps
from attention_explain.modules.token_attention import AttentionScorer
from tests.builders import DIM, ENCODERS, PROJECTIONS, SCORERS, TEXTS, instances, model, vocabulary
from tests.interpret.slow_removal import check_equals_real_removal, deleted

LSTM = {"type": "lstm", "input_size": DIM, "hidden_size": 4}
FAST = {
    "bilstm": {**LSTM, "bidirectional": True},
    "lstm": LSTM,
    "without bias": {**LSTM, "bidirectional": True, "bias": False},
}
GENERAL = {
    "two layers": {**LSTM, "bidirectional": True, "num_layers": 2},
    "gru": {"type": "gru", "input_size": DIM, "hidden_size": 4, "bidirectional": True},
    "rnn": {"type": "rnn", "input_size": DIM, "hidden_size": 4},
    "stateful": {**LSTM, "stateful": True},
}


def build(config, monkeypatch, **options):
    monkeypatch.setitem(ENCODERS, "this one", config)
    return model("this one", vocab=vocabulary(boundary_symbols=True), **options).double()


def check_both_ways_agree(classifier, texts=TEXTS):
    labels = ["0"] * len(texts)
    batch = TextBatch.of(classifier, instances(texts, labels, boundary_symbols=True))
    with torch.no_grad():
        embeddings = classifier.embed(batch.tokens)
        unknown = baseline_embeddings(classifier, batch, embeddings, "unk")
        for ours, other in (
            (
                remove_from_lstm(classifier, batch, embeddings).without,
                logits_with_deleted_inputs(classifier, batch, embeddings),
            ),
            (
                remove_from_lstm(classifier, batch, embeddings, unknown).without,
                logits_with_replaced_inputs(classifier, batch, embeddings, unknown),
            ),
        ):
            seen = batch.attendable
            torch.testing.assert_close(ours[seen], other[seen], atol=1e-10, rtol=0)


@pytest.mark.parametrize("config", FAST)
@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("projection", PROJECTIONS)
def test_equals_the_general_way(config, scorer, projection, monkeypatch):
    classifier = build(FAST[config], monkeypatch, scorer=scorer, projection=projection)
    assert fast_removal(classifier) is not None
    check_both_ways_agree(classifier)


@pytest.mark.parametrize("rows", [1, 8, 10**6])
def test_equals_the_general_way_in_groups_of_any_size(rows, monkeypatch):
    monkeypatch.setattr(lstm_steps, "ROWS_IN_CACHE", rows)
    check_both_ways_agree(build(FAST["bilstm"], monkeypatch))


def test_runs_end_where_the_lstm_has_forgotten_the_token(monkeypatch):
    classifier = build(FAST["bilstm"], monkeypatch)
    with torch.no_grad():
        for name, parameter in classifier.encoder.named_parameters():
            if "bias" in name:
                # Of the forget gates, in one direction half shut.
                parameter[4:8] -= 2 if "reverse" in name else 20
            if "weight_hh" in name:
                parameter *= 0.1
    words = " ".join(TEXTS).split()
    texts = [*TEXTS, " ".join(5 * words), " ".join(3 * words[::-1])]
    rows, step = [], LstmDirection._step

    def counted(self, gates, states, cells):
        rows.append(len(states))
        return step(self, gates, states, cells)

    monkeypatch.setattr(LstmDirection, "_step", counted)
    check_both_ways_agree(classifier, texts)
    tokens = len(texts[-2].split()) + 2
    # Deleted and replaced, in two directions; the first step of a replaced token is extra.
    assert sum(rows) < 4 * tokens * (tokens - 1) / 2 / 2


def test_is_equal_in_single_precision(monkeypatch):
    classifier = build(FAST["bilstm"], monkeypatch).float()
    batch = TextBatch.of(classifier, instances(boundary_symbols=True))
    with torch.no_grad():
        embeddings = classifier.embed(batch.tokens)
        ours = remove_from_lstm(classifier, batch, embeddings).without
        other = logits_with_deleted_inputs(classifier, batch, embeddings)
    torch.testing.assert_close(ours[batch.attendable], other[batch.attendable], atol=1e-5, rtol=0)


@pytest.mark.parametrize("config", ["two layers", "gru", "rnn"])
def test_other_rnns_take_the_general_way_and_are_right_too(config, monkeypatch):
    classifier = build(GENERAL[config], monkeypatch)
    assert fast_removal(classifier) is None
    check_equals_real_removal("leave-one-out", classifier, deleted, bounded=True)


def test_what_the_fast_way_does_not_know_takes_the_general_one(monkeypatch):
    assert fast_removal(build(GENERAL["stateful"], monkeypatch)) is None
    classifier = build(FAST["bilstm"], monkeypatch)

    class Other(AttentionScorer):
        def score(self, states, query):
            return states.square().sum(dim=-1)

    classifier.attention.scorer = Other(8)
    assert fast_removal(classifier) is None
    check_equals_real_removal("leave-one-out", classifier, deleted, bounded=True)
    projected = torch.nn.LSTM(DIM, 4, proj_size=2, batch_first=True)
    classifier.encoder = Seq2SeqEncoder.by_name("lstm")(DIM, 4)
    classifier.encoder._module = projected
    assert fast_removal(classifier) is None


def test_memory_is_bounded_by_the_budget(monkeypatch):
    monkeypatch.setattr(lstm_removal, "PUBLISHED_SIZE", 1)
    classifier = build(FAST["bilstm"], monkeypatch)
    batch = TextBatch.of(classifier, instances(boundary_symbols=True), budget=150)
    held, remove = [], lstm_removal._remove

    def recorded(model, embeddings, *others):
        held.append(len(embeddings))
        return remove(model, embeddings, *others)

    monkeypatch.setattr(lstm_removal, "_remove", recorded)
    with torch.no_grad():
        remove_from_lstm(classifier, batch, classifier.embed(batch.tokens))
    # A score and two votes for each pair of 14 tokens, against 150 states of 8 numbers.
    assert held == [2, 2] and 2 * 14 * 14 * 3 <= 150 * 8


def test_steps_visit_each_pair_on_one_side_once():
    tokens, positions = 7, range(1, 6)
    for towards_start in (True, False):
        seen = []
        texts = lstm_steps.ROWS_IN_CACHE // 2
        for group in groups(positions, torch.zeros(tokens, texts, 1)):
            assert len(group) <= 2
            for step, started in steps(group, tokens, towards_start):
                seen += [(position, step) for position in range(started.start, started.stop)]
        expected = [
            (position, step)
            for position in positions
            for step in range(tokens)
            if (step < position if towards_start else step > position)
        ]
        assert sorted(seen) == expected
