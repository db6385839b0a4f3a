"""
Models as methods see them: a model of this project as it is, any other AllenNLP classifier through its
embedder and its outputs, and a model of pairs for explanations of the query or of both texts.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

import torch
from allennlp.data import TextFieldTensors
from allennlp.models import Model
from allennlp.modules import TextFieldEmbedder
from allennlp.nn.util import get_text_field_mask

from attention_explain.data.pair_reader import BOTH, PART, PASSAGE, QUERY, SIDES
from attention_explain.errors import InputError
from attention_explain.models.attention_classifier import AttentionClassifier
from attention_explain.models.classifier import NEEDS, contextual_part, has_not
from attention_explain.modules.text_inputs import Query, QueryEncoder, TextInputs, moved_together
from attention_explain.named_components import check_choice
from attention_explain.symbols import symbol_embedding, symbol_ids


def explainable(model: Model, side: str = PASSAGE) -> Model:
    """
    As methods see it: the model itself, if it says what they may ask of it, else as it is seen from
    outside; and a model of pairs on the side whose words get scores.
    """
    check_choice("side", side, SIDES)
    if not hasattr(model, "lacks"):
        model = OtherClassifier(model)
    # A model that reads both texts as one sequence is told with the text which words get scores.
    if side != PASSAGE and not getattr(model, "joins_pairs", False):
        model = on_side(model, side)
    return model


class OtherClassifier(Model):
    """
    # Parameters

    model : `Model`
        With one text field embedder, and a `forward` that needs nothing but `tokens` and gives `logits`
        or `probs`.
    """

    # What of an instance `inputs` takes.
    read_fields = ("tokens", "attendable")
    # Of a model that gives probabilities, logits are their logarithms.
    logits_may_be_minus_infinity = True

    def __init__(self, model: Model) -> None:
        super().__init__(model.vocab)
        self.model = model
        embedders = [each for each in model.modules() if isinstance(each, TextFieldEmbedder)]
        if len(embedders) != 1:
            raise self._rejected(f"it has {len(embedders)} text field embedders, and not one")
        _check_forward(self)
        namespace = getattr(model, "_label_namespace", "labels")
        names = model.vocab.get_index_to_token_vocabulary(namespace)
        self.labels: list[str] = [names[index] for index in range(len(names))]
        if len(self.labels) < 2:
            raise self._rejected(f"its vocabulary has no labels under the name '{namespace}'")

    @property
    def text_field_embedder(self) -> TextFieldEmbedder:
        """The embedder of the wrapped model."""
        return next(each for each in self.model.modules() if isinstance(each, TextFieldEmbedder))

    def embed(self, tokens: TextFieldTensors) -> torch.Tensor:
        """Shape: (batch, tokens, embedding_dim)"""
        return self.text_field_embedder(tokens)

    def inputs(
        self, tokens: TextFieldTensors, attendable: torch.Tensor | None = None
    ) -> TextInputs:
        """The masks and other inputs that the model needs besides embeddings."""
        mask = get_text_field_mask(tokens)
        return TextInputs(mask, mask if attendable is None else attendable)

    def logits(
        self, embeddings: torch.Tensor, inputs: TextInputs, detach_attention: bool = False
    ) -> torch.Tensor:
        """
        What the model says where its embedder gives these. A text of nothing is read as one embedding
        of 0, since few models read nothing. Shape: (batch, labels)
        """
        if detach_attention:
            raise InputError(
                "detach_attention is for a model whose attention is over hidden states, not for a "
                f"{type(self.model).__name__}"
            )
        empty = ~inputs.mask.any(dim=1)
        first = torch.arange(inputs.mask.size(1), device=empty.device) == 0
        mask = inputs.mask | (empty.unsqueeze(-1) & first)
        embeddings = embeddings.masked_fill(empty[:, None, None], 0.0)
        with _embedding(self.text_field_embedder, embeddings):
            # Models ask for the mask, and some give the numbers of the words back.
            given = self.model(tokens={"tokens": {"tokens": mask.long(), "mask": mask}})
        if "logits" in given:
            return given["logits"]
        if "probs" in given:
            # Its softmax is what was given.
            return given["probs"].log()
        raise self._rejected("its forward gives neither 'logits' nor 'probs'")

    def forward(self, *arguments: Any, **options: Any) -> dict[str, torch.Tensor]:
        return self.model(*arguments, **options)

    # What methods may ask for -------------------------------------------------------------------

    def lacks(self, need: str) -> str | None:
        """Why the model cannot support a method with this requirement, or None if it can."""
        if need != "embeddings":
            return has_not(self.model, need)
        part = contextual_part(self.text_field_embedder)
        if part is None:
            return None
        return (
            "it takes the vector that the embedder gives a token for the token itself, but in this "
            f"model's {type(part).__name__} that vector may know of the other tokens"
        )

    def stage_of(self, parameter: str) -> str:
        """The stage that a parameter belongs to: `embeddings` or `encoder`."""
        embedder = {id(each) for each in self.text_field_embedder.parameters()}
        return "embeddings" if id(self.get_parameter(parameter)) in embedder else "encoder"

    def symbol_embedding(self, symbol: str, purpose: str) -> torch.Tensor:
        """Of `pad`, `unk` or `mask`. Shape: (embedding_dim,)"""
        return symbol_embedding(self, symbol, purpose)

    def _rejected(self, reason: str) -> InputError:
        return InputError(f"a {type(self.model).__name__} cannot be explained: {reason}")


def _check_forward(other: OtherClassifier) -> None:
    parameters = signature(other.model.forward).parameters
    open_ended = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())
    if "tokens" not in parameters and not open_ended:
        raise other._rejected("its forward takes no 'tokens'")
    needed = [
        name
        for name, each in parameters.items()
        if name != "tokens"
        and each.default is Parameter.empty
        and each.kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    ]
    if needed:
        raise other._rejected(f"its forward needs '{needed[0]}' besides 'tokens'")


@contextmanager
def _embedding(embedder: TextFieldEmbedder, embeddings: torch.Tensor) -> Iterator[None]:
    """Within it the embedder gives these, whatever it reads."""
    embedder.forward = lambda *arguments, **options: embeddings
    try:
        yield
    finally:
        del embedder.forward


def on_side(model: Model, side: str) -> "PairSide":
    """The model for explanations of the query, or of both."""
    if not isinstance(model, AttentionClassifier) or model.query_encoder is None:
        raise InputError(
            f"side is '{side}', but only an attention_pair_classifier reads a second text, and this "
            f"model is a {type(model).__name__}"
        )
    return QuerySide(model) if side == QUERY else BothSides(model)


@dataclass(frozen=True)
class Attended:
    """
    A passage whose states stay as they are.

    states : Shape: (rows, tokens, state_dim)
    attendable : Shape: (rows, tokens)
    candidates : True at the labels that the pair may have; None: all. Shape: (rows, labels)
    """

    states: torch.Tensor
    attendable: torch.Tensor
    candidates: torch.Tensor | None = None

    @property
    def width(self) -> int:
        """The number of positions."""
        return self.states.size(1)

    def __getitem__(self, rows: torch.Tensor | slice) -> "Attended":
        candidates = None if self.candidates is None else self.candidates[rows]
        return Attended(self.states[rows], self.attendable[rows], candidates)


class PairSide(torch.nn.Module):
    """What the two have in common."""

    side: str
    read_fields: tuple[str, ...]

    def __init__(self, model: AttentionClassifier) -> None:
        super().__init__()
        self.model = model

    @property
    def labels(self) -> list[str]:
        """The labels of the model."""
        return self.model.labels

    @property
    def vocab(self):
        """The vocabulary of the model."""
        return self.model.vocab

    @property
    def query_encoder(self) -> QueryEncoder:
        """The encoder of the query, which every model of pairs has."""
        assert self.model.query_encoder is not None
        return self.model.query_encoder

    @property
    def query_embedder(self) -> TextFieldEmbedder:
        """The embedder of the query."""
        return self.query_encoder.embedder or self.model.text_field_embedder

    @property
    def text_field_embedder(self) -> TextFieldEmbedder:
        """Of the text that gets scores."""
        raise NotImplementedError

    def lacks(self, need: str) -> str | None:
        """Why the model cannot support a method with this requirement, or None if it can."""
        if need == "embeddings":
            return self.model.lacks(need)
        return (
            f"it needs {NEEDS[need]}, which of a pair the passage alone has: its side must be "
            f"'{PASSAGE}', not '{self.side}'"
        )

    def stage_of(self, parameter: str) -> str | None:
        """Of which stage of the model the parameter of that name is."""
        return self.model.stage_of(parameter.removeprefix("model."))

    def symbol_embedding(self, symbol: str, purpose: str) -> torch.Tensor:
        """Shape: (embedding_dim,)"""
        device = next(self.parameters()).device
        one = {
            indexer: {"tokens": torch.full((1, 1), number, device=device)}
            for indexer, number in symbol_ids(self, symbol, purpose).items()
        }
        with torch.no_grad():
            return self.text_field_embedder(one)[0, 0]

    def asked(
        self, embeddings: torch.Tensor, mask: torch.Tensor, candidates: torch.Tensor | None
    ) -> Query:
        """The query of these embeddings; one of which nothing is left says nothing: 0."""
        empty = ~mask.any(dim=-1, keepdim=True)
        state = self.query_encoder(embeddings, mask | empty)
        return Query(state.masked_fill(empty, 0.0), candidates)


class QuerySide(PairSide):
    """The query gets scores; the passage is read once, and its states stay as they are."""

    side = QUERY
    read_fields = ("tokens", "attendable", "passage", "passage_attendable", "candidates")

    @property
    def text_field_embedder(self) -> TextFieldEmbedder:
        return self.query_embedder

    def embed(self, tokens: TextFieldTensors) -> torch.Tensor:
        """The embeddings of the query. Shape: (batch, tokens, dim)"""
        return self.query_embedder(tokens)

    def inputs(
        self,
        tokens: TextFieldTensors,
        passage: TextFieldTensors,
        attendable: torch.Tensor | None = None,
        passage_attendable: torch.Tensor | None = None,
        candidates: torch.Tensor | None = None,
    ) -> TextInputs:
        """The masks and other inputs that the model needs besides embeddings."""
        mask, there = get_text_field_mask(tokens), get_text_field_mask(passage)
        seen = there if passage_attendable is None else passage_attendable
        states = self.model.encode(self.model.embed(passage), TextInputs(there, seen))
        return TextInputs(
            mask,
            mask if attendable is None else attendable,
            query=Attended(states, seen, candidates),
        )

    def logits(
        self, embeddings: torch.Tensor, inputs: TextInputs, detach_attention: bool = False
    ) -> torch.Tensor:
        """The logits for these embeddings of the query. Shape: (batch, labels)"""
        passage = inputs.query
        query = self.asked(embeddings, inputs.mask, passage.candidates)
        known = TextInputs(passage.attendable, passage.attendable, query=query)
        attention = self.model.attend(passage.states, known)
        weights = attention.detach() if detach_attention else attention
        return self.model.decode(passage.states, weights, query)


class BothSides(PairSide):
    """Both texts get scores, the query's words behind those of the passage."""

    side = BOTH
    read_fields = ("tokens", "attendable", "candidates")

    def __init__(self, model: AttentionClassifier) -> None:
        super().__init__(model)
        sizes = (model.text_field_embedder.get_output_dim(), self.query_embedder.get_output_dim())
        if sizes[0] != sizes[1]:
            raise InputError(
                f"side '{BOTH}' wants word vectors of one size, but those of passage and query have "
                f"{sizes[0]} and {sizes[1]} numbers; explain one side at a time"
            )

    @property
    def text_field_embedder(self) -> TextFieldEmbedder:
        if self.query_encoder.embedder is not None:
            raise InputError(
                f"no word stands for no word on side '{BOTH}', since passage and query have word "
                "vectors of their own; take 'zero', 'delete', or one side at a time"
            )
        return self.model.text_field_embedder

    def embed(self, tokens: TextFieldTensors) -> torch.Tensor:
        """The embeddings of both texts. Shape: (batch, tokens, dim)"""
        words = {name: tensors for name, tensors in tokens.items() if name != PART}
        embeddings = self.model.embed(words)
        if self.query_encoder.embedder is None:
            return embeddings
        asked = tokens[PART]["tokens"].unsqueeze(-1) == 1
        return torch.where(asked, self.query_embedder(words), embeddings)

    def inputs(
        self,
        tokens: TextFieldTensors,
        attendable: torch.Tensor | None = None,
        candidates: torch.Tensor | None = None,
    ) -> TextInputs:
        """The masks and other inputs that the model needs besides embeddings."""
        mask = get_text_field_mask({name: of for name, of in tokens.items() if name != PART})
        # A query that is not read yet, but whose labels are known.
        query = Query(mask.new_zeros(len(mask), 0), candidates)
        return TextInputs(
            mask,
            mask if attendable is None else attendable,
            query=query,
            parts=tokens[PART]["tokens"],
        )

    def logits(
        self, embeddings: torch.Tensor, inputs: TextInputs, detach_attention: bool = False
    ) -> torch.Tensor:
        """The logits for these embeddings of both texts. Shape: (batch, labels)"""
        second = inputs.parts == 1
        candidates = None if inputs.query is None else inputs.query.candidates
        rows = torch.arange(len(embeddings), device=embeddings.device).unsqueeze(-1)
        order, mask = moved_together(inputs.mask & second)
        query = self.asked(embeddings[rows, order], mask, candidates)
        order, mask = moved_together(inputs.mask & ~second)
        seen = inputs.attendable.gather(1, order) & mask
        passage = TextInputs(mask, seen, query=query)
        return self.model.logits(embeddings[rows, order], passage, detach_attention)
