"""Does the method look at the model? The same method on the same texts, with the parameters drawn anew."""

import copy
from typing import Dict, List, Optional, Sequence, Tuple, Union

import numpy
import torch
from allennlp.models import Model

from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.faithfulness.score_measure import ScoreMeasure, Setting
from attention_explain.faithfulness.values import NoValue, Value, Values, mean_of
from attention_explain.models import AttentionClassifier
from attention_explain.orders import ranked
from attention_explain.passes import generator_for

NAME = "parameter_randomization"
# From the top of a model down; a model says of which each of its parameters is.
STAGES = ("decoder", "attention", "encoder", "embeddings")
NO_STAGE = NoValue("the model has no such stage")


@Faithfulness.register(NAME)
class ParameterRandomization(ScoreMeasure):
    """
    Spearman's rank correlation of the scores with those that the same method gives after parameters
    were drawn anew, cascading from the top (Adebayo et al. 2018): the decoder's; and the attention's;
    and the encoder's, of a pair those of both texts; and the embeddings'. Of a transformer these are the head, the layers and the
    embeddings: it has no attention but that of its layers. High is bad: the method does not look at what was learned.

    `parameter_randomization` is the mean over the stages, each of which has a row of its own,
    such as `parameter_randomization_decoder`. The values of a parameter are drawn from a normal
    distribution with their mean and deviation, so that the scale of the model is not what changes. The
    class that is explained stays the same. Where scores are ranked by size, it is of sizes.

    Undefined for scores whose method is not known, and where either list is all the same.

    Registered as a `Faithfulness` with name "parameter_randomization".

    # Parameters

    seed : `int`, optional (default = `0`)
        It decides the parameters: one other model for all texts.
    without : `Sequence[str]`, optional (default = none)
        Methods that are not applied again: to apply one to four models takes four times as long as to
        explain the texts by it.
    intermediate : `bool`, optional (default = `True`)
        Whether the stages on the way are asked, too, or only the last one, with all parameters drawn
        anew, at a quarter of the cost.
    """

    equation = "rho(scores of the model, scores of the model with parameters drawn anew)"

    def __init__(
        self, seed: int = 0, without: Sequence[str] = (), intermediate: bool = True
    ) -> None:
        self.seed = seed
        self.without = list(without)
        self.intermediate = intermediate
        self._of: Optional[AttentionClassifier] = None
        self._models: List[Tuple[str, AttentionClassifier]] = []

    def forms(self) -> Dict[str, bool]:
        stages = STAGES if self.intermediate else STAGES[-1:]
        return {NAME: False, **{f"{NAME}_{stage}": False for stage in stages}}

    def measure(self, setting: Setting) -> List[Values]:
        if self._of is not setting.model:
            models = cascade(setting.model, self.seed)
            last = [(STAGES[-1], models[-1][1])]
            self._of, self._models = setting.model, models if self.intermediate else last
        anew = {
            stage: setting.methods.scores(
                setting.methods.built(model, self.without), setting.read_by(model), setting.targets
            )
            for stage, model in self._models
        }
        results = []
        for row, text in enumerate(setting.texts):
            values: Values = {}
            for method, scores in text.scores.items():
                stages: Dict[str, Value] = {
                    f"{NAME}_{stage}": correlation(scores, found[method][row], setting.by)
                    for stage, found in anew.items()
                }
                missing = {name: NO_STAGE for name in self.forms() if name not in stages}
                values[method] = {**missing, NAME: mean_of(list(stages.values())), **stages}
            results.append(values)
        return results


def correlation(scores: numpy.ndarray, others: Union[numpy.ndarray, NoValue], by: str) -> Value:
    """Shape: (tokens,) each"""
    if isinstance(others, NoValue):
        return others
    lists = [ranked(values, by) for values in (scores, others)]
    if any(values.max() == values.min() for values in lists):
        return NoValue("all scores are the same")
    # Half a second to load, and only this needs it.
    from scipy.stats import rankdata

    return float(numpy.corrcoef([rankdata(values) for values in lists])[0, 1])


def cascade(model: Model, seed: int) -> List[Tuple[str, AttentionClassifier]]:
    """A model for each stage: what is drawn anew in one is so in all that follow."""
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
                draw_anew(parameters[name], seed, name)
        models.append((stage, made))
    return models


def draw_anew(parameter: torch.Tensor, seed: int, name: str) -> None:
    """Replace a parameter by normal random numbers with its mean and standard deviation."""
    generator = generator_for(seed, name, NAME)
    drawn = torch.randn(parameter.shape, generator=generator).to(parameter)
    # Of a single number it is the number itself.
    deviation, mean = torch.std_mean(parameter, correction=0)
    parameter.copy_(mean + deviation * drawn)
