"""
Attention with its gradient: through the layers of a pretrained transformer, or over the hidden states of a
classifier, where it says in which direction each token moves the output.
"""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.removal import attention_scores
from attention_explain.interpret.text_batch import OUTPUTS, TextBatch, class_output, is_contrast
from attention_explain.model_outputs import SOFTMAX, head_of
from attention_explain.models.classifier import check_needs
from attention_explain.modules.projections import Softmax
from attention_explain.modules.token_attention import LinearDecoder
from attention_explain.named_components import check_choice
from attention_explain.passes import rows_at_once

VARIANTS = ("product", "gradient", "sign")
CENTRED = "centred"
EFFECTS = ("product", "removal", "score-gradient")


@SaliencyInterpreter.register("attention-x-gradient")
class AttentionXGradient(Interpreter):
    """
    For attention over hidden states: a_i df/da_i, the attention weight times the gradient of the class
    output with respect to it; signed.

    For a pretrained transformer: generic attention explainability (Chefer et al. 2021, eqs. 5 and 6).
    In each layer the positive part of weight times gradient of the class output, heads averaged, A'; from
    the first layer to the last, R becomes R + A' R, from the identity; the scores are the row of the first
    position, or the mean of all rows, as the head reads; unsigned.

    Registered as a `SaliencyInterpreter` with name "attention-x-gradient".

    # Parameters

    of : `str`, optional (default = `"logit"`)
        `probability` or `logit` of the class.
    variant : `str`, optional (default = `"product"`)
        For attention over hidden states: `product`, `gradient` (df/da_i) or `sign` (a_i sign(df/da_i)).
    """

    needs: tuple[str, ...] = ()
    passes = declared_passes("attention-x-gradient")

    def __init__(self, predictor: Predictor, of: str = "logit", variant: str = "product") -> None:
        super().__init__(predictor)
        self._over_states = self.model.lacks("stages") is None
        self.needs = ("stages",) if self._over_states else ("maps",)
        check_needs(self.model, self.needs, "")
        self.signed = self._over_states
        self.pieces = None if self._over_states else "max"
        self.of = check_choice("of", of, OUTPUTS)
        self.variant = check_choice("variant", variant, VARIANTS)
        if variant != "product" and not self._over_states:
            raise InputError(
                f"variant is {variant!r}, but only attention over hidden states has variants"
            )

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        with torch.no_grad():
            embeddings = self.model.embed(batch.tokens)
        if self._over_states:
            return Attribution(self._of_own_attention(batch, embeddings, target))
        # The maps of all layers are held at once, each with its gradient.
        numbers = 2 * self.model.number_of_maps() * batch.mask.size(1) ** 2
        together = rows_at_once(numbers, embeddings.device.type)
        rows = torch.arange(len(batch), device=embeddings.device).split(together)
        return Attribution(torch.cat([self._of(batch, embeddings, target, some) for some in rows]))

    def _of_own_attention(
        self, batch: TextBatch, embeddings: torch.Tensor, target: torch.Tensor
    ) -> torch.Tensor:
        """Shape: (batch, tokens)"""
        states, weights = _attended(self.model, batch, embeddings)
        weights.requires_grad_()
        logits = self.model.decode(states, weights, batch.inputs.query)
        (gradient,) = torch.autograd.grad(
            class_output(self.model, logits, target, self.of).sum(), weights
        )
        weights = weights.detach()
        if self.variant == "gradient":
            return gradient
        return weights * (gradient.sign() if self.variant == "sign" else gradient)

    def _of(
        self, batch: TextBatch, embeddings: torch.Tensor, target: torch.Tensor, rows: torch.Tensor
    ) -> torch.Tensor:
        """Shape: (rows, positions)"""
        given = embeddings[rows].requires_grad_()
        logits, maps = self.model.with_maps(given, batch.inputs.rows(rows))
        output = class_output(self.model, logits, target[rows], self.of).sum()
        gradients = torch.autograd.grad(output, maps)
        # The row of the product, from the last layer down.
        relevance = self.model.read_with(given, batch.inputs.rows(rows))
        for weights, gradient in zip(reversed(maps), reversed(gradients)):
            mixed = (weights * gradient).clamp(min=0).mean(dim=1)
            relevance = relevance + torch.einsum("bi,bij->bj", relevance, mixed)
        return relevance


