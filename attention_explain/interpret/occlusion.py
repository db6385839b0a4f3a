"""Occlusion: a token's embedding replaced by one that says nothing, the text as long as before."""

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.interpret.baselines import BASELINES, baseline_embeddings
from attention_explain.interpret.erasure.interpreter import Erasure
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.named_components import check_choice


@SaliencyInterpreter.register("occlusion")
class Occlusion(Erasure):
    """
    f(x) - f(x with embedding i replaced): with zeros, Bastings & Filippova 2020, eq. 5.

    Registered as a `SaliencyInterpreter` with name "occlusion".

    # Parameters

    baseline : `str`, optional (default = `"zero"`)
        What the embedding is replaced by: `zero`, or the embedding of the `pad` or `unk` symbol.
    at : `str`, optional (default = `"input"`)
        `input`: as above. `hidden`: the token's hidden state is dropped instead, attention
        projected anew over the others, all other states fixed.
    measure : `str`, optional (default = `"signed"`)
        `signed`: the drop of the class output. `tvd`: the total variation distance of the two
        distributions over all classes, 1/2 sum |p - p_i|.
    of : `str`, optional (default = `"probability"`)
        `probability` or `logit` of the class, for the signed measure.
    normalize : `bool`, optional (default = `False`)
        Divide by the sum of the magnitudes over the text.
    """

    def __init__(
        self,
        predictor: Predictor,
        baseline: str = "zero",
        at: str = "input",
        measure: str = "signed",
        of: str = "probability",
        normalize: bool = False,
    ) -> None:
        super().__init__(predictor, at, measure, of, normalize)
        self.baseline = check_choice("baseline", baseline, BASELINES)
        if at == "hidden" and baseline != "zero":
            raise ConfigurationError(
                f"baseline is {baseline!r}, but of a hidden state the whole is dropped; a baseline "
                "is for 'at': 'input'"
            )

    def replacement(self, batch: TextBatch, embeddings: torch.Tensor) -> torch.Tensor:
        return baseline_embeddings(self.model, batch, embeddings, self.baseline)
