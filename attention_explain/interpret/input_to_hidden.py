"""Input -> hidden importance: whether a hidden state stands for its own token."""

from typing import Iterator, Sequence

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter

from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.models.needs import encoder_of_tokens
from attention_explain.models.reading import Reading
from attention_explain.modules.encoders.capabilities import StateGradients, Window, capability
from attention_explain.modules.projections import entropy
from attention_explain.passes import rows_at_once, untouched


@SaliencyInterpreter.register("input-to-hidden")
class InputToHidden(Interpreter):
    """
    The score of token p is the normalised entropy of the importance of all inputs for hidden state
    p (`input_to_hidden`): 0 if the state knows a single input alone, 1 if all count the same. It is
    no saliency of the token. The mean over the text (Meister et al. 2021, Table 1) is its
    `mean_entropy`. Undefined, NaN, in a text of one token, and for a state that no input moves. Of
    a word in pieces the largest norm counts.

    Registered as a `SaliencyInterpreter` with name "input-to-hidden".
    """

    needs = ("states",)
    signed = False
    passes = declared_passes("input-to-hidden")

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        tokens = batch.attendable.sum(dim=-1, keepdim=True)
        by_group = []
        for importance in importance_of_groups(self.model, batch):
            entropies = entropy(importance) / tokens.to(importance.dtype).log()
            defined = (tokens > 1) & (importance.sum(dim=-1) > 0)
            by_group.append(torch.where(defined, entropies, torch.nan))
        entropies = torch.cat(by_group, dim=1)
        mean = entropies.masked_fill(~batch.attendable, torch.nan).nanmean(dim=-1)
        return Attribution(entropies, {"mean_entropy": mean})


def input_to_hidden(model: AttentionClassifier, batch: TextBatch) -> torch.Tensor:
    """
    The L2 norm of the gradient of ||h_p|| w.r.t. each input embedding x_j, normalised over the
    inputs (Meister et al. 2021, eq. 5). States and inputs are those of the tokens that attention
    sees: rows and columns of boundary symbols and padding are 0, as is the row of a state that no
    input moves. Behind the layer norm of a Transformer the norm of a state varies by the gains and
    biases alone; where all gains are equal, as before training, hardly anything but rounding is
    left of it. Shape: (batch, states, inputs)
    """
    return torch.cat(list(importance_of_groups(model, batch)), dim=1)


def importance_of_groups(model: AttentionClassifier, batch: TextBatch) -> Iterator[torch.Tensor]:
    """
    `input_to_hidden` of as many states at a time as fit into memory, the first ones first: of a text
    of 20,000 tokens the whole takes 2 GB, and as much again for each step of the way.
    Shape: (batch, states of the group, inputs)
    """
    together = rows_at_once(len(batch) * batch.length, batch.mask.device.type)
    groups = [
        range(first, min(first + together, batch.length))
        for first in range(0, batch.length, together)
    ]
    with untouched(model):
        embeddings = model.embed(batch.tokens).detach()
        encoder = encoder_of_tokens(model)
        fast = None if encoder is None else capability(encoder, StateGradients)
        if fast is not None:
            gradients = fast.norm_gradients(embeddings, batch.mask, groups)
        else:
            gradients = _norm_gradients(model, embeddings, batch.reading, groups)
        for group, norms in zip(groups, gradients, strict=True):
            states = batch.attendable[:, group.start : group.stop]
            counted = states.unsqueeze(-1) & batch.attendable.unsqueeze(-2)
            norms = norms.masked_fill(~counted, 0.0)
            total = norms.sum(dim=-1, keepdim=True)
            yield torch.where(total > 0, norms / total, 0.0)


def _norm_gradients(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    reading: Reading,
    groups: Sequence[range],
) -> Iterator[torch.Tensor]:
    """
    The norms of the gradients of each group of states, from backward passes; states whose windows
    do not overlap share one. Shape: (batch, states, inputs)
    """
    tokens = reading.attendable.size(1)
    encoder = encoder_of_tokens(model)
    windowed = None if encoder is None else capability(encoder, Window)
    reach = tokens if windowed is None else windowed.reach()
    window = 2 * reach + 1
    # On the host, which may then select by it.
    inputs = torch.arange(tokens)
    embeddings.requires_grad_()
    norms = torch.linalg.vector_norm(model.encode(embeddings, reading), dim=-1)
    for group in groups:
        importance = embeddings.new_zeros(len(embeddings), len(group), tokens)
        for first in group[:window]:
            (gradient,) = torch.autograd.grad(
                norms[:, first : group.stop : window].sum(), embeddings, retain_graph=True
            )
            # The state in whose window an input is, if there is one.
            state = first + (inputs - first + reach) // window * window
            inside = inputs[(state >= first) & (state < group.stop)]
            lengths = reading.of_tokens(torch.linalg.vector_norm(gradient, dim=-1), "max")
            importance[:, state[inside] - group.start, inside] = lengths[:, inside]
        yield importance
