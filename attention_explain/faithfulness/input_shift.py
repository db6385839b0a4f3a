"""Input shift: scores must not change where nothing changes but what the model calls zero."""

import copy
from typing import Dict, List, Optional

import torch

from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.faithfulness.methods import other_embeddings
from attention_explain.faithfulness.score_measure import ScoreMeasure, Setting
from attention_explain.faithfulness.sensitivity import change
from attention_explain.faithfulness.values import NoValue, Values
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
    ||phi'(x + s) - phi(x)|| / ||phi(x)||, where phi' are the scores for a model that takes the constant
    s out of its inputs again, by the bias of its first layer: it computes what the model computes, for
    all texts (Kindermans et al. 2019). The lower the better, 0 for a method that depends on nothing
    but what is computed. Methods with a fixed reference, such as embeddings of 0, do not get there.

    Undefined for encoders without such a bias, and for scores whose method is not known.

    Registered as a `Faithfulness` with name "input_shift".

    # Parameters

    shift : `float`, optional (default = `1.0`)
        Added to every number of every embedding.
    """

    equation = "|scores of the shifted model(x + s) - scores(x)| / |scores(x)|"

    def __init__(self, shift: float = 1.0) -> None:
        self.shift = shift
        self._of: Optional[AttentionClassifier] = None
        self._shifted: Optional[AttentionClassifier] = None

    def forms(self) -> Dict[str, bool]:
        return {NAME: False}

    def measure(self, setting: Setting) -> List[Values]:
        if self._of is not setting.model:
            self._of, self._shifted = setting.model, shifted(setting.model, self.shift)
        if self._shifted is None:
            names = ", ".join(encoders_with(InputBias))
            reason = NoValue(
                "no bias of the encoder's first layer can take the shift out again (it can be so "
                f"for {names})"
            )
            return [{method: {NAME: reason} for method in text.scores} for text in setting.texts]
        methods = setting.methods
        plain = methods.scores(methods.built(setting.model), setting.batch, setting.targets)
        with other_embeddings(self._shifted, lambda tokens, vectors: vectors + self.shift):
            built = methods.built(self._shifted)
            other = methods.scores(built, setting.batch, setting.targets)
        return [
            {
                method: {NAME: change(plain[method][row], other[method][row])}
                for method in text.scores
            }
            for row, text in enumerate(setting.texts)
        ]


def shifted(model: AttentionClassifier, shift: float) -> Optional[AttentionClassifier]:
    """A model that says of embeddings + shift what the model says of embeddings; None if it cannot."""
    encoder = encoder_of_tokens(model)
    if encoder is None or capability(encoder, InputBias) is None:
        return None
    other = copy.deepcopy(model)
    constant = next(model.parameters()).new_full((model.encoder.get_input_dim(),), shift)
    with torch.no_grad():
        capability(other.encoder, InputBias).take_out(constant)
    return other
