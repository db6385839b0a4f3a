"""What heads of self-attention are for: other maps inside a model, in all heads or in some."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy
import torch
from allennlp.models import Model

from attention_explain.counterfactual.perturbation import Perturbation, percent
from attention_explain.counterfactual.self_attending import Change, SelfAttending, off
from attention_explain.files.perturbations import Field
from attention_explain.modules.projections import total_variation
from attention_explain.named_components import check_choice, check_number


class HeadsPerturbation(Perturbation):
    """
    A subclass gives the change. The result has the `tvd` of the output, whether the decision is another
    (`flip`), and the `probs`.

    # Parameters

    layer : `int`, optional (default = all)
        From 1, the first.
    head : `int`, optional (default = all)
        From 1. Without a `layer`, the head of that number in each of them.
    """

    takes = SelfAttending
    fields = {"tvd": Field.NUMBER, "flip": Field.FLAG, "probs": Field.LIST}
    called: str

    def __init__(self, layer: int | None = None, head: int | None = None) -> None:
        self.layer = layer
        self.head = head

    def changes(self, texts: SelfAttending) -> Callable[[int], Change]:
        """By the number of the layer."""
        raise NotImplementedError

    def check_model(self, model: Model) -> None:
        super().check_model(model)
        if self.layer is not None:
            check_number("layer", self.layer, model.number_of_layers())

    def perturb(self, texts: SelfAttending) -> dict[str, torch.Tensor]:
        if self.head is not None:
            check_number("head", self.head, min(layer.num_heads for layer in texts.layers))
        logits = texts.changed(self.changes(texts), self.layer, self.head)
        probs = logits.softmax(dim=-1)
        return {
            "tvd": total_variation(probs, texts.own_probs()),
            "flip": logits.argmax(dim=-1) != texts.predicted(),
            "probs": probs,
        }

    def found(self, results: Mapping[str, numpy.ndarray]) -> str:
        head = "every head" if self.head is None else f"head {self.head}"
        layer = "all layers" if self.layer is None else f"layer {self.layer}"
        return (
            f"With {head} of {layer} {self.called} the model predicts another label for "
            f"{percent(results['flip'].mean())} of the texts; its output moves by "
            f"{results['tvd'].mean():.2f} on average (total variation)."
        )


@Perturbation.register("uniform-heads")
class UniformHeads(HeadsPerturbation):
    """
    Every position attends to all positions alike, special symbols among them. The model is not trained for
    it.

    Registered as a `Perturbation` with name "uniform-heads". Parameters as above.
    """

    called = "attending to all positions alike"

    def changes(self, texts: SelfAttending) -> Callable[[int], Change]:
        return lambda layer: texts.uniform()


@Perturbation.register("heads-off")
class HeadsOff(HeadsPerturbation):
    """
    The heads bring nothing from anywhere (Michel et al. 2019): what the output layer reads of them is
    0. With all heads of a layer off, what is left of its self-attention is the bias of the output
    layer; its feed-forward block goes on.

    Registered as a `Perturbation` with name "heads-off". Parameters as above.
    """

    called = "switched off"

    def changes(self, texts: SelfAttending) -> Callable[[int], Change]:
        return lambda layer: off


@Perturbation.register("permuted-heads")
class PermutedHeads(HeadsPerturbation):
    """
    The weights with which each position attends, in another order: how sharp a head is stays the same, but
    not where it looks. One order is drawn for each layer, head and position.

    Registered as a `Perturbation` with name "permuted-heads".

    # Parameters

    layer, head : as above.
    seed : `int`, optional (default = `0`)
        With the instance's id it decides the order.
    """

    called = "looking elsewhere (its weights in another order)"

    def __init__(self, layer: int | None = None, head: int | None = None, seed: int = 0) -> None:
        super().__init__(layer, head)
        self.seed = seed

    def changes(self, texts: SelfAttending) -> Callable[[int], Change]:
        return partial(texts.permuted, self.seed)


CHANGES = {"off": HeadsOff, "uniform": UniformHeads, "permuted": PermutedHeads}


@Perturbation.register("each-head")
class EachHead(Perturbation):
    """
    One head at a time: how far the output moves (total variation) with each head changed alone
    (`heads`: those of the first layer first), with each whole layer changed alone (`layers`), and with
    all of them (`all`). A pass for each.

    Registered as a `Perturbation` with name "each-head".

    # Parameters

    change : `str`, optional (default = `"off"`)
        `off`, `uniform` or `permuted`, as in `heads-off`, `uniform-heads`, `permuted-heads`.
    seed : `int`, optional (default = `0`)
        Of `permuted`.
    """

    takes = SelfAttending
    fields = {"heads": Field.LIST, "layers": Field.LIST, "all": Field.NUMBER}

    def __init__(self, change: str = "off", seed: int = 0) -> None:
        self.change = check_choice("change", change, tuple(CHANGES))
        self.seed = seed

    def perturb(self, texts: SelfAttending) -> dict[str, torch.Tensor]:
        kind = CHANGES[self.change]
        one = PermutedHeads(seed=self.seed) if kind is PermutedHeads else kind()
        before = texts.own_probs()

        def moved(layer: int | None = None, head: int | None = None) -> torch.Tensor:
            # Orders are drawn again, from their start.
            logits = texts.changed(one.changes(texts), layer, head)
            return total_variation(logits.softmax(dim=-1), before)

        heads, layers = [], []
        for layer, module in enumerate(texts.layers, 1):
            heads += [moved(layer, head) for head in range(1, module.num_heads + 1)]
            layers.append(moved(layer))
        return {
            "heads": torch.stack(heads, dim=-1),
            "layers": torch.stack(layers, dim=-1),
            "all": moved(),
        }

    def found(self, results: Mapping[str, numpy.ndarray]) -> str:
        return (
            f"With every head {CHANGES[self.change].called} the output of a text moves by "
            f"{results['all'].mean():.2f} on average (total variation); what each does alone is in the "
            "columns, and a figure: python -m analysis table heads."
        )
