"""
Where each family of pretrained transformers keeps its parts: the only module that knows their names.

All of them are encoders with the layer norm after each block: word piece embeddings, to which positions
are added; layers of self-attention and a feed-forward block; a head over the state of the first position.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.nn import LayerNorm, Linear, Module

if TYPE_CHECKING:
    # Slow to load, and most commands never use it.
    from transformers import PretrainedConfig, PreTrainedModel

    from attention_explain.modules.projections import Projection

# From states of some positions to one vector.
Step = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class PretrainedSelfAttention:
    """
    The parts of one layer's self-attention; they are the model's own.

    module : what computes it.
    bias : what a model adds to the scores by the distance of two positions, if it does; of so many
        positions. Shape: (heads, positions, positions)
    """

    module: Module
    query_layer: Linear
    key_layer: Linear
    value_layer: Linear
    output_layer: Linear
    num_heads: int
    bias: Callable[[int], torch.Tensor] | None = None

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

    def maps(
        self, states: torch.Tensor, mask: torch.Tensor, attending: slice = slice(None)
    ) -> torch.Tensor:
        """
        The weights of all positions that attend, or of some of them.
        Shape: (batch, heads, positions that attend, positions attended to)
        """
        queries = self.split_heads(self.query_layer(states[:, attending]))
        keys = self.split_heads(self.key_layer(states))
        return self._weights(queries, keys, mask, attending)

    def mix(
        self, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        """The values, weighted for each query. Shape: (batch, heads, positions, dim)"""
        return self._weights(queries, keys, mask) @ values

    def _weights(
        self,
        queries: torch.Tensor,
        keys: torch.Tensor,
        mask: torch.Tensor,
        attending: slice = slice(None),
    ) -> torch.Tensor:
        scores = queries @ keys.transpose(-1, -2) / math.sqrt(keys.size(-1))
        if self.bias is not None:
            scores = scores + self.bias(keys.size(2))[:, attending]
        return scores.masked_fill(~mask[:, None, None, :], -torch.inf).softmax(dim=-1)


@dataclass(frozen=True)
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


class Family:
    """
    Base class of the adapters, made for one model; the names are BERT's where the others have them,
    too.
    """

    # As `config.json` has it.
    model_type: str

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
    def labels_layer(self) -> Linear:
        """The last layer of the head, a row a label."""
        raise NotImplementedError

    def added(self, embeddings: torch.Tensor) -> torch.Tensor:
        """
        What is added to the embeddings of pieces before their layer norm: positions, and whatever
        else. Shape: (batch, positions, embedding_dim) -> (1, positions, embedding_dim)
        """
        inputs: list[torch.Tensor] = []
        norm = self.embeddings.LayerNorm
        hook = norm.register_forward_pre_hook(
            lambda module, given: inputs.append(given[0].detach())
        )
        try:
            self._embedded(torch.zeros_like(embeddings[:1]))
        finally:
            hook.remove()
        return inputs[0]

    def _embedded(self, pieces: torch.Tensor) -> torch.Tensor:
        return self.embeddings(inputs_embeds=pieces)

    @property
    def embeddings_layer(self) -> Linear | None:
        """From embeddings, behind their layer norm, to states of another size."""
        return None

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

    def _embedded(self, pieces: torch.Tensor) -> torch.Tensor:
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


FAMILIES: dict[str, type[Family]] = {
    family.model_type: family for family in (Bert, DistilBert, Roberta, Electra, MPNet)
}


def layer_inputs(
    family: Family, run: Callable[[], torch.Tensor]
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """
    What `run` gives, and what each layer has read in it, the first layer first.
    Shape of each: (batch, positions, hidden_dim)
    """
    inputs: list[torch.Tensor] = []
    hooks = [
        layer.module.register_forward_pre_hook(lambda module, given: inputs.append(given[0]))
        for layer in family.layers()
    ]
    try:
        return run(), inputs
    finally:
        for hook in hooks:
            hook.remove()
