"""The rules for a whole classifier, from its logits down to the embeddings."""

from dataclasses import dataclass
from typing import Optional, Union

import torch

from attention_explain.interpret.relevance.epsilon import EpsilonRules
from attention_explain.interpret.relevance.pretrained import pretrained_logits
from attention_explain.models import AttentionClassifier, TransformerClassifier
from attention_explain.models.reading import Reading
from attention_explain.modules.encoders.capabilities import RelevanceRules, needed
from attention_explain.modules.pair_decoder import PairDecoder
from attention_explain.modules.query import Query
from attention_explain.modules.token_attention import LinearDecoder


@dataclass(frozen=True)
class Relevance:
    """
    of_embeddings : Shape: (batch, places, embedding_dim)
    absorbed : what went to biases, stabilisers and, of a pair, the query. Shape: (batch,)
    output : the logit whose relevance was propagated. Shape: (batch,)
    """

    of_embeddings: torch.Tensor
    absorbed: torch.Tensor
    output: torch.Tensor


def propagate(
    model: Union[AttentionClassifier, TransformerClassifier],
    embeddings: torch.Tensor,
    reading: Reading,
    target: torch.Tensor,
    epsilon: float,
) -> Relevance:
    """
    One forward pass, and one backward that starts from the logit of the target class.
    """
    embeddings = embeddings.detach().requires_grad_()
    absorbed = embeddings.new_zeros(len(embeddings), requires_grad=True)
    rules = EpsilonRules(epsilon, absorbed)
    if isinstance(model, TransformerClassifier):
        logits = pretrained_logits(model.family, embeddings, reading.mask, rules)
    else:
        logits = _logits(model, embeddings, reading, rules)
    output = logits.gather(-1, target.unsqueeze(-1))
    of_embeddings, of_biases = torch.autograd.grad(output, (embeddings, absorbed), output.detach())
    return Relevance(of_embeddings, of_biases, output.detach().squeeze(-1))


def check_rules(model: Union[AttentionClassifier, TransformerClassifier]) -> None:
    """One sentence if some part of the model has no rule."""
    if not isinstance(model, TransformerClassifier):
        needed(model.encoder, RelevanceRules, "lrp")


def _logits(
    model: AttentionClassifier, embeddings: torch.Tensor, reading: Reading, rules: EpsilonRules
) -> torch.Tensor:
    """Encoder, attention, decoder. Shape: (batch, tokens, embedding_dim) -> (batch, labels)"""
    encoder = needed(model.encoder, RelevanceRules, "lrp")
    states = encoder.relevance_states(embeddings, reading.mask, rules)
    with torch.no_grad():
        # Shape: (batch, 1, tokens)
        attention = model.attend(states, reading).unsqueeze(1)
    return _decoded(model.decoder, rules.mix(attention, states).squeeze(1), reading.query, rules)


def _decoded(
    decoder: Union[LinearDecoder, PairDecoder],
    context: torch.Tensor,
    query: Optional[Query],
    rules: EpsilonRules,
) -> torch.Tensor:
    """What a query adds is no part of the text: like a bias, it takes its share. Shape: (batch, labels)"""
    if query is None:
        return rules.linear(decoder, context)
    votes = rules.linear_map(
        lambda values: torch.nn.functional.linear(values, decoder.vote_weight),
        context,
        bias=(decoder.vote_bias + decoder.asked(query)).detach(),
    )
    return rules.linear(decoder.output_layer, rules.elementwise(decoder.activation, votes))
