"""Gradients of the output at the embeddings, plain, times the embeddings, or with noise (SmoothGrad)."""

from collections.abc import Callable

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import LEVELS, OUTPUTS, TextBatch, class_output, noise
from attention_explain.models import AttentionClassifier
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.named_components import check_choice
from attention_explain.passes import generator_for

NORMS = {"l1": 1, "l2": 2}


@SaliencyInterpreter.register("gradient")
class Gradient(Interpreter):
    """
    The norm of the gradient of the class output w.r.t. a token's embedding: sensitivity
    (Meister et al. 2021, eq. 3; Bastings & Filippova 2020, section 3).

    Registered as a `SaliencyInterpreter` with name "gradient".

    # Parameters

    of : `str`, optional (default = `"probability"`)
        `probability` or `logit` of the class.
    norm : `str`, optional (default = `"l2"`)
        `l2` or `l1`.
    detach_attention : `bool`, optional (default = `False`)
        Let the gradient flow through the states only, as in Jain & Wallace's code.
    at : `str`, optional (default = `"input"`)
        `input`: w.r.t. a token's embedding; `hidden`: w.r.t. its hidden state, as Meister et al.
        do next to it.
    normalize : `bool`, optional (default = `False`)
        Divide by the sum over the text, as Meister et al. do.
    """

    signed = False
    passes = declared_passes("gradient")

    def __init__(
        self,
        predictor: Predictor,
        of: str = "probability",
        norm: str = "l2",
        detach_attention: bool = False,
        at: str = "input",
        normalize: bool = False,
    ) -> None:
        check_choice("at", at, LEVELS)
        self.needs = ("embeddings",) if at == "input" else ("stages",)
        self.pieces = "max" if at == "input" else None
        super().__init__(predictor)
        self.of = check_choice("of", of, OUTPUTS)
        self.norm = check_choice("norm", norm, NORMS)
        self.detach_attention = detach_attention
        self.at = at
        self.normalize = normalize
        self.sums_to = "1" if normalize else None

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        if self.at == "hidden":
            gradient = state_gradient(self.model, batch, target, self.of, self.detach_attention)
        else:
            gradient = embedding_gradient(
                self.model,
                self.model.embed(batch.tokens),
                batch.inputs,
                target,
                self.of,
                self.detach_attention,
            )
        return Attribution(torch.linalg.vector_norm(gradient, ord=NORMS[self.norm], dim=-1))


@SaliencyInterpreter.register("gradient-x-input")
class GradientXInput(Interpreter):
    """
    The dot product of a token's embedding with the gradient of the class output w.r.t. it
    (Bastings & Filippova 2020, eq. 3). Jain & Wallace: `absolute` and `detach_attention`.

    Registered as a `SaliencyInterpreter` with name "gradient-x-input".

    # Parameters

    of : `str`, optional (default = `"probability"`)
        `probability` or `logit` of the class.
    absolute : `bool`, optional (default = `False`)
    detach_attention : `bool`, optional (default = `False`)
        Let the gradient flow through the states only, as in Jain & Wallace's code.
    """

    passes = declared_passes("gradient-x-input")

    def __init__(
        self,
        predictor: Predictor,
        of: str = "probability",
        absolute: bool = False,
        detach_attention: bool = False,
    ) -> None:
        super().__init__(predictor)
        self.of = check_choice("of", of, OUTPUTS)
        self.absolute = absolute
        self.signed = not absolute
        self.pieces = "sum" if self.signed else "max"
        self.detach_attention = detach_attention

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens)
        gradient = embedding_gradient(
            self.model,
            embeddings,
            batch.inputs,
            target,
            self.of,
            self.detach_attention,
        )
        scores = (gradient * embeddings).sum(dim=-1)
        return Attribution(scores.abs() if self.absolute else scores)


def embedding_gradient(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    inputs: TextInputs,
    target: torch.Tensor,
    of: str,
    detach_attention: bool = False,
) -> torch.Tensor:
    """
    The gradient of each row's class output at `embeddings`. Shape: (batch, positions, embedding_dim)
    """
    embeddings = embeddings.detach().requires_grad_()
    logits = model.logits(embeddings, inputs, detach_attention)
    # Rows do not touch each other, so one backward pass of the sum gives every row's own gradient.
    (gradient,) = torch.autograd.grad(class_output(model, logits, target, of).sum(), embeddings)
    return gradient


def state_gradient(
    model: AttentionClassifier,
    batch: TextBatch,
    target: torch.Tensor,
    of: str,
    detach_attention: bool = False,
) -> torch.Tensor:
    """
    The gradient of each row's class output at the hidden states, of which attention is a function
    unless it is detached. Shape: (batch, tokens, state_dim)
    """
    with torch.no_grad():
        states = model.encode(model.embed(batch.tokens), batch.inputs)
    states.requires_grad_()
    attention = model.attend(states, batch.inputs)
    weights = attention.detach() if detach_attention else attention
    logits = model.decode(states, weights, batch.inputs.query)
    (gradient,) = torch.autograd.grad(class_output(model, logits, target, of).sum(), states)
    return gradient


