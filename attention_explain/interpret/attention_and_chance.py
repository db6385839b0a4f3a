"""
Scores that are there before any method looks at the model's output: its own attention weights, and the
control that accompanies every comparison, random numbers and nothing else.
"""

from functools import partial

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.removal import unbiased_votes
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models.classifier import check_needs
from attention_explain.modules.layer_attention import LayerAttention, passed_down
from attention_explain.named_components import check_number
from attention_explain.passes import generator_for

MEAN = "mean"


@SaliencyInterpreter.register("attention")
class AttentionWeights(Interpreter):
    """
    The attention weight of each token. It is the same for every class.

    Of a pretrained transformer, which has weights in every layer and head: what the first position
    (`[CLS]`) attends to, from which the head reads; by default in the last layer, heads averaged. The
    options choose others; our own `transformer` encoder has them, too, and there it is what those
    positions attend to that the model's last attention looks at.

    Registered as a `SaliencyInterpreter` with name "attention".

    # Parameters

    layer : `int` or `"mean"`, optional (default = the last)
        From 1, the first; or the mean over all layers.
    head : `int`, optional (default = the mean over all)
        From 1.
    value_norms : `bool`, optional (default = `False`)
        Weights times the values' norms, all heads together: || sum over heads a_ij f(x_j) ||
        (Kobayashi et al. 2020, eq. 3). For attention over hidden states: a_i || W h_i ||, with the
        decoder's first linear map W.
    """

    class_specific = False
    signed = False
    passes = declared_passes("attention")
    goes_back = False

    def __init__(
        self,
        predictor: Predictor,
        layer: int | str | None = None,
        head: int | None = None,
        value_norms: bool = False,
    ) -> None:
        chosen = layer is not None or head is not None
        self.needs = ("layers",) if chosen else ("attention",)
        super().__init__(predictor)
        lacks = self.model.lacks
        if value_norms and (lacks("stages") is not None or lacks("layers") is None):
            chosen, self.needs = True, ("layers",)
            check_needs(self.model, self.needs, "")
        self._in_layers = chosen or (lacks("stages") is not None and lacks("layers") is None)
        self.pieces = "max" if self._in_layers else None
        known_sum = lacks("stages") is None and not chosen and not value_norms
        self.sums_to = "1" if known_sum else None
        self.layer = layer
        self.head = head
        self.value_norms = value_norms
        if value_norms and head is not None:
            raise InputError(
                f"head is {head}, but value_norms puts all heads together; give one of the two"
            )
        if layer is not None and layer != MEAN:
            check_number("layer", layer, self.model.number_of_layers(), f" or '{MEAN}'")

    @torch.no_grad()
    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens)
        if self.value_norms and not self._in_layers:
            states = self.model.encode(embeddings, batch.inputs)
            norms = torch.linalg.vector_norm(unbiased_votes(self.model, states), dim=-1)
            return Attribution(self.model.attend(states, batch.inputs) * norms)
        if not self._in_layers:
            return Attribution(self.model.with_attention(embeddings, batch.inputs)[1])
        read = self.model.through_layers(embeddings, batch.inputs)
        layers = read.layers if self.layer == MEAN else [read.layers[int(self.layer or 0) - 1]]
        of_layers = [passed_down(read.last, layer, partial(self._map, layer)) for layer in layers]
        return Attribution(torch.stack(of_layers).mean(dim=0))

    def _map(self, layer: LayerAttention, attending: slice) -> torch.Tensor:
        """Shape: (batch, positions that attend, positions attended to)"""
        if self.value_norms:
            return layer.value_weighted(attending)
        if self.head is None:
            return layer.mean_weights(attending)
        check_number("head", self.head, layer.module.num_heads)
        return layer.weights(attending)[:, self.head - 1]


@SaliencyInterpreter.register("random")
class RandomScores(Interpreter):
    """
    A number between 0 and 1 for each token, uniform and independent of model and text.

    Registered as a `SaliencyInterpreter` with name "random".

    # Parameters

    seed : `int`, optional (default = `0`)
        With the instance's id it decides the scores.
    """

    class_specific = False
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
