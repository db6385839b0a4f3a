"""The engine: what the model says of token sets, against texts that were really erased."""

import numpy
import pytest
import torch
from allennlp.data import Vocabulary

from attention_explain.data.vocabulary import count_unigrams
from attention_explain.errors import InputError
from attention_explain.faithfulness.removal import ERASURES, RemovalOutputs
from attention_explain.interpret.removal_sets import TOKENS, LstmSets, tree
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.symbols import MASK_TOKEN
from tests.builders import DIM, ENCODERS, TEXTS, instances, model, reader, vocabulary
from tests.faithfulness.slow_faithfulness import slow_outputs

PLAIN = ["delete", "zero", "unk", "mask"]


def classifier(encoder: str = "bilstm", **options):
    """In double precision, with a mask in its vocabulary, and texts with boundary symbols."""
    vocab = vocabulary(boundary_symbols=True)
    vocab.add_token_to_namespace(MASK_TOKEN)
    vocab.unigrams = {"tokens": list(range(vocab.get_vocab_size()))}
    return model(encoder, vocab=vocab, **options).double()


def outputs_of(made, erasure, budget=None, bounded=True, texts=TEXTS) -> RemovalOutputs:
    (built,) = ERASURES.build([erasure]).values()
    built.check(made)
    batch = TextBatch.of(made, instances(texts, None, boundary_symbols=bounded), budget)
    with torch.no_grad():
        return RemovalOutputs(made, batch, made.embed(batch.tokens), built)


def some_sets(texts=TEXTS, number=6):
    """Of each text: nothing, everything and some between."""
    generator = numpy.random.default_rng(1)
    return [
        numpy.concatenate(
            [
                numpy.zeros((1, len(text.split())), dtype=bool),
                numpy.ones((1, len(text.split())), dtype=bool),
                generator.random((number, len(text.split()))) < 0.5,
            ]
        )
        for text in texts
    ]


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("erasure", PLAIN)
@pytest.mark.parametrize("bounded", [True, False])
def test_sets_are_texts_with_the_others_really_erased(encoder, erasure, bounded):
    made = classifier(encoder)
    asked = some_sets()
    found = outputs_of(made, erasure, bounded=bounded)(asked)
    for text, sets, probs in zip(TEXTS, asked, found, strict=True):
        reference = slow_outputs(made, text.split(), erasure, bounded)
        expected = [reference(numpy.flatnonzero(kept).tolist()) for kept in sets]
        assert probs == pytest.approx(numpy.array(expected), abs=1e-9)


@pytest.mark.parametrize("encoder", ["bilstm", "affine"])
def test_marginal_is_the_mean_over_words_drawn_for_each_position(encoder, monkeypatch):
    made = classifier(encoder)
    outputs = outputs_of(made, {"type": "marginal", "draws": 3})
    drawn = []
    original = torch.Tensor.multinomial

    def spied(*arguments, **options):
        drawn.append(original(*arguments, **options))
        return drawn[-1]

    monkeypatch.setattr(torch.Tensor, "multinomial", spied)
    asked = some_sets()
    found = outputs_of(made, {"type": "marginal", "draws": 3})(asked)
    assert all((one == other).all() for one, other in zip(found, outputs(asked)))
    for text, sets, probs, ids in zip(TEXTS, asked, found, drawn, strict=True):
        # Boundary symbols have drawn words, too, that nobody uses.
        words = [
            [made.vocab.get_token_from_index(int(number)) for number in some[1:-1]]
            for some in ids.view(3, -1)
        ]
        reference = slow_outputs(made, text.split(), "marginal", True, words)
        expected = [reference(numpy.flatnonzero(kept).tolist()) for kept in sets]
        assert probs == pytest.approx(numpy.array(expected), abs=1e-9)


def test_marginal_draws_by_frequency_and_by_the_id():
    made = classifier()
    words = ["rare", "common"]
    made.vocab.add_tokens_to_namespace(words)
    counts = [0] * made.vocab.get_vocab_size()
    counts[made.vocab.get_token_index("rare")] = 1
    counts[made.vocab.get_token_index("common")] = 3
    (erasure,) = ERASURES.build([{"type": "marginal", "draws": 2000}]).values()
    erasure._counts = torch.tensor(counts, dtype=torch.double)
    seen = []
    made.embed = lambda tokens: seen.append(tokens["tokens"]["tokens"]) or torch.zeros(1)
    erasure.replacements(made, TextBatch.of(made, instances(["a film", "a film"], None)), None)
    ids = torch.stack(seen)
    common = (ids == made.vocab.get_token_index("common")).double().mean()
    assert set(ids.flatten().tolist()) == {made.vocab.get_token_index(word) for word in words}
    assert 0.7 < common < 0.8
    assert not torch.equal(ids[:, 0], ids[:, 1])


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("erasure", ["delete", "unk", {"type": "marginal", "draws": 2}])
def test_batches_and_budgets_change_nothing(encoder, erasure):
    made = classifier(encoder)
    asked = some_sets()
    together = outputs_of(made, erasure)(asked)
    tight = outputs_of(made, erasure, budget=9)(asked)
    for probs, others in zip(tight, together, strict=True):
        assert probs == pytest.approx(others, abs=1e-9)
    alone = outputs_of(made, erasure, texts=TEXTS[:1])(asked[:1])
    assert alone[0] == pytest.approx(together[0], abs=1e-9)


