"""Input shift: scores must not change under a constant shift of the inputs that the model undoes."""

import copy

import torch

from attention_explain.faithfulness.faithfulness import Faithfulness, Undefined, Values
from attention_explain.faithfulness.methods import other_embeddings
from attention_explain.faithfulness.score_measure import MeasureInputs, ScoreMeasure
from attention_explain.faithfulness.sensitivity import change
from attention_explain.models import AttentionClassifier
from attention_explain.models.requirements import encoder_of_tokens
from attention_explain.modules.capabilities import (
    InputBias,
    capability,
    encoders_with,
)

NAME = "input_shift"


@Faithfulness.register(NAME)
class InputShift(ScoreMeasure):
    """
    ||phi'(x + s) - phi(x)|| / ||phi(x)||, where phi' are the scores for a model that subtracts the
    constant s from its inputs, by the bias of its first layer: it computes the same function for all
    texts (Kindermans et al. 2019). Lower is better, 0 for a method that depends only on the function.
    Methods with a fixed reference, such as embeddings of 0, do not reach 0.

    Undefined for encoders without such a bias, and for scores of unknown methods.

    Registered as a `Faithfulness` with name "input_shift".

    # Parameters

    shift : `float`, optional (default = `1.0`)
        Added to every component of every embedding.
    """

    equation = "|scores of the shifted model(x + s) - scores(x)| / |scores(x)|"

    def __init__(self, shift: float = 1.0) -> None:
        self.shift = shift
        self._of: AttentionClassifier | None = None
        self._shifted: AttentionClassifier | None = None

    def forms(self) -> dict[str, bool]:
        return {NAME: False}

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        if self._of is not inputs.model:
            self._of, self._shifted = inputs.model, shifted(inputs.model, self.shift)
        if self._shifted is None:
            names = ", ".join(encoders_with(InputBias))
            reason = Undefined(
                "the encoder has no bias in its first layer that can undo the shift (supported: "
                f"{names})"
            )
            return [{method: {NAME: reason} for method in text.scores} for text in inputs.texts]
        methods = inputs.methods
        plain = methods.scores(methods.built(inputs.model), inputs.batch, inputs.targets)
        with other_embeddings(self._shifted, lambda tokens, vectors: vectors + self.shift):
            built = methods.built(self._shifted)
            other = methods.scores(built, inputs.batch, inputs.targets)
        return [
            {
                method: {NAME: change(plain[method][row], other[method][row])}
                for method in text.scores
            }
            for row, text in enumerate(inputs.texts)
        ]


def shifted(model: AttentionClassifier, shift: float) -> AttentionClassifier | None:
    """A model that maps embeddings + shift to the outputs for embeddings; None if not supported."""
    encoder = encoder_of_tokens(model)
    if encoder is None or capability(encoder, InputBias) is None:
        return None
    other = copy.deepcopy(model)
    constant = next(model.parameters()).new_full((model.encoder.get_input_dim(),), shift)
    with torch.no_grad():
        capability(other.encoder, InputBias).subtract_shift(constant)
    return other
