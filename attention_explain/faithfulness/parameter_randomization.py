"""Parameter randomisation: whether scores change when the model's parameters are randomised."""

import copy
from collections.abc import Sequence

import numpy
import torch
from allennlp.models import Model

from attention_explain.faithfulness.faithfulness import (
    Faithfulness,
    Undefined,
    Value,
    Values,
    mean_of,
)
from attention_explain.faithfulness.score_measure import MeasureInputs, ScoreMeasure
from attention_explain.models import AttentionClassifier
from attention_explain.orders import ranked
from attention_explain.passes import generator_for

NAME = "parameter_randomization"
# From the top of a model down; `Model.stage_of` gives the stage of each parameter.
STAGES = ("decoder", "attention", "encoder", "embeddings")
NO_STAGE = Undefined("the model has no such stage")


@Faithfulness.register(NAME)
class ParameterRandomization(ScoreMeasure):
    """
    Spearman's rank correlation between the scores and those of the same method after parameters were
    randomised, cascading from the top (Adebayo et al. 2018): decoder, attention, encoder (both encoders
    of a pair), embeddings. For a transformer: head, layers, embeddings. Lower is better: a high value
    means that the method ignores what the model has learned.

    `parameter_randomization` is the mean over the stages; each stage has a row of its own, such as
    `parameter_randomization_decoder`. The values of a parameter are drawn from a normal distribution
    with the same mean and standard deviation, so that the scale of the model does not change. The
    explained class stays the same. If scores are ranked by magnitude, magnitudes are correlated.

    Undefined for scores of unknown methods, and if either list is constant.

    Registered as a `Faithfulness` with name "parameter_randomization".

    # Parameters

    seed : `int`, optional (default = `0`)
        Determines the random parameters, which are the same for all texts.
    without : `Sequence[str]`, optional (default = none)
        Methods to skip: this measure takes four times as long as explaining the texts.
    intermediate : `bool`, optional (default = `True`)
        Whether to evaluate all stages, or only the last one, with all parameters randomised, at a
        quarter of the cost.
    """

    equation = "rho(scores of the model, scores of the model with randomised parameters)"

    def __init__(
        self, seed: int = 0, without: Sequence[str] = (), intermediate: bool = True
    ) -> None:
        self.seed = seed
        self.without = list(without)
        self.intermediate = intermediate
        self._of: AttentionClassifier | None = None
        self._models: list[tuple[str, AttentionClassifier]] = []

    def forms(self) -> dict[str, bool]:
        stages = STAGES if self.intermediate else STAGES[-1:]
        return {NAME: False, **{f"{NAME}_{stage}": False for stage in stages}}

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        if self._of is not inputs.model:
            models = cascade(inputs.model, self.seed)
            last = [(STAGES[-1], models[-1][1])]
            self._of, self._models = inputs.model, models if self.intermediate else last
        randomised = {
            stage: inputs.methods.scores(
                inputs.methods.built(model, self.without), inputs.read_by(model), inputs.targets
            )
            for stage, model in self._models
        }
        results = []
        for row, text in enumerate(inputs.texts):
            values: Values = {}
            for method, scores in text.scores.items():
                stages: dict[str, Value] = {
                    f"{NAME}_{stage}": correlation(scores, others[method][row], inputs.by)
                    for stage, others in randomised.items()
                }
                missing = {name: NO_STAGE for name in self.forms() if name not in stages}
                values[method] = {**missing, NAME: mean_of(list(stages.values())), **stages}
            results.append(values)
        return results


def correlation(scores: numpy.ndarray, others: numpy.ndarray | Undefined, by: str) -> Value:
    """Spearman's rank correlation. Shape: (tokens,) each"""
    if isinstance(others, Undefined):
        return others
    lists = [ranked(values, by) for values in (scores, others)]
    if any(values.max() == values.min() for values in lists):
        return Undefined("all scores are the same")
    # Takes half a second to import, and only this function needs it.
    from scipy.stats import rankdata

    return float(numpy.corrcoef([rankdata(values) for values in lists])[0, 1])


def cascade(model: Model, seed: int) -> list[tuple[str, AttentionClassifier]]:
    """One model per stage: what is randomised in one stays so in all that follow."""
    models = []
    made = model
    stages = [(model.stage_of(name), name) for name, _ in model.named_parameters()]
    for stage in STAGES:
        names = [name for of, name in stages if of == stage]
        if not names:
            continue
        made = copy.deepcopy(made)
        parameters = dict(made.named_parameters())
        with torch.no_grad():
            for name in names:
                randomize(parameters[name], seed, name)
        models.append((stage, made))
    return models


def randomize(parameter: torch.Tensor, seed: int, name: str) -> None:
    """Replace a parameter by normal random numbers with its mean and standard deviation."""
    generator = generator_for(seed, name, NAME)
    drawn = torch.randn(parameter.shape, generator=generator).to(parameter)
    # A single number stays as it is: its deviation is 0.
    deviation, mean = torch.std_mean(parameter, correction=0)
    parameter.copy_(mean + deviation * drawn)
