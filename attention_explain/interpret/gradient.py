"""Gradient and gradient x input: one forward and one backward pass."""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.outputs import OUTPUTS, PLACES, embedding_gradient, state_gradient
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.named_components import check_choice

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
        do beside it.
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
        check_choice("at", at, PLACES)
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
                batch.reading,
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
            batch.reading,
            target,
            self.of,
            self.detach_attention,
        )
        scores = (gradient * embeddings).sum(dim=-1)
        return Attribution(scores.abs() if self.absolute else scores)
