"""DecompX: the logit as a sum of vectors that are carried from each token through all layers."""

from collections.abc import Callable

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor
from torch.nn.functional import linear

from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import MEMORY, TextBatch, most_tokens
from attention_explain.models import TransformerClassifier
from attention_explain.modules import projections
from attention_explain.modules.layer_attention import LayerAttention, scaled
from attention_explain.modules.text_inputs import PairDecoder, TextInputs
from attention_explain.passes import rows_at_once

# Of each number in the states of all pairs of positions, with all copies and pieces of copies.
PAIR_BYTES = 16.0

Activation = Callable[[torch.Tensor], torch.Tensor]
# The weight and the bias of a linear layer, or an activation.
Step = tuple[torch.Tensor, torch.Tensor | None] | Activation


@SaliencyInterpreter.register("decompx")
class DecompX(Interpreter):
    """
    DecompX (Modarressi et al. 2023): each state is a sum of vectors x_i<-k, one per position k of the
    text, which are carried through all layers and the head. At first x_i<-i is the embedding with its
    position. Attention is linear, with its real weights; a layer norm is linear, with its real
    deviation; an activation f multiplies by f(x) / x of the sum x; a bias b is shared in proportion
    to |b . x_i<-k|, with the vectors that it is added to. The scores are signed and sum to the logit
    of the class; each text reports by how much they miss it, as `convergence_delta`.

    Registered as a `SaliencyInterpreter` with name "decompx".

    # Parameters

    memory : `float`, optional (default = `2`)
        In GB. The vectors of all pairs of positions of a long text do not fit into it: such a text is
        skipped.
    """

    needs = ("layers", "blocks")
    signed = True
    pieces = "sum"
    sums_to = "the logit, less the shares of special symbols"
    passes = declared_passes("decompx")
    goes_back = False

    def __init__(self, predictor: Predictor, memory: float = MEMORY) -> None:
        super().__init__(predictor)
        self.memory = memory
        if isinstance(self.model, TransformerClassifier):
            size = self.model.family.layers()[0].outer.out_features
        else:
            size = self.model.encoder.get_output_dim()
        self.max_tokens = most_tokens(lambda tokens: size * tokens**2, PAIR_BYTES, memory)

    @torch.no_grad()
    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens)
        read = self.model.through_layers(embeddings, batch.inputs)
        states = read.layers[0].inputs
        together = rows_at_once(states[0].numel() * states.size(1), states.device.type)
        scores = []
        for rows in torch.arange(len(batch), device=states.device).split(together):
            layers = [
                LayerAttention(each.layer, each.inputs[rows], each.mask[rows])
                for each in read.layers
            ]
            terms = head_terms(layers, read.last[rows])
            for step in self._head(batch.inputs.rows(rows)):
                terms = _stepped(terms, step, batch.mask[rows])
            scores.append(terms[torch.arange(len(rows)), :, target[rows]])
        logits = self.model.logits(embeddings, batch.inputs)
        # Shape: (batch, positions)
        shares = torch.cat(scores)
        missing = shares.sum(dim=-1) - logits.gather(-1, target.unsqueeze(-1)).squeeze(-1)
        return Attribution(shares, {"convergence_delta": missing})

    def _head(self, inputs: TextInputs) -> list[Step]:
        """What the model makes of the vector that it reads."""
        if isinstance(self.model, TransformerClassifier):
            return [
                (step.weight, step.bias) if isinstance(step, torch.nn.Linear) else step
                for step in self.model.family.head()
            ]
        decoder = self.model.decoder
        if not isinstance(decoder, PairDecoder):
            return [(decoder.weight, decoder.bias)]
        # What a query adds is no part of the text: it is shared like a bias.
        bias = decoder.vote_bias + decoder.asked(inputs.query)
        output = decoder.output_layer
        return [
            (decoder.vote_weight, bias.unsqueeze(1)),
            decoder.activation,
            (output.weight, output.bias),
        ]


