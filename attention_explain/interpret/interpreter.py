"""
The base of all saliency methods: a batched entry under the JSON one that AllenNLP defines; and from
the names or configs that a user gives to interpreters, each with a name for its scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.models import Model
from allennlp.predictors import Predictor

from attention_explain.costs import declaration
from attention_explain.data.any_reader import complete
from attention_explain.errors import InputError
from attention_explain.files.attributions import RESERVED
from attention_explain.interpret.text_batch import TextBatch, budget_for, predicted_class, too_long
from attention_explain.models import AttentionClassifier
from attention_explain.models.classifier import check_needs
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.named_components import ComponentConfig, ComponentKind
from attention_explain.passes import in_batches, untouched


@dataclass
class Attribution:
    """
    scores : one a token, Shape: (batch, tokens); or, of a method that says how the scores of a token's
        positions become one (`pieces`), one a position, Shape: (batch, positions)
    checks : numbers about each text that tell how good its scores are, such as the error of a sum
        that must hold. Shape: (batch,) each
    """

    scores: torch.Tensor
    checks: dict[str, torch.Tensor] = field(default_factory=dict)


class Interpreter(SaliencyInterpreter):
    """
    A saliency method. A subclass implements `attribute` for one batch, and declares what it needs of
    a model and what its scores are.
    """

    # Of what is listed in `attention_explain.models.classifier`.
    needs: tuple[str, ...] = ("embeddings",)

    # Whether a score may be negative: evidence against the class.
    signed: bool
    # Whether the scores are a function of model and text alone; if not, they are seeded by the id.
    deterministic: bool = True
    # Whether the scores depend on the class that is explained.
    class_specific: bool = True

    # What the scores of a text sum to, where that is a property of the method.
    sums_to: str | None = None
    # Forward and backward passes through the model for a text of n tokens, for people; our own methods
    # have theirs from costs.toml, which studies reckon with.
    passes: str
    # Where scores are of positions: whether that of a token is their `sum` or their `max`.
    pieces: str | None = None
    # Whether the scores of a text are divided by the sum of their sizes.
    normalize: bool = False
    # Whether there are backward passes.
    goes_back: bool = True
    # Of the longest text that it can explain, if it cannot work in pieces.
    max_tokens: int | None = None

    def __init__(self, predictor: Predictor) -> None:
        super().__init__(predictor)
        check_needs(self.model, self.needs, f"{type(self).__name__} explains")

    @property
    def model(self) -> AttentionClassifier:
        """The model to explain."""
        return self.predictor._model

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        """
        # Parameters

        batch : `TextBatch`
        target : `torch.Tensor`
            The class to explain, of each text. Shape: (batch,)
        """
        raise NotImplementedError

    def attribute_batch(self, batch: TextBatch, target: torch.Tensor | None) -> Attribution:
        """
        `attribute` with the predicted class as default target, and without a trace left; one score a
        token, and 0 where none is due.
        """
        with untouched(self.model, self.goes_back):
            if target is None:
                target = predicted_class(self.model, batch)
            attribution = self.attribute(batch, target)
        scores = attribution.scores.detach()
        if self.pieces is not None and batch.inputs.units is not None:
            attribution.checks["special_share"] = special_share(scores, batch.inputs)
            scores = batch.inputs.of_tokens(scores, self.pieces)
        elif scores.shape != batch.attendable.shape:
            given, due = (" x ".join(map(str, one.shape)) for one in (scores, batch.attendable))
            in_pieces = batch.inputs.units is not None
            raise InputError(
                f"{type(self).__name__} gives {given} scores where {due} are due, one for each token of each text"
                + (
                    "; of pieces of words it must say pieces = 'sum' or pieces = 'max'"
                    if in_pieces
                    else ""
                )
            )
        scores = scores.masked_fill(~batch.attendable, 0.0)
        if self.normalize:
            total = scores.abs().sum(dim=-1, keepdim=True)
            scores = torch.where(total > 0, scores / total, 0.0)
        attribution.scores = scores
        return attribution

    def saliency_interpret_instances(
        self,
        instances: Sequence[Instance],
        target: str | None = None,
        budget: int | None = None,
    ) -> list[dict[str, Any]]:
        """
        The batched entry. For each instance its `scores`, one a token without padding or boundary
        symbols, and the method's checks, if it has any.

        # Parameters

        target : `str`, optional (default = the predicted class of each instance)
        budget : `int`, optional
            How many tokens, padding included, a pass may hold (default: by the model's device).
        """
        for position, instance in enumerate(instances, 1):
            complete(instance, f"text-{position}")
            self.predictor._dataset_reader.apply_token_indexers(instance)
            tokens = len(instance["metadata"].metadata["tokens"])
            if self.max_tokens is not None and tokens > self.max_tokens:
                raise InputError(
                    f"text {position} has {tokens} tokens, {too_long(self.max_tokens)}"
                )

        budget = budget or budget_for(self.model)

        def interpret(together: list[Instance]) -> list[dict[str, Any]]:
            batch = TextBatch.of(self.model, together, budget)
            classes = None if target is None else target_classes(self.model, target, batch)
            attribution = self.attribute_batch(batch, classes)
            checks = {name: values.tolist() for name, values in attribution.checks.items()}
            return [
                {"scores": scores, **{name: values[row] for name, values in checks.items()}}
                for row, scores in enumerate(batch.without_padding(attribution.scores))
            ]

        return in_batches(instances, budget, interpret)

    def saliency_interpret_from_json(self, inputs: JsonDict) -> JsonDict:
        """AllenNLP's entry, in AllenNLP's form; the scores are as the method gives them."""
        instance = self.predictor._json_to_instance(inputs)
        (result,) = self.saliency_interpret_instances([instance])
        return {"instance_1": {"grad_input_1": result["scores"]}}


def special_share(scores: torch.Tensor, inputs: TextInputs) -> torch.Tensor:
    """
    Of the sizes of all scores, what fell on special symbols, which get none.
    Shape: (batch, positions) -> (batch,)
    """
    sizes = scores.abs().masked_fill(~inputs.mask, 0.0)
    total = sizes.sum(dim=-1)
    of_tokens = inputs.mask if inputs.units is None else inputs.units >= 0
    special = sizes.masked_fill(of_tokens, 0.0).sum(dim=-1)
    return torch.where(total > 0, special / total, 0.0)


def target_index(model: AttentionClassifier, target: str, option: str = "target") -> int:
    """The class named `target`; `option` is what the error message calls it."""
    if target not in model.labels:
        raise InputError(
            f"{option} is {target!r}, which is none of the model's labels: {', '.join(model.labels)}"
        )
    return model.labels.index(target)


def check_contrast(name: str, interpreter: Interpreter) -> None:
    """Raise if a method cannot say why a class is predicted rather than another."""
    if not interpreter.class_specific:
        raise InputError(
            f"{name} does not depend on the explained class, so it cannot explain why a class is predicted "
            "rather than another"
            + (": set its option 'measure' to 'signed'" if hasattr(interpreter, "measure") else "")
        )


def target_classes(model: AttentionClassifier, target: str, batch: TextBatch) -> torch.Tensor:
    """The class named `target`, for every text of the batch. Shape: (batch,)"""
    index = target_index(model, target)
    return torch.full((len(batch),), index, dtype=torch.long, device=batch.mask.device)


def declared_passes(method: str, at: str = "", **options: Any) -> str:
    """
    What a method says of its cost, from `costs.toml`, which plans of studies read, too.

    # Parameters

    method : `str`
        The registered name of an interpreter.
    at : `str`, optional
        Where it looks, if that makes a difference: `hidden`.
    options
        Those that decide the number of passes, as people are to read them.
    """
    return declaration("interpreters", method, at)["said"].format(**options)


InterpreterConfig = ComponentConfig

# What a method declares about its scores and its cost.
PROPERTIES = ("signed", "deterministic", "sums_to", "passes", "pieces")

INTERPRETERS = ComponentKind(
    noun="interpreter",
    registry=SaliencyInterpreter,
    # AllenNLP's own know no batches.
    base=Interpreter,
    # The attribution file has a column per method, and these.
    reserved=RESERVED,
    given=("predictor",),
    declared=PROPERTIES,
)


def known_interpreters() -> list[str]:
    """The names of this project's methods."""
    return INTERPRETERS.known()


def build_interpreters(
    configs: Sequence[InterpreterConfig], predictor: Predictor, seed: int | None = None
) -> dict[str, Interpreter]:
    """
    The interpreters by the name of their scores; a `seed` is for those whose config gives none.
    """
    return INTERPRETERS.build(configs, seed, predictor=predictor)


def supported_interpreters(
    names: Sequence[str], model: Model, reader: DatasetReader
) -> tuple[list[str], dict[str, str]]:
    """
    Of methods that nobody has named, those that can explain this model; and why the others cannot.
    """
    predictor = Predictor(model, reader, frozen=False)
    supported, left_out = [], {}
    for name in names:
        try:
            build_interpreters([name], predictor)
            supported.append(name)
        except InputError as error:
            left_out[name] = error.message
    if not supported:
        raise InputError(left_out[names[0]])
    return supported, left_out


def parameters(interpreter: Interpreter) -> dict[str, Any]:
    """Its type and options, those left at their defaults included."""
    return INTERPRETERS.parameters(interpreter)


def properties(interpreter: Interpreter) -> dict[str, Any]:
    """What the method declares about its scores and its cost."""
    return {name: getattr(interpreter, name) for name in PROPERTIES}