def test_equal_sets_are_run_once(monkeypatch):
    made = classifier("cnn")
    outputs = outputs_of(made, "zero", texts=TEXTS[:2])
    asked = some_sets(TEXTS[:2])
    distinct = sum(len(numpy.unique(sets, axis=0)) for sets in asked)
    outputs([numpy.concatenate([sets, sets]) for sets in asked])
    assert outputs.sets_run == distinct
    rows = []
    encode = made.encode
    monkeypatch.setattr(made, "encode", lambda *given: rows.append(1) or encode(*given))
    outputs(asked)
    assert outputs.sets_run == distinct and not rows


@pytest.mark.parametrize("encoder", ["bilstm", "cnn"])
@pytest.mark.parametrize("erasure", ["delete", "zero", {"type": "marginal", "draws": 2}])
def test_leave_one_out_is_remembered_as_if_it_had_been_asked(encoder, erasure):
    made = classifier(encoder)
    singles = [~numpy.eye(len(text.split()), dtype=bool) for text in TEXTS]
    expected = outputs_of(made, erasure)(singles)
    outputs = outputs_of(made, erasure)
    # One of them is known already.
    outputs([sets[:1] for sets in singles])
    outputs.remember_leave_one_out()
    run = outputs.sets_run
    assert run == sum(map(len, singles))
    for probs, other in zip(outputs(singles), expected, strict=True):
        assert probs == pytest.approx(other, abs=1e-9)
    assert outputs.sets_run == run


@pytest.mark.parametrize("erasure", ["delete", "zero", {"type": "marginal", "draws": 2}])
def test_no_pass_is_larger_than_the_budget(monkeypatch, erasure):
    sizes = []
    made = classifier("cnn")
    encode = made.encode
    monkeypatch.setattr(
        made,
        "encode",
        lambda rows, inputs: sizes.append(inputs.mask.numel()) or encode(rows, inputs),
    )
    lstm = classifier("bilstm")
    read = LstmSets._probs
    monkeypatch.setattr(
        LstmSets,
        "_probs",
        lambda self, texts, tokens, *rest: (
            sizes.append(tokens.numel()) or read(self, texts, tokens, *rest)
        ),
    )
    for each, most in ((made, 64), (lstm, 64 * TOKENS)):
        outputs = outputs_of(each, erasure, budget=64)
        sizes.clear()
        outputs(some_sets(number=40))
        assert len(sizes) > 1 and max(sizes) <= most


def test_what_several_sets_begin_with_is_read_once():
    sequences = torch.tensor([[5, 1, 2], [5, 1, 3], [4, 1, 2], [5, 1, 2]])
    levels, nodes = tree(sequences, torch.tensor([3, 3, 3, 3]))
    assert [len(sets) for sets in levels] == [2, 2, 3]
    for step, sets in enumerate(levels):
        # Each number stands for one beginning, and its set has that beginning.
        beginnings = [tuple(sequence[: step + 1]) for sequence in sequences.tolist()]
        assert len(set(beginnings)) == len(sets)
        for position, node in enumerate(nodes[:, step].tolist()):
            assert beginnings[sets[node]] == beginnings[position]


def test_nothing_is_read_behind_the_end_of_a_set():
    # The padding of the first, 0, is a token of the second.
    sequences = torch.tensor([[5, 0, 0], [5, 0, 7], [4, 1, 2]])
    levels, nodes = tree(sequences, torch.tensor([1, 3, 2]))
    assert [sorted(sets.tolist()) for sets in levels[1:]] == [[1, 2], [1]]
    assert len(levels[0]) == 2 and nodes[0, 0] == nodes[1, 0] != nodes[2, 0]
    assert levels[1][nodes[1, 1]] == 1 and levels[1][nodes[2, 1]] == 2


@pytest.mark.parametrize("erasure", ["delete", {"type": "marginal", "draws": 2}])
def test_sets_read_as_a_tree_are_those_of_plain_passes(monkeypatch, erasure):
    """In single precision, and in one direction too."""
    lstm = {"type": "lstm", "input_size": DIM, "hidden_size": 5, "bidirectional": False}
    monkeypatch.setitem(ENCODERS, "forward", lstm)
    for encoder in ("bilstm", "forward"):
        made = classifier(encoder).float()
        asked = some_sets(number=30)
        read = outputs_of(made, erasure)(asked)
        with monkeypatch.context() as plain:
            plain.setattr(RemovalOutputs, "fast_reader", lambda self: None)
            expected = outputs_of(made, erasure)(asked)
        for probs, others in zip(read, expected, strict=True):
            assert probs == pytest.approx(others, abs=1e-6)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_empty_texts_may_be_all_that_is_asked(encoder):
    made = classifier(encoder)
    empty = [sets[:1] for sets in some_sets()]
    together = outputs_of(made, "delete", bounded=False)(some_sets())
    alone = outputs_of(made, "delete", bounded=False)(empty)
    for probs, others in zip(alone, together, strict=True):
        assert numpy.isfinite(probs).all()
        assert probs == pytest.approx(others[:1], abs=1e-6)


def test_a_model_without_the_mask_says_so():
    with pytest.raises(InputError, match="trained with masked words.*lacks '@@MASK@@'"):
        outputs_of(model(), "mask", bounded=False)


def test_a_model_that_does_not_know_the_frequencies_says_what_to_do():
    with pytest.raises(InputError, match="give the training data"):
        outputs_of(model(), "marginal", bounded=False)


def test_frequencies_can_be_counted_in_training_data(tmp_path):
    data = tmp_path / "train.jsonl"
    data.write_text('{"text": "film film unheard", "label": "0"}\n{"text": "film", "label": "1"}\n')
    vocab = Vocabulary(tokens_to_add={"tokens": ["film"]})
    counts = count_unigrams(vocab, "tokens", reader(boundary_symbols=True), str(data))
    assert counts == [0, 1, 3]
