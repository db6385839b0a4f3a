"""Tokens and positions against loops over lists, for texts of words and of pieces."""

import pytest
import torch

from attention_explain.modules.text_inputs import TextInputs, units_of

# Of each text its positions by the token that they belong to, -1 for special symbols; a token without a
# position, and one that gets no score, among them.
UNITS = [[-1, 0, 0, 1, 3, -1], [-1, 0, 1, 1, 1, 2, 3, 3, 4, -1], [-1, 0, -1]]
TOKENS = [4, 5, 1]
UNSCORED = [(1, 0)]


def padded(rows, length, value):
    return torch.tensor([[*row, *[value] * (length - len(row))] for row in rows])


@pytest.fixture
def pieces():
    attendable = padded([[1] * tokens for tokens in TOKENS], 5, 0).bool()
    for position in UNSCORED:
        attendable[position] = False
    mask = padded([[1] * len(units) for units in UNITS], 10, 0).bool()
    return TextInputs(mask, attendable, padded(UNITS, 10, -1))


@pytest.fixture
def words():
    mask = padded([[1] * tokens for tokens in TOKENS], 5, 0).bool()
    attendable = mask.clone()
    for position in UNSCORED:
        attendable[position] = False
    return TextInputs(mask, attendable)


def listed(inputs):
    """Of each text the tokens that are there, whether they get a score, and its positions by token."""
    texts = []
    for row, mask in enumerate(inputs.token_mask):
        tokens = int(mask.sum())
        assert not mask[tokens:].any() and not inputs.attendable[row, tokens:].any()
        positions = int(inputs.mask[row].sum())
        assert not inputs.mask[row, positions:].any()
        units = list(range(tokens))
        if inputs.units is not None:
            units = inputs.units[row, :positions].tolist()
            assert (inputs.units[row, positions:] == -1).all()
        texts.append((inputs.attendable[row, :tokens].tolist(), units))
    return texts


@pytest.mark.parametrize("kind", ["words", "pieces"])
def test_what_is_left_of_texts_moves_together(kind, request):
    whole = request.getfixturevalue(kind)
    generator = torch.Generator().manual_seed(1)
    rows = torch.tensor([0, 1, 2, 1, 0, 2, 1])
    kept = torch.rand(len(rows), 5, generator=generator) < 0.5
    kept[2], kept[4] = False, True
    order, shorter = whole.keeping(rows, kept)
    before = listed(whole)
    found = listed(shorter)
    for number, row in enumerate(rows.tolist()):
        scored, units = before[row]
        stays = [token for token in range(len(scored)) if kept[number, token] or not scored[token]]
        positions = [position for position, unit in enumerate(units) if unit == -1 or unit in stays]
        assert order[number, : len(positions)].tolist() == positions
        expected = [
            -1 if units[position] == -1 else stays.index(units[position]) for position in positions
        ]
        assert found[number] == ([scored[token] for token in stays], expected)
    assert order.shape == shorter.mask.shape and shorter.mask.any(dim=0).all()


def test_what_the_caller_knows_of_the_longest_text_changes_nothing_but_padding(words):
    rows, kept = torch.tensor([1, 2]), torch.tensor([[1, 0, 1, 1, 1], [0, 1, 1, 1, 1]]).bool()
    order, told = words.keeping(rows, kept, longest=4)
    other, found = words.keeping(rows, kept)
    assert listed(told) == listed(found) and order[found.mask].equal(other[found.mask])
    # A text of nothing has a position still.
    _, nothing = words.keeping(torch.tensor([2]), torch.zeros(1, 5).bool(), longest=0)
    assert nothing.mask.tolist() == nothing.attendable.tolist() == [[False]]


def test_from_tokens_to_positions_and_back(pieces):
    generator = torch.Generator().manual_seed(2)
    per_token = torch.rand(3, 5, generator=generator)
    per_position = torch.rand(3, 10, generator=generator) - 2
    at_positions = pieces.at_positions(per_token)
    sums, largest = (pieces.of_tokens(per_position, how) for how in ("sum", "max"))
    for row, units in enumerate(UNITS):
        expected = [0 if unit == -1 else per_token[row, unit].item() for unit in units]
        assert at_positions[row].tolist() == expected + [0] * (10 - len(units))
        for token in range(5):
            own = [
                per_position[row, position].item()
                for position, unit in enumerate(units)
                if unit == token
            ]
            assert sums[row, token].item() == pytest.approx(sum(own), abs=1e-6)
            assert largest[row, token].item() == (max(own) if own else 0)


def test_a_token_without_a_position_is_a_token(pieces, words):
    assert pieces.token_mask.sum(dim=1).tolist() == TOKENS
    assert words.token_mask is words.mask


@pytest.mark.parametrize("kind", ["words", "pieces"])
def test_rows_copies_and_padding(kind, request):
    whole = request.getfixturevalue(kind)
    texts = listed(whole)
    assert listed(whole.rows(torch.tensor([2, 0, 2]))) == [texts[2], texts[0], texts[2]]
    assert listed(whole.repeated(2)) == texts * 2
    short = whole.rows(torch.tensor([2, 0])).trimmed()
    assert listed(short) == [texts[2], texts[0]]
    assert short.attendable.size(1) == 4 and short.mask.any(dim=0).all()


def test_units_from_first_and_last_positions():
    offsets = torch.tensor([[[1, 2], [3, 3], [-1, -1], [4, 4], [0, 0]], [[1, 1], *[[0, 0]] * 4]])
    mask = torch.tensor([[1, 1, 1, 1, 0], [1, 0, 0, 0, 0]]).bool()
    found = units_of(offsets, mask, 6)
    assert found.tolist() == [UNITS[0], [-1, 0, -1, -1, -1, -1]]