def head_terms(layers: list[LayerAttention], last: torch.Tensor) -> torch.Tensor:
    """
    The terms of the vector that the head reads, one per position of the text.
    Shape: (batch, positions, hidden_dim)

    # Parameters

    layers : `List[LayerAttention]`
        The first layer first.
    last : `torch.Tensor`
        The weights with which the states of the last layer are read. Shape: (batch, positions)
    """
    states = layers[0].inputs
    # Shape: (batch, positions, positions, hidden_dim)
    terms = torch.diag_embed(states.transpose(1, 2)).permute(0, 2, 3, 1)
    for number, layer in enumerate(layers, 1):
        rows = states.size(1)
        # On a GPU to ask takes longer than to compute all of them.
        if number == len(layers) and projections.on_host(last):
            rows = 1 + int(last.any(dim=0).nonzero().max())
        terms = _through_layer(terms, layer, rows)
    return torch.einsum("bi,bikd->bkd", last[:, : terms.size(1)], terms)


def _through_layer(terms: torch.Tensor, layer: LayerAttention, rows: int) -> torch.Tensor:
    """
    The terms of the first outputs of a layer, from those of all inputs.
    Shape: (batch, positions, sources, hidden_dim) -> (batch, rows, sources, hidden_dim)
    """
    parts, attention, mask = layer.layer, layer.module, layer.mask
    batch, positions, sources, size = terms.shape
    kind = terms.device.type
    weights = layer.weights(slice(rows))
    value_bias, output_weight = attention.value_layer.bias, attention.output_layer.weight
    bias = attention.output_layer.bias
    if value_bias is not None:
        # The weights of a row sum to 1.
        moved = output_weight @ value_bias
        bias = moved if bias is None else bias + moved

    attended = terms.new_empty(batch, rows, sources, size)
    together = rows_at_once(batch * positions * size, kind)
    for first in range(0, sources, together):
        some = slice(first, first + together)
        values = linear(terms[:, :, some], attention.value_layer.weight)
        values = values.unflatten(-1, (attention.num_heads, -1))
        mixed = torch.einsum("bhij,bjkhd->bikhd", weights, values).flatten(start_dim=3)
        attended[:, :, some] = linear(mixed, output_weight)
    together = rows_at_once(batch * sources * max(parts.inner.out_features, size), kind)
    for first in range(0, rows, together):
        some = slice(first, first + together)
        states = _shared(attended[:, some], bias, mask) + terms[:, some][:, : rows - first]
        states = _normed(parts.attention_norm, states, mask)
        inner = _stepped(states, (parts.inner.weight, parts.inner.bias), mask)
        inner = _stepped(inner, parts.activation, mask)
        states = states + _stepped(inner, (parts.outer.weight, parts.outer.bias), mask)
        attended[:, some] = _normed(parts.feedforward_norm, states, mask)
    return attended


def _normed(norm: torch.nn.LayerNorm, terms: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Shape: (..., sources, hidden_dim)"""
    return _shared(scaled(norm, terms, terms.sum(dim=-2, keepdim=True)), norm.bias, mask)


def _stepped(terms: torch.Tensor, step: Step, mask: torch.Tensor) -> torch.Tensor:
    """A linear layer or an activation. Shape: (batch, ..., sources, dim)"""
    if isinstance(step, tuple):
        weight, bias = step
        return _shared(linear(terms, weight), bias, mask)
    total = terms.sum(dim=-2, keepdim=True)
    return terms * torch.where(total == 0, 0.0, step(total) / total)


def _shared(terms: torch.Tensor, bias: torch.Tensor | None, mask: torch.Tensor) -> torch.Tensor:
    """
    The terms with their shares of the bias, in proportion to |b . x_k|; equal shares if all are 0.
    Shape: (batch, ..., sources, dim), (dim,) or as the terms, (batch, sources)
    """
    if bias is None:
        return terms
    sizes = (terms * bias).sum(dim=-1).abs()
    total = sizes.sum(dim=-1, keepdim=True)
    equal = mask.to(sizes) / mask.sum(dim=-1, keepdim=True)
    equal = equal.view(len(mask), *[1] * (sizes.dim() - 2), -1)
    shares = torch.where(total > 0, sizes / total, equal)
    return terms + shares.unsqueeze(-1) * bias