@SaliencyInterpreter.register("signed-attention")
class SignedAttention(Interpreter):
    """
    a_i g.(h_i - c): the attention weight times the direction in which the token moves the output. h_i is
    the token's state, c = sum_i a_i h_i, and g the gradient of the class output at c; with a linear
    decoder, the class's row of weights. With softmax attention it is df/dz_i, the gradient with respect
    to the attention score. The scores of a text sum to 0.

    Registered as a `SaliencyInterpreter` with name "signed-attention".

    # Parameters

    of : `str`, optional (default = `"centred"`)
        `centred` (the logit less the mean of all logits), `logit` or `probability` of the class.
    effect : `str`, optional (default = `"product"`)
        `product`: as above. `removal`: a_i / (1 - a_i) g.(h_i - c), exactly the change of the logit when
        the token's state is dropped and the other weights are renormalised (softmax and linear decoder
        only). `score-gradient`: df/dz_i for any projection.
    """

    signed = True
    needs = ("stages",)
    passes = declared_passes("signed-attention")

    def __init__(self, predictor: Predictor, of: str = CENTRED, effect: str = "product") -> None:
        super().__init__(predictor)
        self.of = check_choice("of", of, (CENTRED, *OUTPUTS))
        self.effect = check_choice("effect", effect, EFFECTS)
        if effect == "removal" and not self._is_linear():
            raise InputError(
                "effect 'removal' needs softmax attention, a linear decoder, and the output 'centred' or "
                "'logit'; use effect 'product', or leave-one-out with \"at\": \"hidden\""
            )

    def _is_linear(self) -> bool:
        return (
            type(self.model.attention.projection) is Softmax
            and isinstance(self.model.decoder, LinearDecoder)
            and self.of != "probability"
        )

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        with torch.no_grad():
            embeddings = self.model.embed(batch.tokens)
            states, weights = _attended(self.model, batch, embeddings)
            scores = attention_scores(self.model, states, batch.inputs.query)
        if self.effect == "score-gradient":
            scores.requires_grad_()
            projected = self.model.attention.projection(scores, batch.attendable)
            logits = self.model.decode(states, projected, batch.inputs.query)
            (gradient,) = torch.autograd.grad(self._output(logits, target), scores)
            return Attribution(gradient)
        gradient = self._gradient_at_context(states, weights, batch, target)
        votes = torch.einsum("btd,bd->bt", states, gradient).double()
        votes = votes.masked_fill(~batch.attendable, 0.0)
        if self.effect == "product":
            mean = (weights * votes).sum(dim=-1, keepdim=True)
            return Attribution((weights * (votes - mean)).to(states))
        return Attribution(_removal_effects(scores.double(), votes, batch.attendable).to(states))

    def _gradient_at_context(
        self, states: torch.Tensor, weights: torch.Tensor, batch: TextBatch, target: torch.Tensor
    ) -> torch.Tensor:
        """Shape: (batch, state_dim)"""
        context = torch.bmm(weights.unsqueeze(1), states).requires_grad_()
        whole = torch.ones_like(context[..., 0])
        logits = self.model.decode(context, whole, batch.inputs.query)
        (gradient,) = torch.autograd.grad(self._output(logits, target), context)
        return gradient.squeeze(1)

    def _output(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """The sum over the batch. Shape: (batch, labels) -> ()"""
        if self.of != CENTRED:
            return class_output(self.model, logits, target, self.of).sum()
        # In the difference of two logits, the mean cancels.
        if head_of(self.model) != SOFTMAX or is_contrast(target):
            return class_output(self.model, logits, target, "logit").sum()
        # Labels that a pair cannot have are not part of the mean.
        possible = logits.softmax(dim=-1) > 0
        mean = logits.masked_fill(~possible, 0.0).sum(dim=-1) / possible.sum(dim=-1)
        return (class_output(self.model, logits, target, "logit") - mean).sum()


def _attended(
    model: torch.nn.Module, batch: TextBatch, embeddings: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """States and attention, without gradients. Shape: (batch, tokens, state_dim), (batch, tokens)"""
    with torch.no_grad():
        states = model.encode(embeddings, batch.inputs)
        return states, model.attend(states, batch.inputs)


def _removal_effects(
    scores: torch.Tensor, votes: torch.Tensor, attendable: torch.Tensor
) -> torch.Tensor:
    """
    How far the mean vote falls when a token is dropped. The mean of the others is taken apart for the token
    with the largest weight, whose weight may be too close to 1 for the difference.
    Shape: (batch, tokens) each
    """
    scores = scores.masked_fill(~attendable, -torch.inf)
    weights = scores.softmax(dim=-1)
    mean = (weights * votes).sum(dim=-1, keepdim=True)
    top = scores.argmax(dim=-1, keepdim=True)
    others = scores.scatter(-1, top, -torch.inf).softmax(dim=-1)
    # Of a text of one token nothing is left: a context of 0.
    without_top = (others.nan_to_num(0.0) * votes).sum(dim=-1, keepdim=True)
    effects = weights / (1 - weights).clamp_min(torch.finfo(weights.dtype).tiny) * (votes - mean)
    return effects.scatter(-1, top, mean - without_top).masked_fill(~attendable, 0.0)
