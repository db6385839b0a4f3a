"""
A classifier of AllenNLP that is not this project's, such as `basic_classifier`, seen from outside: what
it embeds, and what it says of other embeddings. Methods that need no more can explain it.
"""

from contextlib import contextmanager
from inspect import Parameter, signature
from typing import Any, Dict, Iterator, List, Optional

import torch
from allennlp.data import TextFieldTensors
from allennlp.models import Model
from allennlp.modules import TextFieldEmbedder
from allennlp.nn.util import get_text_field_mask

from attention_explain.errors import InputError
from attention_explain.models.needs import contextual_part, has_not
from attention_explain.models.reading import Reading
from attention_explain.models.symbols import symbol_embedding


class OtherClassifier(Model):
    """
    # Parameters

    model : `Model`
        With one text field embedder, and a `forward` that needs nothing but `tokens` and gives `logits`
        or `probs`.
    """

    # What of an instance `reading` takes.
    read_fields = ("tokens", "attendable")
    # Of a model that gives probabilities, logits are their logarithms.
    logits_may_be_minus_infinity = True

    def __init__(self, model: Model) -> None:
        super().__init__(model.vocab)
        self.model = model
        embedders = [each for each in model.modules() if isinstance(each, TextFieldEmbedder)]
        if len(embedders) != 1:
            raise self._refused(f"it has {len(embedders)} text field embedders, and not one")
        _check_forward(self)
        namespace = getattr(model, "_label_namespace", "labels")
        names = model.vocab.get_index_to_token_vocabulary(namespace)
        self.labels: List[str] = [names[index] for index in range(len(names))]
        if len(self.labels) < 2:
            raise self._refused(f"its vocabulary has no labels under the name '{namespace}'")

    @property
    def text_field_embedder(self) -> TextFieldEmbedder:
        """The embedder of the wrapped model."""
        return next(each for each in self.model.modules() if isinstance(each, TextFieldEmbedder))

    def embed(self, tokens: TextFieldTensors) -> torch.Tensor:
        """Shape: (batch, tokens, embedding_dim)"""
        return self.text_field_embedder(tokens)

    def reading(
        self, tokens: TextFieldTensors, attendable: Optional[torch.Tensor] = None
    ) -> Reading:
        """The masks and other inputs that the model needs besides embeddings."""
        mask = get_text_field_mask(tokens)
        return Reading(mask, mask if attendable is None else attendable)

    def logits(
        self, embeddings: torch.Tensor, reading: Reading, detach_attention: bool = False
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
        empty = ~reading.mask.any(dim=1)
        first = torch.arange(reading.mask.size(1), device=empty.device) == 0
        mask = reading.mask | (empty.unsqueeze(-1) & first)
        embeddings = embeddings.masked_fill(empty[:, None, None], 0.0)
        with _embedding(self.text_field_embedder, embeddings):
            # Models ask for the mask, and some give the numbers of the words back.
            given = self.model(tokens={"tokens": {"tokens": mask.long(), "mask": mask}})
        if "logits" in given:
            return given["logits"]
        if "probs" in given:
            # Its softmax is what was given.
            return given["probs"].log()
        raise self._refused("its forward gives neither 'logits' nor 'probs'")

    def forward(self, *arguments: Any, **options: Any) -> Dict[str, torch.Tensor]:
        return self.model(*arguments, **options)

    # What methods may ask for -------------------------------------------------------------------

    def lacks(self, need: str) -> Optional[str]:
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

    def _refused(self, reason: str) -> InputError:
        return InputError(f"a {type(self.model).__name__} cannot be explained: {reason}")


def _check_forward(other: OtherClassifier) -> None:
    parameters = signature(other.model.forward).parameters
    open_ended = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())
    if "tokens" not in parameters and not open_ended:
        raise other._refused("its forward takes no 'tokens'")
    needed = [
        name
        for name, each in parameters.items()
        if name != "tokens"
        and each.default is Parameter.empty
        and each.kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    ]
    if needed:
        raise other._refused(f"its forward needs '{needed[0]}' beside 'tokens'")


@contextmanager
def _embedding(embedder: TextFieldEmbedder, embeddings: torch.Tensor) -> Iterator[None]:
    """Within it the embedder gives these, whatever it reads."""
    embedder.forward = lambda *arguments, **options: embeddings
    try:
        yield
    finally:
        del embedder.forward
