"""
A loaded model, and what a person may ask of it: one function a question. Answers are made of what JSON
can hold. Nothing here knows of the server.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.predictors import Predictor

from attention_explain.counterfactual.instance_adversary import InstanceAdversary
from attention_explain.counterfactual.perturbation import FixedStates
from attention_explain.counterfactual.replacement import effect
from attention_explain.data.any_reader import instance_of
from attention_explain.data.attention_text import TransformerTextReader
from attention_explain.data.example import TOKENS, training_origins
from attention_explain.data.pair_reader import PairReader
from attention_explain.data.text_reader import TextReader
from attention_explain.errors import InputError
from attention_explain.explained import Explained
from attention_explain.explore.open_text import GivenText, OpenText, check_length
from attention_explain.interpret.explainer import Explainer
from attention_explain.interpret.interpreter import (
    InterpreterConfig,
    build_interpreters,
    known_interpreters,
    properties,
    supported_interpreters,
)
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.model_outputs import probabilities
from attention_explain.models.classifier import check_needs
from attention_explain.modules.layer_attention import (
    LayerAttention,
    SelfAttentionParts,
    passed_down,
)
from attention_explain.passes import untouched

# Who attends, in words.
FIRST = "by the first symbol, from which the model predicts"
WORDS = "by the words, each as much as the model attends to it"


@torch.no_grad()
def head_weights(model: Model, batch: TextBatch) -> dict[str, Any]:
    """
    What each head of each layer attends to, by the positions that the model reads at last; of a word of
    several pieces, the largest weight of these. Of a single text, and of a model that lacks no layers.
    """
    layers, last, _ = model.through_layers(model.embed(batch.tokens), batch.inputs)
    first_alone = batch.inputs.units is not None and not last[:, 1:].any()
    return {
        "reader": FIRST if first_alone else WORDS,
        "weights": [
            [_attended(layer, head, last, batch) for head in range(layer.module.num_heads)]
            for layer in layers
        ],
    }


def _attended(
    layer: LayerAttention, head: int, last: torch.Tensor, batch: TextBatch
) -> list[float]:
    positions = passed_down(last, layer, lambda some: layer.weights(some)[:, head])
    return batch.without_padding(batch.inputs.of_tokens(positions, "max"))[0]


@torch.no_grad()
def logits_without(model: Model, batch: TextBatch, off: Sequence[Sequence[int]]) -> torch.Tensor:
    """When some heads, each (layer, head), bring nothing. Shape: (batch, labels)"""
    embeddings = model.embed(batch.tokens)
    modules = [layer.module for layer in model.through_layers(embeddings, batch.inputs).layers]
    by_layer: dict[int, set[int]] = {}
    for pair in off:
        layer, head = _checked(pair, modules)
        by_layer.setdefault(layer, set()).add(head)
    with _silenced([(modules[layer], heads) for layer, heads in by_layer.items()]):
        return model.logits(embeddings, batch.inputs)


def _checked(pair: Sequence[int], modules: Sequence[SelfAttentionParts]) -> tuple[int, int]:
    if (
        isinstance(pair, list)
        and [type(each) for each in pair] == [int, int]
        and 0 <= pair[0] < len(modules)
        and 0 <= pair[1] < modules[pair[0]].num_heads
    ):
        return pair[0], pair[1]
    raise InputError(f"{pair!r} is no head: it must be [layer, head], both from 0 on")


@contextmanager
def _silenced(attentions: Sequence[tuple[SelfAttentionParts, set[int]]]) -> Iterator[None]:
    """
    Within it these heads of each self-attention bring 0 to its output layer, which has their vectors
    side by side.
    """
    hooks = []
    try:
        for module, heads in attentions:
            count = module.num_heads

            def silence(layer: torch.nn.Module, inputs: tuple, heads=heads, count=count) -> tuple:
                vectors = inputs[0].unflatten(-1, (count, -1)).clone()
                vectors[..., sorted(heads), :] = 0.0
                return (vectors.flatten(-2), *inputs[1:])

            hooks.append(module.output_layer.register_forward_pre_hook(silence))
        yield
    finally:
        for hook in hooks:
            hook.remove()


# What stands on the page before anybody chooses; all of them together take part of a second.
SHOWN = ("attention", "gradient-x-input", "integrated-gradients", "lrp", "leave-one-out")
# Hundreds of passes a text.
SLOW = ("kernel-shap", "lime", "gradient-shap", "attention-flow")
# How many texts are remembered with their scores.
REMEMBERED = 64
# By which the numbers of methods that draw some are decided.
TYPED = "typed"


class OpenModel:
    """
    # Parameters

    name : `str`
        What the page calls it.
    model, reader : as an archive has them.
    methods : `Sequence`, optional (default = all that the model allows)
        Names of interpreters, or their configs.
    """

    def __init__(
        self,
        name: str,
        model: Model,
        reader: DatasetReader,
        methods: Sequence[InterpreterConfig] | None = None,
    ) -> None:
        self.name = name
        self.model = model.eval()
        self.reader = reader
        shown = None if methods is None else methods
        if methods is None:
            methods, _ = supported_interpreters(known_interpreters(), model, reader)
            methods = sorted(methods, key=lambda each: (each in SLOW, each not in SHOWN))
        self.methods = build_interpreters(methods, Predictor(model, reader, frozen=False))
        self.shown = [name for name in self.methods if shown is not None or name in SHOWN]
        self._reads_words = training_origins(model.vocab) == {TOKENS}
        self._texts: OrderedDict[GivenText, OpenText] = OrderedDict()

    def about(self) -> dict[str, Any]:
        """What the model has; what it has not is not shown."""
        return {
            "name": self.name,
            "labels": self.model.labels,
            "methods": [
                {
                    "name": name,
                    "shown": name in self.shown,
                    "slow": name in SLOW,
                    **properties(method),
                }
                for name, method in self.methods.items()
            ],
            "weights": self.model.lacks("stages") is None,
            "removal": self.model.lacks("embeddings") is None,
            "heads": self.model.lacks("layers") is None,
            "pairs": self.reads_pairs,
            "reads_words": self._reads_words,
        }

    def warm_up(self) -> None:
        """What is paid for once, packages that are loaded when they are first used, nobody waits for."""
        given = GivenText(words=("a", "a"), query="a" if self.reads_pairs else None)
        self.explain(given, self.shown)
        if self.model.lacks("embeddings") is None:
            self.named(given, self.shown, 1, "signed")
        del self._texts[given]

    @property
    def reads_pairs(self) -> bool:
        return isinstance(self.reader, PairReader) and self.reader.pairs

    # Questions ----------------------------------------------------------------------------------

    def explain(self, given: GivenText, methods: Sequence[str] = ()) -> dict[str, Any]:
        """The prediction, and the scores of these methods."""
        text = self.opened(given, methods)
        instance: Any = text.explained.instance
        explanation = text.explained.to_dict()
        return {
            **explanation,
            "saliency": {name: explanation["saliency"][name] for name in methods},
            "signed": {name: text.explained.signed[name] for name in methods},
            "query": instance["metadata"].metadata.get("query"),
        }

    def named(
        self, given: GivenText, methods: Sequence[str], words: int, by: str
    ) -> dict[str, Any]:
        """
        The words that each method names first, and the output without them (comprehensiveness) and
        with nothing else (sufficiency).
        """
        explained = self.opened(given, methods).explained
        some = Explained.of(explained, self.model, explained.instance, explained.seed)
        some.scores = {name: explained.scores[name] for name in methods}
        verdict = some.verdict(words, by, permutations=0)
        return {
            "target": verdict.target,
            "whole": vars(verdict.output),
            "chance": verdict.random,
            "methods": {
                name: {
                    "positions": of.positions,
                    "without": vars(of.without),
                    "only": vars(of.only),
                }
                for name, of in verdict.methods.items()
            },
        }

    def weights(self, given: GivenText, weights: Sequence[float]) -> dict[str, Any]:
        """What the model says if its attention had these weights."""
        states = self._states(given)
        (row,) = states.attendable
        own = int(row.sum())
        if len(weights) != own:
            raise InputError(f"there are {len(weights)} weights, but {own} words")
        values = torch.tensor(weights, dtype=torch.double)
        if not torch.isfinite(values).all() or (values < 0).any() or not values.sum() > 0:
            raise InputError("weights must be numbers from 0 on, and not all 0")
        placed = torch.zeros_like(states.attention)
        placed[0, row] = (values / values.sum()).to(placed)
        return self._effect(states, placed)

    def other_weights(self, given: GivenText, seed: int = 0) -> dict[str, Any]:
        """
        Weights far from the attention that give the same output, to within a total variation of 0.05:
        what `instance-adversary` finds.
        """
        states = self._states(given)
        search = InstanceAdversary(keep="best", seed=seed)
        with torch.no_grad():
            elsewhere = search.perturb(states)
        return {
            "found": bool(elsewhere["success"]),
            "epsilon": search.epsilon,
            **self._effect(states, elsewhere["attention"]),
        }

    def head_weights(self, given: GivenText) -> dict[str, Any]:
        """What each head of each layer attends to."""
        check_needs(self.model, ("layers",), "heads are those of")
        with untouched(self.model, goes_back=False):
            return head_weights(self.model, self._batch(given))

    def without_heads(self, given: GivenText, off: Sequence[Sequence[int]]) -> dict[str, Any]:
        """What the model says when some heads, each (layer, head), bring nothing."""
        check_needs(self.model, ("layers",), "heads are those of")
        with untouched(self.model, goes_back=False):
            logits = logits_without(self.model, self._batch(given), off)
        return {"probs": probabilities(self.model, logits[0].double()).tolist()}

    # Texts --------------------------------------------------------------------------------------

    def opened(self, given: GivenText, methods: Sequence[str] = ()) -> OpenText:
        """The text, with the scores of these methods."""
        unknown = [name for name in methods if name not in self.methods]
        if unknown:
            raise InputError(f"{unknown[0]!r} is none of the methods of {self.name}")
        text = self._texts.get(given)
        if text is None:
            text = OpenText(self.explained(self._instance(given), (), given.target))
            self._texts[given] = text
            if len(self._texts) > REMEMBERED:
                self._texts.popitem(last=False)
        self._texts.move_to_end(given)
        new = [name for name in methods if name not in text.explained.scores]
        if new:
            more = self.explained(text.explained.instance, new, given.target)
            for kind in ("scores", "signed", "checks", "skipped"):
                getattr(text.explained, kind).update(getattr(more, kind))
        return text

    def explained(
        self, instance: Instance, methods: Sequence[str], target: str | None = None
    ) -> Explained:
        explainer = Explainer(self.model, {name: self.methods[name] for name in methods}, target)
        (explanation,) = explainer.explain_batch([instance])
        return Explained.of(explanation, self.model, instance, 0)

    def _instance(self, given: GivenText) -> Instance:
        fields: dict[str, Any] = {"id": TYPED}
        if given.words is not None:
            fields["tokens"] = list(given.words)
        elif self._reads_words:
            # What its training texts were split by is not known: spaces are a person's.
            fields["tokens"] = (given.text or "").split()
        else:
            # A tokenizer would take its time before the words can be counted.
            check_length(len((given.text or "").split()))
            fields["text"] = given.text
        if "tokens" in fields:
            check_length(len(fields["tokens"]))
            if not isinstance(self.reader, TextReader):
                fields["text"] = " ".join(fields["tokens"])
        if not (given.text or "").strip() and not given.words:
            raise InputError("the text is empty: there is nothing to explain")
        if self.reads_pairs:
            query = given.query or ""
            if not query.strip():
                raise InputError("the second text is empty, but this model reads pairs")
            if self._reads_words:
                fields["query_tokens"] = query.split()
            else:
                fields["query"] = query
        elif given.query and isinstance(self.reader, TransformerTextReader):
            fields["query"] = given.query
        instance = instance_of(self.reader, fields)
        self.reader.apply_token_indexers(instance)
        check_length(len(instance["metadata"].metadata["tokens"]))
        return instance

    def _batch(self, given: GivenText) -> TextBatch:
        return TextBatch.of(self.model, [self.opened(given).explained.instance])

    def _states(self, given: GivenText) -> FixedStates:
        check_needs(self.model, ("stages",), "what can be moved is the attention of")
        text = self.opened(given)
        if text.states is None:
            with untouched(self.model, goes_back=False):
                text.states = FixedStates.of(self.model, self._batch(given))
        return text.states

    def _effect(self, states: FixedStates, weights: torch.Tensor) -> dict[str, Any]:
        with torch.no_grad():
            after = effect(states, weights)
        (row,) = states.attendable
        return {
            "weights": weights[0, row].tolist(),
            "probs": after["probs"][0].tolist(),
            "tvd": float(after["tvd"]),
            "jsd": float(after["jsd"]),
            "flip": bool(after["flip"]),
        }