def mean_gradient(
    model: AttentionClassifier,
    batch: TextBatch,
    target: torch.Tensor,
    of: str,
    point: Callable[[int], torch.Tensor],
    weights: torch.Tensor,
) -> torch.Tensor:
    """
    The weighted sum over points s = 0, 1, ... of the gradient at the embeddings `point(s)`. Several
    points are put into one pass, as many as the batch's budget holds. Each point is asked for once,
    in order, so that it may be drawn at random.
    Shape: (batch, positions, embedding_dim)
    """
    together = max(1, batch.rows_per_pass() // len(batch))
    total = 0.0
    for first in range(0, len(weights), together):
        steps = range(first, min(first + together, len(weights)))
        gradient = embedding_gradient(
            model,
            torch.cat([point(step) for step in steps]),
            batch.inputs.repeated(len(steps)),
            target.repeat(len(steps)),
            of,
        )
        # Shape: (steps, batch, positions, embedding_dim)
        gradient = gradient.unflatten(0, (len(steps), len(batch)))
        shares = weights[first : first + len(steps)].to(gradient)
        total = total + torch.einsum("s,sbtd->btd", shares, gradient)
    return total


def path_derivatives(
    model: AttentionClassifier,
    batch: TextBatch,
    target: torch.Tensor,
    of: str,
    start: torch.Tensor,
    path: torch.Tensor,
    rows: torch.Tensor,
    positions: torch.Tensor,
) -> torch.Tensor:
    """
    Path times gradient of some texts at some positions u of their paths, the embeddings start +
    u path; summed over the numbers of an embedding. Shape of start and path: as the embeddings;
    (rows,), (positions,) -> (positions, rows, tokens)
    """
    texts = rows.repeat(len(positions))
    along = positions.to(path).repeat_interleave(len(rows)).view(-1, 1, 1)
    derivatives = []
    for first in range(0, len(texts), batch.rows_per_pass()):
        some = texts[first : first + batch.rows_per_pass()]
        steps = path[some]
        points = torch.addcmul(start[some], along[first : first + len(some)], steps)
        gradient = embedding_gradient(model, points, batch.inputs.rows(some), target[some], of)
        derivatives.append((steps * gradient).sum(dim=-1))
    return torch.cat(derivatives).unflatten(0, (len(positions), len(rows)))


@SaliencyInterpreter.register("smoothgrad")
class SmoothGrad(Interpreter):
    """
    The mean of the gradient vectors at noisy copies of a token's embedding (Smilkov et al. 2017,
    section 3), and only then one number a token: its norm, as in `gradient`, or its dot product
    with the embedding, as in `gradient-x-input`. (The mean of the norms would smooth nothing: the
    noise of a gradient does not cancel in its length.)

    Registered as a `SaliencyInterpreter` with name "smoothgrad".

    # Parameters

    samples : `int`, optional (default = `25`)
    noise : `float`, optional (default = `0.1`)
        Standard deviation of the noise, as a share of the spread (largest less smallest) of the
        numbers in the text's own embeddings; Smilkov et al. advise .1 to .2.
    times_input : `bool`, optional (default = `False`)
        The dot product with the embedding, signed, instead of the norm.
    norm : `str`, optional (default = `"l2"`)
        `l2` or `l1`.
    of : `str`, optional (default = `"probability"`)
        `probability` or `logit` of the class.
    seed : `int`, optional (default = `0`)
        With the instance's id it decides the noise.
    """

    deterministic = False

    def __init__(
        self,
        predictor: Predictor,
        samples: int = 25,
        noise: float = 0.1,
        times_input: bool = False,
        norm: str = "l2",
        of: str = "probability",
        seed: int = 0,
    ) -> None:
        super().__init__(predictor)
        if samples < 1:
            raise InputError(f"samples must be at least 1, but is {samples}")
        if not noise >= 0:
            raise InputError(f"noise must not be negative, but is {noise}")
        self.samples = samples
        self.noise = noise
        self.times_input = times_input
        self.signed = times_input
        self.pieces = "sum" if times_input else "max"
        self.norm = check_choice("norm", norm, NORMS)
        self.of = check_choice("of", of, OUTPUTS)
        self.seed = seed
        self.passes = declared_passes("smoothgrad", samples=samples)

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens).detach()
        generators = [generator_for(self.seed, id_, "smoothgrad") for id_ in batch.ids]
        scored = batch.inputs.at_positions(batch.attendable)
        deviations = self.noise * spread(embeddings, scored).view(-1, 1, 1)
        gradient = mean_gradient(
            self.model,
            batch,
            target,
            self.of,
            lambda _: embeddings + deviations * noise(batch, embeddings, generators),
            torch.full((self.samples,), 1 / self.samples),
        )
        if self.times_input:
            return Attribution((gradient * embeddings).sum(dim=-1))
        return Attribution(torch.linalg.vector_norm(gradient, ord=NORMS[self.norm], dim=-1))


def spread(embeddings: torch.Tensor, scored: torch.Tensor) -> torch.Tensor:
    """The largest less the smallest number of each text's own embeddings. Shape: (batch,)"""
    hidden = ~scored.unsqueeze(-1)
    largest = embeddings.masked_fill(hidden, -torch.inf).amax(dim=(1, 2))
    return largest - embeddings.masked_fill(hidden, torch.inf).amin(dim=(1, 2))
