"""
What a model is told of texts beside their embeddings, and the two ways of counting in it: *tokens*
get scores; *positions* get embeddings. They are the same but where a word is cut into pieces.
"""

from dataclasses import dataclass, fields, replace

import torch

from attention_explain.modules.query import Query


@dataclass(frozen=True)
class TextInputs:
    """
    What the stages after `embed` need to know of texts. Padding is at the end of a text.

    mask : True at all positions that are no padding. Shape: (rows, positions)
    attendable : True at the tokens that get a score, and that attention sees. Shape: (rows, tokens)
    units : the token that a position belongs to; -1 for padding and for special symbols, which belong to
        none. None where each position is a token. Shape: (rows, positions)
    query : of a pair: the second text as the model has read it.
    parts : of a pair whose texts both get scores: 0 at the positions of the first, 1 at those of the
        second. Shape: (rows, positions)
    """

    mask: torch.Tensor
    attendable: torch.Tensor
    units: torch.Tensor | None = None
    query: Query | None = None
    parts: torch.Tensor | None = None

    @property
    def width(self) -> int:
        """How many positions a row takes in a pass, those of what it is read beside included."""
        beside = 0 if self.query is None else self.query.width
        return self.mask.size(1) + beside

    @property
    def token_mask(self) -> torch.Tensor:
        """True at all tokens that are no padding, boundary symbols included. Shape: (rows, tokens)"""
        if self.units is None:
            return self.mask
        # A word of characters that the pieces do not know may have no position at all.
        return self.attendable | (self.of_tokens(self.mask.int(), "max") > 0)

    def rows(self, rows: torch.Tensor | slice) -> "TextInputs":
        """Of some of the texts, or of copies of them, as long as before with their padding."""
        known = {each.name: getattr(self, each.name) for each in fields(self)}
        return replace(
            self, **{name: None if of is None else of[rows] for name, of in known.items()}
        )

    def repeated(self, times: int) -> "TextInputs":
        """Of all texts again and again."""
        rows = torch.arange(len(self.mask), device=self.mask.device)
        return self.rows(rows.repeat(times))

    def trimmed(self) -> "TextInputs":
        """As long as the longest text. A GPU has to be waited for."""
        positions = _longest(self.mask)
        parts = None if self.parts is None else self.parts[:, :positions]
        if self.units is None:
            return replace(
                self,
                mask=self.mask[:, :positions],
                attendable=self.attendable[:, :positions],
                parts=parts,
            )
        tokens = _longest(self.token_mask)
        return replace(
            self,
            mask=self.mask[:, :positions],
            attendable=self.attendable[:, :tokens],
            units=self.units[:, :positions],
        )

    def keeping(
        self, rows: torch.Tensor, kept: torch.Tensor, longest: int | None = None
    ) -> tuple[torch.Tensor, "TextInputs"]:
        """
        Of texts that have lost some of the tokens that get a score: what stays moves together.

        # Parameters

        rows : `torch.Tensor`. Shape: (texts,)
        kept : `torch.Tensor`
            Shape: (texts, tokens)
        longest : `int`, optional
            How many tokens are left at most; a GPU need not be waited for then, if positions are tokens.

        # Returns

        positions : `torch.Tensor`
            Those that stay, in their order, and any others behind. Shape: (texts, positions)
        inputs : `TextInputs`
            Of the shorter texts.
        """
        whole = self.rows(rows)
        lost = whole.attendable & ~kept
        tokens = whole.token_mask & ~lost
        order, mask = moved_together(tokens, longest)
        attendable = whole.attendable.gather(1, order) & mask
        if whole.units is None:
            parts = None if whole.parts is None else whole.parts.gather(1, order)
            return order, replace(whole, mask=mask, attendable=attendable, parts=parts)
        order, mask = moved_together(whole.mask & ~whole.at_positions(lost))
        numbers = tokens.cumsum(dim=1) - 1
        units = torch.where(whole.units < 0, -1, whole.at_positions(numbers)).gather(1, order)
        return order, replace(
            whole, mask=mask, attendable=attendable, units=units.masked_fill(~mask, -1)
        )

    def at_positions(self, per_token: torch.Tensor) -> torch.Tensor:
        """
        What is known of tokens, at each of their positions; 0, or False, at the positions of no token.
        Shape: (rows, tokens) -> (rows, positions)
        """
        if self.units is None:
            return per_token
        return per_token.gather(1, self.units.clamp(min=0)).masked_fill(self.units < 0, 0)

    def of_tokens(self, per_position: torch.Tensor, how: str) -> torch.Tensor:
        """
        The `sum` or the `max` over the positions of each token; 0 for a token that has none.
        Shape: (rows, positions, ...) -> (rows, tokens, ...)
        """
        if self.units is None:
            return per_position
        tokens = self.attendable.size(1)
        # What belongs to no token goes to one more, which is left out.
        units = self.units.masked_fill(self.units < 0, tokens)
        units = units.view(*units.shape, *(1 for _ in per_position.shape[2:])).expand_as(
            per_position
        )
        per_token = per_position.new_zeros(len(units), tokens + 1, *per_position.shape[2:])
        reduce = {"sum": "sum", "max": "amax"}[how]
        per_token.scatter_reduce_(1, units, per_position, reduce, include_self=False)
        return per_token[:, :tokens]


def units_of(offsets: torch.Tensor, words: torch.Tensor, positions: int) -> torch.Tensor:
    """
    `TextInputs.units`, from the first and the last position of each word, negative for a word that has none.
    Shape: (rows, tokens, 2), (rows, tokens) -> (rows, positions)
    """
    numbers = torch.arange(positions, device=words.device)
    first, last = offsets.unsqueeze(-1).unbind(dim=2)
    # Shape: (rows, tokens, positions)
    inside = (numbers >= first) & (numbers <= last) & (first >= 0) & words.unsqueeze(-1)
    return torch.where(inside.any(dim=1), inside.to(torch.uint8).argmax(dim=1), -1)


def moved_together(
    kept: torch.Tensor, longest: int | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Those that stay first, in their order, and where they are then. Shape: (rows, kept)"""
    longest = _longest(kept) if longest is None else max(1, longest)
    order = (~kept).to(torch.uint8).argsort(dim=1, stable=True)[:, :longest]
    steps = torch.arange(order.size(1), device=kept.device)
    return order, steps < kept.sum(dim=1, keepdim=True)


def _longest(mask: torch.Tensor) -> int:
    """At least 1: no text may be without length."""
    return max(1, int(mask.sum(dim=1).max()))
