"""
Where each family of pretrained transformers keeps its parts: the only module that knows their names.

The adapters are for encoders with the layer norm after each block: word piece embeddings, to which positions
are added; layers of self-attention and a feed-forward block; a head over the state of the first position.
All other models are used from outside, by `Generic`.
"""

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import LayerNorm, Linear, Module

from attention_explain.errors import InputError

if TYPE_CHECKING:
    # Slow to load, and most commands never use it.
    from transformers import PretrainedConfig, PreTrainedModel

    from attention_explain.modules.projections import Projection

# From states of some positions to one vector.
Step = Callable[[torch.Tensor], torch.Tensor]


@dataclass(eq=False)
class PretrainedSelfAttention:
    """
    The parts of one layer's self-attention; they are the model's own.

    module : what computes it.
    bias : what a model adds to the scores by the distance of two positions, if it does; of the given number of
        positions. Shape: (heads or 1, positions, positions)
    rotation : from queries or keys and their positions to those that are multiplied (RoPE), if they are.
    fused : what computes queries, keys and values in one, if it does; the three layers are parts of it.
    """

    module: Module
    query_layer: Linear
    key_layer: Linear
    value_layer: Linear
    output_layer: Linear
    num_heads: int
    bias: Callable[[int], torch.Tensor] | None = None
    rotation: Callable[[torch.Tensor], torch.Tensor] | None = None
    fused: Linear | None = None

    @property
    def reads(self) -> Linear:
        """The layer that reads the states first."""
        return self.fused or self.query_layer

    @property
    def projection(self) -> "Projection":
        """From the scores to the weights."""
        # Imported here, because sources of data know families, and modules know sources.
        from attention_explain.modules.projections import Softmax

        return Softmax()

    def split_heads(self, vectors: torch.Tensor) -> torch.Tensor:
        """Shape: (batch, positions, hidden_dim) -> (batch, heads, positions, hidden_dim / heads)"""
        return vectors.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def merge_heads(self, vectors: torch.Tensor) -> torch.Tensor:
        """The inverse of `split_heads`."""
        return vectors.transpose(1, 2).flatten(start_dim=2)

    def turned(self, vectors: torch.Tensor) -> torch.Tensor:
        """Queries or keys of all positions, as they are multiplied. Shape: (batch, heads, positions, dim)"""
        return vectors if self.rotation is None else self.rotation(vectors)

    def scale(self, dim: int) -> float:
        """Of the products of queries and keys with this number of dimensions."""
        return 1 / math.sqrt(dim)

    def relative(self, positions: int) -> "RelativeScores | None":
        """What is added to the scores by the queries, or the keys, and a distance; None for nothing."""
        return None

    def maps(
        self, states: torch.Tensor, mask: torch.Tensor, attending: slice = slice(None)
    ) -> torch.Tensor:
        """
        The weights of all positions that attend, or of some of them.
        Shape: (batch, heads, positions that attend, positions attended to)
        """
        if self.rotation is None:
            queries = self.split_heads(self.query_layer(states[:, attending]))
        else:
            queries = self.turned(self.split_heads(self.query_layer(states)))[:, :, attending]
        keys = self.turned(self.split_heads(self.key_layer(states)))
        return self._weights(queries, keys, mask, attending)

    def mix(
        self, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        """
        The values, weighted for each query; queries and keys are `turned` already.
        Shape: (batch, heads, positions, dim)
        """
        return self._weights(queries, keys, mask) @ values

    def _weights(
        self,
        queries: torch.Tensor,
        keys: torch.Tensor,
        mask: torch.Tensor,
        attending: slice = slice(None),
    ) -> torch.Tensor:
        scores = queries @ keys.transpose(-1, -2) * self.scale(keys.size(-1))
        if self.bias is not None:
            scores = scores + self.bias(keys.size(2))[:, attending]
        relative = self.relative(keys.size(2))
        if relative is not None:
            rows = relative.rows[:, :, attending]
            scores = scores + relative.of_queries(queries, rows) + relative.of_keys(keys, rows)
        return scores.masked_fill(~mask[:, None, None, :], -torch.inf).softmax(dim=-1)


@dataclass(frozen=True, eq=False)
class RelativeScores:
    """
    Disentangled attention (He et al. 2021): scores of a query and the distance of a key, and of a key and
    the distance of a query.

    keys, queries : of each distance, scaled; 0 where the model has none. Shape: (heads, distances, dim)
    rows : which distance is whose: for queries, then for keys. Shape: (1, 2, positions, positions)
    """

    keys: torch.Tensor
    queries: torch.Tensor
    rows: torch.Tensor

    def of_queries(self, queries: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """A linear function. Shape: (batch, heads, positions that attend, positions)"""
        scores = queries @ self.keys.transpose(-1, -2)
        return scores.gather(-1, rows[:, :1].expand(*scores.shape[:2], -1, -1))

    def of_keys(self, keys: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """A linear function. Shape: (batch, heads, positions that attend, positions)"""
        scores = self.queries @ keys.transpose(-1, -2)
        return scores.gather(-2, rows[:, 1:].expand(*scores.shape[:2], -1, -1))


@dataclass(eq=False)
class DisentangledSelfAttention(PretrainedSelfAttention):
    """With scores that are relative to positions, of the model's own table of distances."""

    table: Callable[[], torch.Tensor] | None = None

    def scale(self, dim: int) -> float:
        """Each kind of scores counts."""
        return 1 / math.sqrt(dim * (1 + len({"c2p", "p2c"} & {*self.module.pos_att_type})))

    def relative(self, positions: int) -> RelativeScores | None:
        own, kinds = self.module, self.module.pos_att_type
        if self.table is None or not kinds:
            return None
        span = own.pos_ebd_size
        table = self.table()[: 2 * span].unsqueeze(0)
        shared = own.share_att_key
        parts = []
        for kind, layer, others in (
            ("c2p", "pos_key_proj", self.key_layer),
            ("p2c", "pos_query_proj", self.query_layer),
        ):
            project = others if shared or kind not in kinds else getattr(own, layer)
            part = self.split_heads(project(table))[0]
            parts.append(part * (self.scale(part.size(-1)) if kind in kinds else 0.0))
        ids = torch.arange(positions, device=table.device)
        distances = ids.unsqueeze(-1) - ids
        if own.position_buckets > 0 and own.max_relative_positions > 0:
            # Slow to load, and only this family needs it.
            from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position

            distances = make_log_bucket_position(
                distances, own.position_buckets, own.max_relative_positions
            ).long()
        # From i to j for the query i; for the key j, less the distance from j to i.
        rows = torch.stack([distances, -distances.T]) + span
        keys, queries = parts
        return RelativeScores(keys, queries, rows.clamp(0, 2 * span - 1).unsqueeze(0))


@dataclass(eq=False)
class PretrainedLayer:
    """
    norm(x + attention(x)), then norm(x + outer(activation(inner(x)))).

    module : all of it.
    """

    module: Module
    self_attention: PretrainedSelfAttention
    attention_norm: LayerNorm
    inner: Linear
    activation: Step
    outer: Linear
    feedforward_norm: LayerNorm

    @property
    def reads(self) -> Module:
        """The module whose first argument is what self-attention reads."""
        return self.module

    def normal(self, states: torch.Tensor) -> torch.Tensor:
        """What self-attention reads. Shape: (..., hidden_dim)"""
        return states

    def above(self, states: torch.Tensor, mixed: torch.Tensor) -> torch.Tensor:
        """From the states and the values that attention has mixed. Shape: (..., hidden_dim)"""
        states = self.attention_norm(states + self.self_attention.output_layer(mixed))
        return self.feedforward_norm(states + self.outer(self.activation(self.inner(states))))


@dataclass(eq=False)
class GatedLayer(PretrainedLayer):
    """
    x + attention(norm(x)), then x + outer(activation(gate(y)) * inner(y)) with y = norm(x). The norm of
    the first layer may be an `Identity`.
    """

    gate: Linear

    @property
    def reads(self) -> Module:
        """The states are normalised before self-attention reads them."""
        return self.self_attention.module

    def normal(self, states: torch.Tensor) -> torch.Tensor:
        """What self-attention reads. Shape: (..., hidden_dim)"""
        return self.attention_norm(states)

    def above(self, states: torch.Tensor, mixed: torch.Tensor) -> torch.Tensor:
        """From the states and the values that attention has mixed. Shape: (..., hidden_dim)"""
        states = states + self.self_attention.output_layer(mixed)
        normal = self.feedforward_norm(states)
        return states + self.outer(self.activation(self.gate(normal)) * self.inner(normal))


class Family:
    """
    Base class of the adapters, made for one model; the names are BERT's where the others have them,
    too.
    """

    # As `config.json` has it.
    model_type: str
    # Whether texts of different lengths can share a batch.
    pads = True

    def __init__(self, model: "PreTrainedModel") -> None:
        self.model = model
        self.config = model.config

    @property
    def base(self) -> Module:
        """Without the head."""
        return self.model.base_model

    @property
    def embeddings(self) -> Module:
        """Adds positions, and whatever else, to the embeddings of pieces, and has a layer norm."""
        return self.base.embeddings

    @property
    def embeddings_norm(self) -> LayerNorm:
        """That of the embeddings."""
        return self.embeddings.LayerNorm

    @property
    def final_norm(self) -> LayerNorm | None:
        """That of the states of the last layer, if they have one that is not the layer's."""
        return None

    def read_with(self, mask: torch.Tensor) -> torch.Tensor:
        """The weights of the positions that the head reads. Shape: (batch, positions)"""
        first = torch.zeros_like(mask)
        first[:, 0] = True
        return first

    @property
    def labels_layer(self) -> Linear:
        """The last layer of the head, a row a label."""
        raise NotImplementedError

    def added(self, embeddings: torch.Tensor, types: torch.Tensor | None = None) -> torch.Tensor:
        """
        What is added to the embeddings of pieces before their layer norm: positions, token types (of
        pairs), and whatever else. Shape: (batch, positions, embedding_dim), (batch, positions) ->
        (batch, or 1 without types, positions, embedding_dim)
        """
        inputs: list[torch.Tensor] = []
        norm = self.embeddings_norm
        hook = norm.register_forward_pre_hook(
            lambda module, given: inputs.append(given[0].detach())
        )
        try:
            if types is None:
                self._embedded(torch.zeros_like(embeddings[:1]))
            else:
                self._embedded(torch.zeros_like(embeddings), token_type_ids=types)
        finally:
            hook.remove()
        return inputs[0]

    def _embedded(self, pieces: torch.Tensor, **types: torch.Tensor) -> torch.Tensor:
        return self.embeddings(inputs_embeds=pieces, **types)

    @property
    def embeddings_layer(self) -> Linear | None:
        """From embeddings, behind their layer norm, to states of another size."""
        return None

    def lacks(self, need: str) -> str | None:
        """Why a method cannot have what it needs (`attention_explain.models.classifier`)."""
        of_layers = ("attention", "layers", "parts", "blocks", "products")
        return self.lacks_layers() if need in of_layers else None

    def lacks_layers(self) -> str | None:
        """Why nothing can be known of its layers; None if it can."""
        kind = getattr(self.config, "position_embedding_type", "absolute")
        if kind == "absolute":
            return None
        return (
            f"it looks into the layers of the model, but these have positions of the type '{kind}', "
            "which are not known here; methods of the embeddings can be used"
        )

    def layers(self) -> list[PretrainedLayer]:
        """The first layer first."""
        return [self.layer(module) for module in self.base.encoder.layer]

    def layer(self, module: Module) -> PretrainedLayer:
        return PretrainedLayer(
            module=module,
            self_attention=self.self_attention(module),
            attention_norm=self.attention_norm(module),
            inner=module.intermediate.dense,
            activation=module.intermediate.intermediate_act_fn,
            outer=module.output.dense,
            feedforward_norm=module.output.LayerNorm,
        )

    def attention_norm(self, module: Module) -> LayerNorm:
        return module.attention.output.LayerNorm

    def self_attention(self, module: Module) -> PretrainedSelfAttention:
        own = module.attention.self
        return PretrainedSelfAttention(
            own,
            own.query,
            own.key,
            own.value,
            module.attention.output.dense,
            own.num_attention_heads,
        )

    def head(self) -> list[Step]:
        """From the state of the first position to the logits, without dropout."""
        raise NotImplementedError

    def head_modules(self) -> list[Module]:
        """Those of its layers that belong to no other part: of BERT's, the pooler does."""
        inside = set(self.base.modules())
        return [step for step in self.head() if isinstance(step, Linear) and step not in inside]

    @staticmethod
    def most_positions(config: "PretrainedConfig") -> int:
        """Special symbols included."""
        return config.max_position_embeddings


class Bert(Family):
    model_type = "bert"

    @property
    def labels_layer(self) -> Linear:
        return self.model.classifier

    def head(self) -> list[Step]:
        pooler = self.base.pooler
        return [pooler.dense, pooler.activation, self.labels_layer]


class DistilBert(Family):
    model_type = "distilbert"

    def _embedded(self, pieces: torch.Tensor, **types: torch.Tensor) -> torch.Tensor:
        return self.embeddings(None, pieces)

    @property
    def labels_layer(self) -> Linear:
        return self.model.classifier

    def layers(self) -> list[PretrainedLayer]:
        return [self.layer(module) for module in self.base.transformer.layer]

    def layer(self, module: Module) -> PretrainedLayer:
        return PretrainedLayer(
            module=module,
            self_attention=self.self_attention(module),
            attention_norm=module.sa_layer_norm,
            inner=module.ffn.lin1,
            activation=module.ffn.activation,
            outer=module.ffn.lin2,
            feedforward_norm=module.output_layer_norm,
        )

    def self_attention(self, module: Module) -> PretrainedSelfAttention:
        own = module.attention
        return PretrainedSelfAttention(
            own, own.q_lin, own.k_lin, own.v_lin, own.out_lin, own.n_heads
        )

    def head(self) -> list[Step]:
        return [self.model.pre_classifier, torch.relu, self.labels_layer]


class Roberta(Family):
    model_type = "roberta"

    @property
    def labels_layer(self) -> Linear:
        return self.model.classifier.out_proj

    def head(self) -> list[Step]:
        return [self.model.classifier.dense, torch.tanh, self.labels_layer]

    @staticmethod
    def most_positions(config: "PretrainedConfig") -> int:
        # Positions begin behind that of padding.
        return config.max_position_embeddings - config.pad_token_id - 1


class XLMRoberta(Roberta):
    model_type = "xlm-roberta"


class Camembert(Roberta):
    model_type = "camembert"


class Electra(Family):
    model_type = "electra"

    @property
    def embeddings_layer(self) -> Linear | None:
        return getattr(self.base, "embeddings_project", None)

    @property
    def labels_layer(self) -> Linear:
        return self.model.classifier.out_proj

    def head(self) -> list[Step]:
        head = self.model.classifier
        return [head.dense, head.activation, self.labels_layer]


class MPNet(Family):
    model_type = "mpnet"

    @property
    def labels_layer(self) -> Linear:
        return self.model.classifier.out_proj

    def attention_norm(self, module: Module) -> LayerNorm:
        return module.attention.LayerNorm

    def self_attention(self, module: Module) -> PretrainedSelfAttention:
        own = module.attention.attn
        heads = own.num_attention_heads
        return PretrainedSelfAttention(own, own.q, own.k, own.v, own.o, heads, self._bias)

    def _bias(self, positions: int) -> torch.Tensor:
        encoder = self.base.encoder
        like = encoder.relative_attention_bias.weight
        return encoder.compute_position_bias(like.new_zeros(1, positions, 1))[0]

    def head(self) -> list[Step]:
        return [self.model.classifier.dense, torch.tanh, self.labels_layer]

    @staticmethod
    def most_positions(config: "PretrainedConfig") -> int:
        # Positions begin behind that of padding, which is always 1.
        return config.max_position_embeddings - 2


# Positions of the texts in the probe of a model.
PROBE, *SHORTER = LENGTHS = (7, 5, 4)
# Models whose positions begin behind that of padding.
POSITIONS_BEHIND_PADDING = (
    "data2vec-text",
    "ibert",
    "roberta-prelayernorm",
    "xlm-roberta-xl",
    "xmod",
)


class Generic(Family):
    """
    Any other model of transformers with a classification head, from word embeddings to logits. Nothing is
    assumed about its layers: when it is made, a probe of a few tokens finds which states the head reads,
    and checks that embeddings give the same output as token ids, also next to padding.

    pooling : the states that the head reads: of the `first` or `last` position, the `mean` over all, or
        None if unknown.
    trailing : special symbols at the end of a text that the head passes over.
    """

    model_type = "generic"

    def __init__(self, model: "PreTrainedModel") -> None:
        super().__init__(model)
        self.pooling: str | None = None
        self.trailing = 0
        self._has_attention = False
        # A token of a decoder sees no padding behind it.
        self._masked = True
        if hasattr(self.base, "set_attention_type"):
            # BigBird's sparse attention depends on the padding, and on the texts before.
            self.base.set_attention_type("original_full")
        training = model.training
        model.eval()
        try:
            with torch.enable_grad():
                self._probe()
        except InputError:
            raise
        except Exception as error:
            raise self._rejected(f"it fails on a text of {PROBE} tokens ({error})") from error
        finally:
            model.train(training)

    def _rejected(self, reason: str) -> InputError:
        kind = type(self.model).__name__
        return InputError(f"a {kind} ('{self.config.model_type}') cannot be explained: {reason}")

    def _probe(self) -> None:
        special = {
            getattr(self.config, f"{name}_token_id", None)
            for name in ("pad", "bos", "eos", "cls", "sep")
        }
        size = self.model.get_input_embeddings().weight.size(0)
        usual = [number for number in range(size - 1, -1, -1) if number not in special] or [0]
        ids = torch.tensor([[usual[number % len(usual)] for number in range(PROBE)]])
        embeddings = self.model.get_input_embeddings()(ids).detach().requires_grad_()
        whole = torch.ones_like(ids, dtype=torch.bool)
        states: list[torch.Tensor] = []
        hook = self.base.register_forward_hook(
            lambda module, given, output: states.append(output[0])
        )
        try:
            output = self._run(embeddings, whole, output_attentions=True)
        finally:
            hook.remove()
        self.pooling = self._states_read(output.logits, states[0])
        maps = (getattr(output, "attentions", None) or [None])[-1]
        self._has_attention = maps is not None and maps.shape[2:] == (PROBE, PROBE)
        with torch.no_grad():
            self._check(ids, embeddings, whole)

    def _check(self, ids: torch.Tensor, embeddings: torch.Tensor, whole: torch.Tensor) -> None:
        """That outputs are those of the ids, and whether padding changes them."""
        texts = [slice(length) for length in LENGTHS]
        masks = "attention_mask" in signature(self.model.forward).parameters
        expected = torch.cat(
            [
                self.model(
                    ids[:, text],
                    **({"attention_mask": torch.ones_like(ids[:, text])} if masks else {}),
                ).logits
                for text in texts
            ]
        )
        alone = [self.logits(embeddings[:, text], whole[:, text]) for text in texts]
        if not _close(torch.cat(alone), expected):
            raise self._rejected(
                "from the embeddings of a text it computes another output than from its token ids"
            )
        mask = torch.arange(PROBE) < torch.tensor(LENGTHS).unsqueeze(-1)
        padded = embeddings.expand(len(LENGTHS), -1, -1)
        for masked in (False, True) if self.pooling == "last" else (True,):
            self._masked = masked
            try:
                self.pads = _close(self.logits(padded, mask), expected)
            except Exception:
                self.pads = False
            if self.pads:
                break

    @staticmethod
    def _states_read(logits: torch.Tensor, states: torch.Tensor) -> str | None:
        """By the gradient of the logits. Shape: (1, labels), (1, positions, hidden_dim)"""
        if states.dim() != 3 or states.size(1) != PROBE:
            return None
        weights = torch.arange(1.0, logits.size(-1) + 1).to(logits)
        (gradient,) = torch.autograd.grad((logits * weights).sum(), states, allow_unused=True)
        if gradient is None:
            return None
        read = gradient[0].abs().sum(dim=-1) > 0
        positions = read.nonzero().flatten().tolist()
        known = {(0,): "first", (PROBE - 1,): "last", tuple(range(PROBE)): "mean"}
        return known.get(tuple(positions))

    def _run(self, embeddings: torch.Tensor, mask: torch.Tensor, **options: Any) -> Any:
        accepted = signature(self.model.forward).parameters
        options = {"use_cache": False, "attention_mask": mask.long(), **options}
        if not self._masked:
            del options["attention_mask"]
        # Newer models take it among other options, which they do not name.
        maps = bool(options.pop("output_attentions", False))
        takes_more = any(each.kind is Parameter.VAR_KEYWORD for each in accepted.values())
        options = {name: value for name, value in options.items() if name in accepted}
        if maps and (takes_more or "output_attentions" in accepted):
            options["output_attentions"] = True
        with quiet(), self._reading_the_last(mask), eager_attention(self.model, maps):
            return self.model(inputs_embeds=embeddings, return_dict=True, **options)

    @contextmanager
    def _reading_the_last(self, mask: torch.Tensor) -> Iterator[None]:
        """
        Within it a head that reads the last position reads that of each text's last token, where
        transformers takes the last position of the batch.
        """
        if self.pooling != "last":
            yield
            return
        last = self._last(mask)
        rows = torch.arange(len(last), device=last.device)

        def keep_last(module: Module, given: Any, output: Any) -> Any:
            output.last_hidden_state = output.last_hidden_state[rows, last].unsqueeze(1)
            return output

        pad = self.config.pad_token_id
        hook = self.base.register_forward_hook(keep_last)
        # Without a number for padding, transformers rejects batches of several texts.
        self.config.pad_token_id = 0 if pad is None else pad
        try:
            yield
        finally:
            hook.remove()
            self.config.pad_token_id = pad

    def _last(self, mask: torch.Tensor) -> torch.Tensor:
        """The position of each text that the head reads. Shape: (batch,)"""
        return (mask.sum(dim=1) - 1 - self.trailing).clamp(min=0)

    def _never_empty(
        self, embeddings: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """A text of nothing, which no model reads, becomes the symbol that begins texts."""
        empty = ~mask.any(dim=1)
        if not bool(empty.any()):
            return embeddings, mask
        numbers = (self.config.bos_token_id, self.config.eos_token_id)
        start = next((number for number in numbers if isinstance(number, int)), None)
        symbol = torch.zeros_like(embeddings[0, 0])
        if start is not None:
            symbol = self.model.get_input_embeddings()(torch.tensor(start, device=mask.device))
        first = empty.unsqueeze(-1) & (torch.arange(mask.size(1), device=mask.device) == 0)
        return torch.where(first.unsqueeze(-1), symbol.to(embeddings), embeddings), mask | first

    def logits(
        self, embeddings: torch.Tensor, mask: torch.Tensor, types: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Shape: (batch, positions, embedding_dim), (batch, positions) -> (batch, labels)"""
        return self._run(*self._never_empty(embeddings, mask), **of_types(types)).logits

    def with_attention(
        self, embeddings: torch.Tensor, mask: torch.Tensor, types: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        The logits, and what the positions that the head reads attend to in the last layer, heads averaged.
        Shape: (batch, labels), (batch, positions)
        """
        embeddings, mask = self._never_empty(embeddings, mask)
        logits: list[torch.Tensor] = [embeddings[0]] * len(mask)
        weights = torch.zeros_like(embeddings[..., 0])
        lengths = mask.sum(dim=1).tolist()
        # The maps of some models are not numbers where a text is padded.
        for length in set(lengths):
            rows = [row for row, of_row in enumerate(lengths) if of_row == length]
            there = mask[rows, :length]
            own = of_types(None if types is None else types[rows, :length])
            output = self._run(embeddings[rows, :length], there, output_attentions=True, **own)
            # Shape: (rows, positions that attend, positions)
            maps = output.attentions[-1].mean(dim=1)
            if self.pooling == "mean":
                weights[rows, :length] = maps.mean(dim=1)
            else:
                last = int(self._last(there)[0]) if self.pooling == "last" else 0
                weights[rows, :length] = maps[:, last]
            for row, of_row in zip(rows, output.logits, strict=True):
                logits[row] = of_row
        return torch.stack(logits), weights

    def lacks_layers(self) -> str:
        """Why nothing can be known of its layers."""
        kind = self.config.model_type
        return f"it looks into the layers of the model, but those of the type '{kind}' are not known here"

    def lacks(self, need: str) -> str | None:
        if need == "attention":
            known = self.pooling is not None and self._has_attention
            kind = self.config.model_type
            return (
                None if known else f"models of the type '{kind}' give no attention over the tokens"
            )
        if need == "states":
            known = self.pooling is not None and self.pads
            return None if known else self.lacks_layers()
        return None if need == "embeddings" else self.lacks_layers()

    @property
    def labels_layer(self) -> Linear:
        outside = [
            each for each in self.head_modules() if each.out_features == self.config.num_labels
        ]
        if not outside:
            raise self._rejected("its head has no linear layer with one row per label")
        return outside[-1]

    def head_modules(self) -> list[Module]:
        inside = set(self.base.modules())
        return [
            module
            for module in self.model.modules()
            if isinstance(module, Linear) and module not in inside
        ]

    @staticmethod
    def most_positions(config: "PretrainedConfig") -> int:
        most = getattr(config, "max_position_embeddings", None)
        if not isinstance(most, int) or most <= 0:
            return sys.maxsize
        if config.model_type in POSITIONS_BEHIND_PADDING:
            return most - (config.pad_token_id or 0) - 1
        return most


# What is added to the scores of positions outside a window.
FAR = -1e9


class KnownLayers(Generic):
    """
    Base class for models that are run as a whole, and whose layers are known as well.

    not_for : by what a method needs, the parts that it does not know.
    """

    not_for: Mapping[str, str] = MappingProxyType({})

    def lacks(self, need: str) -> str | None:
        """Why a method cannot have what it needs."""
        if need in self.not_for:
            kind = self.config.model_type
            return f"it has no rules for {self.not_for[need]} of the type '{kind}'"
        own = ("layers", "parts", "maps", "blocks", "products")
        return self.lacks_layers() if need in own else super().lacks(need)

    def lacks_layers(self) -> str | None:  # type: ignore[override]
        """Why nothing can be known of its layers; None if it can."""
        known = self.pads and self.pooling in ("first", "mean") and not self.unknown_parts()
        return None if known else super().lacks_layers()

    def with_maps(
        self, embeddings: torch.Tensor, mask: torch.Tensor, types: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """
        The logits, and the weights of each layer, the first layer first, of which they are computed: part by
        part, because the maps of some models are not numbers where a text is padded.
        Shape: (batch, labels), (batch, heads, positions, positions) each
        """
        states = self.embeddings_norm(embeddings + self.added(embeddings, types))
        maps: list[torch.Tensor] = []
        for layer in self.layers():
            attention, normal = layer.self_attention, layer.normal(states)
            maps.append(attention.maps(normal, mask))
            mixed = maps[-1] @ attention.split_heads(attention.value_layer(normal))
            states = layer.above(states, attention.merge_heads(mixed))
        if self.final_norm is not None:
            states = self.final_norm(states)
        weights = mean_weights(self.read_with(mask), states)
        vectors = (weights.unsqueeze(1) @ states).squeeze(1)
        for step in self.head():
            vectors = step(vectors)
        return vectors, maps

    def unknown_parts(self) -> bool:
        """Whether the model has parts that the adapter does not know."""
        return False

    def read_with(self, mask: torch.Tensor) -> torch.Tensor:
        """The first position, or all."""
        return mask if self.pooling == "mean" else super().read_with(mask)


class ModernBert(KnownLayers):
    """Norms before each block, rotated queries and keys, windows in some layers, and gates."""

    model_type = "modernbert"
    not_for = MappingProxyType(dict.fromkeys(("blocks", "products"), "layers with gates and norms"))

    @property
    def embeddings_norm(self) -> LayerNorm:
        return self.embeddings.norm

    @property
    def final_norm(self) -> LayerNorm | None:
        return self.base.final_norm

    def _embedded(self, pieces: torch.Tensor, **types: torch.Tensor) -> torch.Tensor:
        return self.embeddings(inputs_embeds=pieces)

    def layers(self) -> list[PretrainedLayer]:
        return [self.layer(module) for module in self.base.layers]

    def layer(self, module: Module) -> PretrainedLayer:
        gate, inner = _parts_of(module.mlp.Wi, 2)
        return GatedLayer(
            module=module,
            self_attention=self.self_attention(module),
            attention_norm=module.attn_norm,
            inner=inner,
            activation=module.mlp.act,
            outer=module.mlp.Wo,
            feedforward_norm=module.mlp_norm,
            gate=gate,
        )

    def self_attention(self, module: Module) -> PretrainedSelfAttention:
        own = module.attn
        # transformers 4 says (-1, -1), transformers 5 None.
        window = getattr(own, "local_attention", getattr(own, "sliding_window", None))
        everywhere = window in (None, (-1, -1))
        queries, keys, values = _parts_of(own.Wqkv, 3)
        return PretrainedSelfAttention(
            own,
            queries,
            keys,
            values,
            own.Wo,
            self.config.num_attention_heads,
            None if everywhere else partial(self._window, own.Wqkv.weight),
            partial(self._rotated, module),
            own.Wqkv,
        )

    def _window(self, like: torch.Tensor, positions: int) -> torch.Tensor:
        ids = torch.arange(positions, device=like.device)
        far = (ids - ids.unsqueeze(-1)).abs() > self.config.local_attention // 2
        return torch.zeros_like(far, dtype=like.dtype).masked_fill(far, FAR).unsqueeze(0)

    def _rotated(self, module: Module, vectors: torch.Tensor) -> torch.Tensor:
        ids = torch.arange(vectors.size(2), device=vectors.device).unsqueeze(0)
        own = getattr(module.attn, "rotary_emb", None)
        if own is None:
            cos, sin = self.base.rotary_emb(vectors, ids, module.attention_type)
        else:
            cos, sin = own(vectors, position_ids=ids)
        one, other = vectors.chunk(2, dim=-1)
        return vectors * cos + torch.cat([-other, one], dim=-1) * sin

    def head(self) -> list[Step]:
        head = self.model.head
        return [head.dense, head.act, head.norm, self.model.classifier]


class DebertaV2(KnownLayers):
    """Disentangled attention, of version 2 and 3."""

    model_type = "deberta-v2"
    not_for = MappingProxyType({"products": "scores by distance"})

    def unknown_parts(self) -> bool:
        """The largest ones of version 2 have a convolution; some embeddings are of another size."""
        return self.base.encoder.conv is not None or self.embeddings.embed_proj is not None

    def self_attention(self, module: Module) -> PretrainedSelfAttention:
        own, encoder = module.attention.self, self.base.encoder
        return DisentangledSelfAttention(
            own,
            own.query_proj,
            own.key_proj,
            own.value_proj,
            module.attention.output.dense,
            own.num_attention_heads,
            table=encoder.get_rel_embedding if own.relative_attention else None,
        )

    def head(self) -> list[Step]:
        # Slow to load.
        from transformers.activations import ACT2FN

        pooler = self.model.pooler
        return [pooler.dense, ACT2FN[self.config.pooler_hidden_act], self.model.classifier]


def _parts_of(layer: Linear, number: int) -> list[Linear]:
    """The equal parts of a linear layer, which share its numbers."""
    parts = []
    biases = [None] * number if layer.bias is None else layer.bias.detach().chunk(number)
    for weight, bias in zip(layer.weight.detach().chunk(number), biases, strict=True):
        part = Linear(weight.size(1), weight.size(0), bias is not None, device="meta")
        part.weight = torch.nn.Parameter(weight, requires_grad=False)
        if bias is not None:
            part.bias = torch.nn.Parameter(bias, requires_grad=False)
        parts.append(part)
    return parts


def mean_weights(read: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """The same weight for all positions that are read. Shape: (batch, positions)"""
    read = read.to(like)
    return read / read.sum(dim=-1, keepdim=True)


def of_types(types: torch.Tensor | None) -> dict[str, torch.Tensor]:
    """The argument of transformers for token types; none, where all are 0."""
    return {} if types is None else {"token_type_ids": types}


def _close(one: torch.Tensor, other: torch.Tensor) -> bool:
    scale = 1 + float(other.abs().max())
    return bool(torch.allclose(one / scale, other / scale, rtol=0, atol=1e-4))


@contextmanager
def eager_attention(model: "PreTrainedModel", wanted: bool = True) -> Iterator[None]:
    """Within it, if wanted, attention is computed in the way that gives its weights."""
    usual = model.config._attn_implementation
    if wanted:
        model.config._attn_implementation = "eager"
    try:
        yield
    finally:
        # Some models of transformers 4 change it themselves, for good.
        model.config._attn_implementation = usual


FAMILIES: dict[str, type[Family]] = {
    family.model_type: family
    for family in (
        *(Bert, DistilBert, Roberta, XLMRoberta, Camembert, Electra, MPNet),
        *(ModernBert, DebertaV2),
    )
}


def family_of(model_type: Any) -> type[Family] | None:
    """The adapter of a type of model, or the generic one; None if transformers has no classifier of it."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES as CLASSIFIERS,
    )

    return FAMILIES.get(model_type, Generic if model_type in CLASSIFIERS else None)


def single_precision() -> dict[str, Any]:
    """The option of `from_pretrained`, by the name that it has in this version of transformers."""
    import transformers

    old = int(transformers.__version__.split(".")[0]) < 5
    return {"torch_dtype" if old else "dtype": torch.float32}


def check_positions(model: Any) -> None:
    """
    Raises if a model should add to its attention what depends on the distance of positions, as BERT could in
    transformers 4: without it, version 5 passes over that.
    """
    kind = str(getattr(model.config, "position_embedding_type", "absolute"))
    if kind.startswith("relative_key") and not any(
        name.endswith("distance_embedding") for name, _ in model.named_modules()
    ):
        import transformers

        raise InputError(
            f"{model.config.name_or_path or type(model).__name__}: its position_embedding_type is "
            f"'{kind}', which transformers {transformers.__version__} no longer computes; install "
            "transformers 4.49.0 to use this model"
        )


def allow_initialization(module: Any) -> None:
    """Let transformers initialize weights again that it has loaded."""
    for part in [*module.modules(), *module.parameters(), *module.buffers()]:
        if getattr(part, "_is_hf_initialized", False):
            part._is_hf_initialized = False


@contextmanager
def quiet() -> Iterator[None]:
    """Without what transformers says of missing weights and slower ways: we say what matters."""
    from transformers.utils import logging as their_logging

    verbosity, bars = their_logging.get_verbosity(), their_logging._tqdm_active
    their_logging.set_verbosity_error()
    # Not `disable_progress_bar`, which also switches off those of downloads.
    their_logging._tqdm_active = False
    try:
        yield
    finally:
        their_logging.set_verbosity(verbosity)
        their_logging._tqdm_active = bars


def layer_inputs(
    family: Family, run: Callable[[], torch.Tensor]
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """
    What `run` gives, and what each layer has read in it, the first layer first.
    Shape of each: (batch, positions, hidden_dim)
    """
    inputs: list[torch.Tensor] = []
    hooks = [
        layer.reads.register_forward_pre_hook(lambda module, given: inputs.append(given[0]))
        for layer in family.layers()
    ]
    try:
        return run(), inputs
    finally:
        for hook in hooks:
            hook.remove()
