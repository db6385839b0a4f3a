"""Leave-one-out, or omission: a token deleted, the text one token shorter."""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.interpret.erasure.interpreter import Erasure
from attention_explain.interpret.text_batch import TextBatch


@SaliencyInterpreter.register("leave-one-out")
class LeaveOneOut(Erasure):
    """
    How the output changes when the token is deleted (Jain & Wallace 2019, section 4.1). Boundary
    symbols stay. A text of one token has nothing left to attend to: its output without the token is
    the decoder's at a context of 0. Embeddings are computed once, not again for each shorter text.

    Registered as a `SaliencyInterpreter` with name "leave-one-out".

    # Parameters

    at : `str`, optional (default = `"input"`)
        `input`: the token is deleted from the text. `hidden`: its hidden state is, attention
        projected anew over the others, all other states fixed.
    measure : `str`, optional (default = `"tvd"`)
        `tvd`: the total variation distance of the two distributions over all classes,
        1/2 sum |p - p_i|. `signed`: the drop of the class output.
    of : `str`, optional (default = `"probability"`)
        `probability` or `logit` of the class, for the signed measure.
    normalize : `bool`, optional (default = `False`)
        Divide by the sum of the magnitudes over the text, as Meister et al. 2021 (section 3) do.
    """

    def __init__(
        self,
        predictor: Predictor,
        at: str = "input",
        measure: str = "tvd",
        of: str = "probability",
        normalize: bool = False,
    ) -> None:
        super().__init__(predictor, at, measure, of, normalize)

    def replacement(self, batch: TextBatch, embeddings: torch.Tensor) -> None:
        return None
