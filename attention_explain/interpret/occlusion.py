"""
`leave-one-out` and `occlusion`: one token removed at a time, deleted or replaced by what says nothing,
and how the change of the output is measured.
"""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.removal import remove_states, remove_tokens
from attention_explain.interpret.text_batch import (
    BASELINES,
    LEVELS,
    OUTPUTS,
    TextBatch,
    baseline_embeddings,
    class_output,
)
from attention_explain.model_outputs import SOFTMAX, head_of
from attention_explain.modules.projections import total_variation
from attention_explain.named_components import check_choice

MEASURES = ("signed", "tvd")


class RemovalInterpreter(Interpreter):
    """
    How much the output changes when one token is removed, for every token.

    # Parameters

    at : `str`
        `input`: the token is removed before the encoder, as the subclass has it. `hidden`: its
        hidden state is; its weight is dropped, the projection is redone over the others, and all
        other states stay as they are.
    measure : `str`
        `signed`: the class output of the text less that without the token. `tvd`: total variation
        distance of the two distributions over all classes, 1/2 sum |p - p_i|.
    of : `str`
        `probability` or `logit` of the class, for the signed measure.
    normalize : `bool`
        Divide by the sum of the magnitudes over the text, where that is not 0.
    """

    goes_back = False
    renamed = {"output": "'of' now, and what was 'of', input or hidden, is 'at'"}

    def __init__(
        self, predictor: Predictor, at: str, measure: str, of: str, normalize: bool
    ) -> None:
        if of in LEVELS:
            raise InputError(
                f"of is {of!r}, which is called 'at' now: say 'at': {of!r}; 'of' is the output that "
                f"is explained, {' or '.join(OUTPUTS)}"
            )
        self.at = check_choice("at", at, LEVELS)
        self.needs = ("embeddings",) if at == "input" else ("stages",)
        super().__init__(predictor)
        self.measure = check_choice("measure", measure, MEASURES)
        self.of = check_choice("of", of, OUTPUTS)
        if measure == "tvd" and of != "probability":
            raise InputError(f"of is {of!r}, but measure 'tvd' is a distance of probabilities")
        self.normalize = normalize
        self.signed = measure == "signed"
        # A distance of two distributions is about all classes.
        self.class_specific = measure == "signed"
        self.sums_to = "1" if normalize and not self.signed else None
        self.passes = declared_passes("leave-one-out", at)

    def replacement(self, batch: TextBatch, embeddings: torch.Tensor) -> torch.Tensor | None:
        """What stands instead of each removed token; None if nothing. Shape: as `embeddings`"""
        raise NotImplementedError

    @torch.no_grad()
    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens)
        if self.at == "hidden":
            states = self.model.encode(embeddings, batch.inputs)
            whole, without = remove_states(self.model, batch, states)
        else:
            replacement = self.replacement(batch, embeddings)
            whole, without = remove_tokens(self.model, batch, embeddings, replacement)
        return Attribution(self.change(whole.unsqueeze(1), without, target.unsqueeze(1)))

    def change(
        self, whole: torch.Tensor, removed: torch.Tensor, target: torch.Tensor
    ) -> torch.Tensor:
        """
        Shape: (batch, 1, labels), (batch, tokens, labels), (batch, 1) -> (batch, tokens)
        """
        if self.measure == "tvd":
            if head_of(self.model) == SOFTMAX:
                return total_variation(whole.softmax(dim=-1), removed.softmax(dim=-1))
            return self.difference(whole, removed, target, "probability").abs()
        return self.difference(whole, removed, target, self.of)

    def difference(
        self, whole: torch.Tensor, removed: torch.Tensor, target: torch.Tensor, of: str
    ) -> torch.Tensor:
        """Of the target's output. Shape: as of `change`"""
        targets = target.expand(removed.shape[:-1])
        return class_output(self.model, whole, target, of) - class_output(
            self.model, removed, targets, of
        )


@SaliencyInterpreter.register("leave-one-out")
class LeaveOneOut(RemovalInterpreter):
    """
    How the output changes when the token is deleted (Jain & Wallace 2019, section 4.1). Boundary
    symbols stay. A text of one token has nothing left to attend to: its output without the token is
    the decoder's at a context of 0. Embeddings are computed once, not again for each shorter text.

    Registered as a `SaliencyInterpreter` with name "leave-one-out".

    # Parameters

    at : `str`, optional (default = `"input"`)
        `input`: the token is deleted from the text. `hidden`: its hidden state is, attention
        projected again over the others, all other states fixed.
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


@SaliencyInterpreter.register("occlusion")
class Occlusion(RemovalInterpreter):
    """
    f(x) - f(x with embedding i replaced): with zeros, Bastings & Filippova 2020, eq. 5.

    Registered as a `SaliencyInterpreter` with name "occlusion".

    # Parameters

    baseline : `str`, optional (default = `"zero"`)
        What the embedding is replaced by: `zero`, or the embedding of a symbol, `pad`, `unk` or `mask`.
    at : `str`, optional (default = `"input"`)
        `input`: as above. `hidden`: the token's hidden state is dropped instead, attention
        projected again over the others, all other states fixed.
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
            raise InputError(
                f"baseline is {baseline!r}, but of a hidden state the whole is dropped; a baseline "
                "is for 'at': 'input'"
            )

    def replacement(self, batch: TextBatch, embeddings: torch.Tensor) -> torch.Tensor:
        return baseline_embeddings(self.model, batch, embeddings, self.baseline)
