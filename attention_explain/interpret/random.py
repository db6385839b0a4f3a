"""The control that stands beside every comparison: scores that are random numbers and nothing else."""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.passes import generator_for


@SaliencyInterpreter.register("random")
class RandomScores(Interpreter):
    """
    A number between 0 and 1 for each token, uniform and independent of model and text.

    Registered as a `SaliencyInterpreter` with name "random".

    # Parameters

    seed : `int`, optional (default = `0`)
        With the instance's id it decides the scores.
    """

    signed = False
    deterministic = False
    passes = declared_passes("random")
    needs = ()
    goes_back = False

    def __init__(self, predictor: Predictor, seed: int = 0) -> None:
        super().__init__(predictor)
        self.seed = seed

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        scores = torch.zeros(batch.seen.shape)
        for row, seen in enumerate(batch.seen):
            generator = generator_for(self.seed, batch.ids[row], "random")
            scores[row, seen] = torch.rand(int(seen.sum()), generator=generator)
        return Attribution(scores.to(batch.mask.device))
