"""
Measures that recompute the scores: under small noise on the embeddings, for a shifted input that the
model undoes, and for a model with randomised parameters.
"""

import copy
from collections.abc import Sequence

import numpy
import torch
from allennlp.models import Model

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import (
    Faithfulness,
    MeasureInputs,
    ScoreMeasure,
    Undefined,
    Value,
    Values,
    mean_of,
    other_embeddings,
)
from attention_explain.models import AttentionClassifier
from attention_explain.models.classifier import encoder_of_tokens
from attention_explain.modules.capabilities import (
    InputBias,
    capability,
    encoders_with,
    needed,
)
from attention_explain.passes import generator_for, ranked


@Faithfulness.register("sensitivity")
class Sensitivity(ScoreMeasure):
    """
    max over e of ||phi(x + e) - phi(x)|| / ||phi(x)|| (Yeh et al. 2019): lower is more stable. The
    noise e is uniform within +- `radius` times the standard deviation of the text's embeddings, for
    each of their components. The explained class stays the same. A method that ignores the model is
    perfectly stable: read this measure together with the others.

    Registered as a `Faithfulness` with name "sensitivity".

    # Parameters

    samples : `int`, optional (default = `10`)
        The number of noise samples that the maximum is taken over.
    radius : `float`, optional (default = `0.1`)
    seed : `int`, optional (default = `0`)
        Determines the noise, together with the text's id.
    without : `Sequence[str]`, optional (default = none)
        Methods to skip: this measure takes `samples` times as long as explaining the texts.
    """

    name = "sensitivity"
    higher_is_better = False
    equation = "max over noise e of |scores(x + e) - scores(x)| / |scores(x)|"

    def __init__(
        self, samples: int = 10, radius: float = 0.1, seed: int = 0, without: Sequence[str] = ()
    ) -> None:
        if samples < 1:
            raise InputError(f"samples is {samples}, but must be 1 or more")
        if not radius > 0:
            raise InputError(f"radius is {radius}, but must be above 0")
        self.samples = samples
        self.radius = radius
        self.seed = seed
        self.without = list(without)

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        batch, targets = inputs.batch, inputs.targets
        methods = inputs.methods.built(inputs.model, self.without)
        plain = inputs.methods.scores(methods, batch, targets)
        generators = [generator_for(self.seed, text_id, self.name) for text_id in batch.ids]
        results: list[dict[str, dict[str, Value]]] = [{} for _ in inputs.texts]
        for _ in range(self.samples):
            noise = self._noise(inputs, generators)
            changed = inputs.methods.scores(methods, batch, targets, noise)
            for row, (text, values) in enumerate(zip(inputs.texts, results, strict=True)):
                for method in text.scores:
                    now = change(plain[method][row], changed[method][row])
                    before = values.get(method, {}).get(self.name, 0.0)
                    if not isinstance(now, Undefined) and not isinstance(before, Undefined):
                        now = max(before, now)
                    values[method] = {self.name: now}
        return list(results)

    def _noise(self, inputs: MeasureInputs, generators: list[torch.Generator]) -> torch.Tensor:
        """Shape: as the embeddings"""
        drawn = torch.zeros(inputs.embeddings.shape)
        seen_positions = inputs.batch.seen_positions
        for row, (seen, generator) in enumerate(zip(seen_positions, generators, strict=True)):
            size = (int(seen.sum()), drawn.size(-1))
            drawn[row, seen] = 2 * torch.rand(size, generator=generator) - 1
        drawn = drawn.to(inputs.embeddings)
        for row, seen in enumerate(seen_positions):
            drawn[row] *= self.radius * inputs.embeddings[row, seen].std(correction=0)
        return drawn


def change(before: numpy.ndarray | Undefined, after: numpy.ndarray | Undefined) -> Value:
    """The change relative to the scores before. Shape: (tokens,) each"""
    if isinstance(before, Undefined):
        return before
    if isinstance(after, Undefined):
        return after
    size = numpy.linalg.norm(before)
    if size == 0:
        return Undefined("all scores are 0")
    return float(numpy.linalg.norm(after - before) / size)


@Faithfulness.register("input_shift")
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

    name = "input_shift"
    higher_is_better = False
    equation = "|scores of the shifted model(x + s) - scores(x)| / |scores(x)|"

    def __init__(self, shift: float = 1.0) -> None:
        self.shift = shift
        self._of: AttentionClassifier | None = None
        self._shifted: AttentionClassifier | None = None

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        if self._of is not inputs.model:
            self._of, self._shifted = inputs.model, shifted(inputs.model, self.shift)
        if self._shifted is None:
            names = ", ".join(encoders_with(InputBias))
            reason = Undefined(
                "the encoder has no bias in its first layer that can undo the shift (supported: "
                f"{names})"
            )
            return [
                {method: {self.name: reason} for method in text.scores} for text in inputs.texts
            ]
        methods = inputs.methods
        plain = methods.scores(methods.built(inputs.model), inputs.batch, inputs.targets)
        with other_embeddings(self._shifted, lambda tokens, vectors: vectors + self.shift):
            built = methods.built(self._shifted)
            other = methods.scores(built, inputs.batch, inputs.targets)
        return [
            {
                method: {self.name: change(plain[method][row], other[method][row])}
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
        needed(other.encoder, InputBias, "bias").subtract_shift(constant)
    return other


# From the top of a model down; `Model.stage_of` gives the stage of each parameter.
STAGES = ("decoder", "attention", "encoder", "embeddings")
NO_STAGE = Undefined("the model has no such stage")


@Faithfulness.register("parameter_randomization")
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

    name = "parameter_randomization"
    higher_is_better = False
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
        return {self.name: False, **{f"{self.name}_{stage}": False for stage in stages}}

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
        results: list[Values] = []
        for row, text in enumerate(inputs.texts):
            values: dict[str, dict[str, Value]] = {}
            for method, scores in text.scores.items():
                stages: dict[str, Value] = {
                    f"{self.name}_{stage}": correlation(scores, others[method][row], inputs.by)
                    for stage, others in randomised.items()
                }
                missing = {name: NO_STAGE for name in self.forms() if name not in stages}
                values[method] = {**missing, self.name: mean_of(list(stages.values())), **stages}
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
    generator = generator_for(seed, name, "parameter_randomization")
    drawn = torch.randn(parameter.shape, generator=generator).to(parameter)
    # A single number stays as it is: its deviation is 0.
    deviation, mean = torch.std_mean(parameter, correction=0)
    parameter.copy_(mean + deviation * drawn)
