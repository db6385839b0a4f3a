"""The attention of another model, from its attribution file."""

from typing import Iterable, Sequence, Tuple

import torch

from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.counterfactual.perturbation import Perturbation
from attention_explain.counterfactual.replacement import Replacement
from attention_explain.data.other_attention import OtherAttention


@Perturbation.register("other-model")
class OtherModelsAttention(Replacement):
    """
    The weights that a file has for the text of the same id and tokens. Each text must be there, with
    as many weights as it has tokens, none negative and of sum 1.

    Registered as a `Perturbation` with name "other-model".

    # Parameters

    file : `str`
        Written by `allennlp attribute`, with the method `attention`, or by `allennlp perturb`.
    column : `str`, optional (default = `"attention"`)
        Of the weights: also that of an adversary, `instance-adversary.attention`.
    """

    def __init__(self, file: str, column: str = "attention") -> None:
        self.file = file
        self.column = column
        self.reads = (file,)
        self.called = f"the weights of {file} ({column})"
        self._attention = OtherAttention(file, column)

    def check(self, texts: Iterable[Tuple[str, Sequence[str]]]) -> None:
        for id_, tokens in texts:
            self._attention.weights(id_, tokens)

    def weights(self, texts: FixedStates) -> torch.Tensor:
        weights = torch.zeros(texts.attention.shape, dtype=texts.attention.dtype)
        for row, seen in enumerate(texts.attendable.cpu()):
            given = self._attention.weights(texts.ids[row], texts.words[row])
            own = torch.tensor(given, dtype=weights.dtype)
            weights[row, seen] = own / own.sum()
        return weights.to(texts.attention.device)
