"""The rules for the whole classifier: decoder, attention, encoder, down to the embeddings."""

from dataclasses import dataclass

import torch

from attention_explain.interpret.relevance.epsilon import EpsilonRules
from attention_explain.models import AttentionClassifier
from attention_explain.models.reading import Reading
from attention_explain.modules.encoders.capabilities import RelevanceRules, needed


@dataclass(frozen=True)
class Relevance:
    """
    of_embeddings : Shape: (batch, tokens, embedding_dim)
    absorbed : what went to biases and stabilisers. Shape: (batch,)
    output : the logit whose relevance was propagated. Shape: (batch,)
    """

    of_embeddings: torch.Tensor
    absorbed: torch.Tensor
    output: torch.Tensor


def propagate(
    model: AttentionClassifier,
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
    encoder = needed(model.encoder, RelevanceRules, "lrp")
    states = encoder.relevance_states(embeddings, reading.mask, rules)
    with torch.no_grad():
        # Shape: (batch, 1, tokens)
        attention = model.attend(states, reading).unsqueeze(1)
    logits = rules.linear(model.decoder, rules.mix(attention, states).squeeze(1))
    output = logits.gather(-1, target.unsqueeze(-1))
    of_embeddings, of_biases = torch.autograd.grad(output, (embeddings, absorbed), output.detach())
    return Relevance(of_embeddings, of_biases, output.detach().squeeze(-1))
