"""
The classifier that somebody has already: one of transformers' own, from its folder.

What explanations ask of it is what they ask of any model: the embeddings of its word pieces, and the
logits as a function of these.
"""

from collections.abc import Callable
from functools import partial
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

import torch
from allennlp.common import Params
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.nn import RegularizerApplicator
from torch.nn import Linear, Module
from torch.nn.functional import scaled_dot_product_attention

from attention_explain.errors import InputError
from attention_explain.model_outputs import SOFTMAX
from attention_explain.models.classifier import Classifier, has_not, ignored_text
from attention_explain.modules.layer_attention import LayerAttention, ThroughLayers, passed_down
from attention_explain.modules.text_inputs import TextInputs, units_of
from attention_explain.passes import rows_by_length
from attention_explain.pretrained.families import (
    Family,
    Generic,
    KnownLayers,
    PretrainedSelfAttention,
    eager_attention,
    layer_inputs,
    mean_weights,
    of_types,
    quiet,
)
from attention_explain.pretrained.folders import TransformerFolder
from attention_explain.pretrained.pieces import KEPT, kept_folder


@Model.register("transformer_classifier")
class TransformerClassifier(Classifier):
    """
    A pretrained transformer with a head that classifies: transformers'
    `AutoModelForSequenceClassification`. The reader needs the token indexer `transformer_pieces` of
    the same `model_name`.

    Registered as a `Model` with name "transformer_classifier".

    # Parameters

    model_name : `str`
        A folder in Hugging Face's layout, or a name of its hub. A folder whose head is for other
        labels than those of the data, or that has none, gets a new one.
    own_head : `bool`, optional (default = `False`)
        Take no other head than the folder's own, as for a model that is not trained any further.
    loss_reduction, class_weights, min_label_count, positive_label : optional
        As in `Classifier`.
    regularizer : `RegularizerApplicator`, optional
    """

    # What of an instance `inputs` takes.
    read_fields = ("tokens", "attendable")
    # Both texts of a pair are one sequence, each word of which can be scored.
    joins_pairs = True

    def __init__(
        self,
        vocab: Vocabulary,
        model_name: str,
        own_head: bool = False,
        loss_reduction: str = "mean",
        class_weights: str | dict[str, float] | None = None,
        min_label_count: int = 2,
        positive_label: str | None = None,
        regularizer: RegularizerApplicator | None = None,
        serialization_dir: str | None = None,
        load_weights: bool = True,
    ) -> None:
        if load_weights:
            folder = TransformerFolder.opened(model_name)
        else:
            folder = TransformerFolder.opened(kept_folder(model_name, serialization_dir))
        super().__init__(
            vocab,
            loss_reduction,
            class_weights,
            min_label_count,
            positive_label,
            regularizer,
            serialization_dir,
            folder.head if own_head else SOFTMAX,
        )
        if load_weights:
            self.transformer = (
                folder.classifier() if own_head else folder.classifier_to_train(self.labels)
            )
        else:
            self.transformer = folder.untrained(len(self.labels))
        self.family = folder.family(self.transformer)
        tokenizer = folder.tokenizer()
        if isinstance(self.family, Generic):
            # Which the head passes over, since it takes them for padding.
            ends = tokenizer("a")["input_ids"][:0:-1]
            pad = self.transformer.config.pad_token_id
            self.family.trailing = len(list(takewhile(lambda number: number == pad, ends)))
        # Symbols that stand for "no word here", where the tokenizer has them.
        self.symbols: dict[str, int | None] = {
            "mask": tokenizer.mask_token_id,
            "pad": tokenizer.pad_token_id,
            "unk": tokenizer.unk_token_id,
        }
        if load_weights and serialization_dir is not None:
            kept = Path(serialization_dir) / KEPT
            self.transformer.config.save_pretrained(kept)
            tokenizer.save_pretrained(kept)

    @classmethod
    def _load(
        cls,
        config: Params,
        serialization_dir: Any,
        weights_file: Any = None,
        cuda_device: int = -1,
    ) -> Model:
        # The weights are those of the archive, and the folder that training began with may be gone.
        config["model"]["load_weights"] = False
        return super()._load(config, serialization_dir, weights_file, cuda_device)

    def embed(self, tokens: TextFieldTensors) -> torch.Tensor:
        """
        Of the pieces alone, without their positions. Shape: (batch, positions, embedding_dim)
        """
        (indexed,) = tokens.values()
        return self.transformer.get_input_embeddings()(indexed["token_ids"])

    def inputs(
        self, tokens: TextFieldTensors, attendable: torch.Tensor | None = None
    ) -> TextInputs:
        """What `logits` is told of the texts besides their embeddings."""
        (indexed,) = tokens.values()
        mask, words, types = (indexed[name] for name in ("wordpiece_mask", "mask", "type_ids"))
        return TextInputs(
            mask,
            words if attendable is None else words & attendable,
            units_of(indexed["offsets"], words, mask.size(1)),
            parts=types if bool(types.any()) else None,
        )

    def encode(self, embeddings: torch.Tensor, inputs: TextInputs) -> torch.Tensor:
        """
        The states of the last layer; of a word in pieces, their mean.
        Shape: (batch, positions, embedding_dim) -> (batch, tokens, state_dim)
        """
        mask = inputs.mask.to(embeddings)
        base = self.transformer.base_model
        states = base(
            inputs_embeds=embeddings, attention_mask=mask, **of_types(inputs.parts)
        ).last_hidden_state
        pieces = inputs.of_tokens(mask, "sum").clamp(min=1).unsqueeze(-1)
        return inputs.of_tokens(states, "sum") / pieces

    def logits(
        self, embeddings: torch.Tensor, inputs: TextInputs, detach_attention: bool = False
    ) -> torch.Tensor:
        """
        Everything after `embed`. Positions are those of the positions that are there; of a text without
        words the special symbols are read.
        Shape: (batch, positions, embedding_dim) -> (batch, labels)
        """
        if detach_attention:
            raise InputError(
                "detach_attention is for a model whose attention is over hidden states, not for a "
                f"{type(self).__name__}"
            )
        if isinstance(self.family, Generic):
            if self.family.lacks_layers() is None and _layers_are_changed(self.family):
                return self.family.logits(embeddings, inputs.mask, inputs.parts)
            return in_groups(self.family.logits, embeddings, inputs, self.family.pads)
        if reads_first_position(self.family):
            return first_position_logits(self.family, embeddings, inputs)
        mask = inputs.mask.to(embeddings)
        return self.transformer(
            inputs_embeds=embeddings, attention_mask=mask, **of_types(inputs.parts)
        ).logits

    def forward(
        self,
        tokens: TextFieldTensors,
        label: torch.Tensor | None = None,
        metadata: list[dict[str, Any]] | None = None,
        **others: Any,
    ) -> dict[str, Any]:
        """
        # Parameters

        tokens : `TextFieldTensors`
            Of the indexer `transformer_pieces`.
        label : `torch.Tensor`, optional. Shape: (batch,)
        metadata : `List[Dict[str, Any]]`, optional
            `id` and `tokens` of each instance.
        others : `Any`
            What else a reader says of its texts; not looked at, but a second text raises.

        # Returns

        `logits`, `probs`; `loss` and `label` where there are labels; `ids` and `tokens` where the
        metadata has them.
        """
        for name, values in others.items():
            # The tensors of a text are in a dictionary.
            if isinstance(values, dict):
                raise InputError(ignored_text(name, self))
        logits = self.logits(self.embed(tokens), self.inputs(tokens))
        output = self.output(logits, label, metadata)
        for metric in self.extra_metrics:
            metric(output)
        return output

    # What methods may ask for -------------------------------------------------------------------

    def lacks(self, need: str) -> str | None:
        """Why a method cannot have what it needs (`attention_explain.models.classifier`); None if it can."""
        known = (
            *("embeddings", "states", "maps", "attention", "layers", "parts"),
            *("blocks", "products"),
        )
        return self.family.lacks(need) if need in known else has_not(self, need)

    def stage_of(self, parameter: str) -> str:
        """Of which stage the parameter of that name is: the layers are the encoder, the head decodes."""
        base = f"transformer.{self.transformer.base_model_prefix}."
        if not parameter.startswith(base) or ".pooler." in parameter:
            return "decoder"
        words = self.transformer.get_input_embeddings().weight
        below = self.get_parameter(parameter) is words or parameter.startswith(f"{base}embeddings.")
        return "embeddings" if below else "encoder"

    def symbol_embedding(self, symbol: str, purpose: str) -> torch.Tensor:
        """
        Of `pad`, `unk` or `mask`. `purpose` begins the sentence if there is none.
        Shape: (embedding_dim,)
        """
        number = self.symbols[symbol]
        if number is None:
            raise InputError(f"{purpose}, but the model's tokenizer has no such symbol")
        embedder = self.transformer.get_input_embeddings()
        return embedder(torch.tensor(number, device=embedder.weight.device)).detach()

    def with_attention(
        self, embeddings: torch.Tensor, inputs: TextInputs
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        The logits, and what the position that the head reads attends to in the last layer, heads averaged:
        of a word the largest weight of its pieces. A head that reads the mean reads all positions alike.
        Shape: (batch, labels), (batch, tokens)
        """
        if isinstance(self.family, Generic):
            logits, weights = self.family.with_attention(embeddings, inputs.mask, inputs.parts)
            return logits, inputs.of_tokens(weights, "max")
        logits, (*_, layer), last = self._read(embeddings, inputs)
        return logits, inputs.of_tokens(passed_down(last, layer, layer.mean_weights), "max")

    def number_of_layers(self) -> int:
        """The number of layers of self-attention."""
        return len(self.family.layers())

    def through_layers(self, embeddings: torch.Tensor, inputs: TextInputs) -> ThroughLayers:
        """The head reads the state of the first position, or the mean of all."""
        _, layers, last = self._read(embeddings, inputs)
        return ThroughLayers(layers, last, torch.ones_like(last))

    def with_maps(
        self, embeddings: torch.Tensor, inputs: TextInputs
    ) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """
        The logits, and the weights of each layer, the first layer first, of which they are computed.
        Shape: (batch, labels), (batch, heads, positions, positions) each
        """
        if isinstance(self.family, KnownLayers):
            return self.family.with_maps(embeddings, inputs.mask, inputs.parts)
        with quiet(), eager_attention(self.transformer):
            output = self.transformer(
                inputs_embeds=embeddings,
                attention_mask=inputs.mask.to(embeddings),
                output_attentions=True,
                **of_types(inputs.parts),
            )
        return output.logits, list(output.attentions)

    def number_of_maps(self) -> int:
        """Of a text: one for each head of each layer."""
        return sum(layer.self_attention.num_heads for layer in self.family.layers())

    def _read(
        self, embeddings: torch.Tensor, inputs: TextInputs
    ) -> tuple[torch.Tensor, list[LayerAttention], torch.Tensor]:
        """The logits, the layers, and the weights of the positions that the head reads."""
        logits, below = layer_inputs(self.family, lambda: self.logits(embeddings, inputs))
        layers = [
            LayerAttention(layer, states, inputs.mask)
            for layer, states in zip(self.family.layers(), below, strict=True)
        ]
        return logits, layers, self.read_with(embeddings, inputs)

    def read_with(self, embeddings: torch.Tensor, inputs: TextInputs) -> torch.Tensor:
        """The weights of the positions that the head reads. Shape: (batch, positions)"""
        return mean_weights(self.family.read_with(inputs.mask), embeddings)


# The number of positions in a pass on a CPU: with more, texts are padded to longer ones; with 256, passes were
# slower. Between 512 and 4096 full batches took the same time, within what a busy machine hides.
POSITIONS_AT_ONCE = 1024


def reads_first_position(family: Family) -> bool:
    """
    Whether the passes below stand for the model's own: not while it is trained, nor where somebody
    looks at its parts, or changes what they give.
    """
    model = family.model
    if model.training or family.lacks_layers() is not None:
        return False
    last = family.layers()[-1].self_attention
    folded = (last.key_layer, last.value_layer)
    return all(type(each) is Linear for each in folded) and not any(map(_heard, model.modules()))


def _layers_are_changed(family: Family) -> bool:
    """Whether somebody looks at the parts of the layers, or changes what they are given."""
    return any(
        module._forward_pre_hooks for layer in family.layers() for module in layer.module.modules()
    )


# Its hooks stay after attention was asked for once, and do nothing without being asked.
CAPTURING = "transformers.utils.output_capturing"


def _heard(module: Module) -> bool:
    forward = module._forward_hooks.values()
    return bool(
        any(getattr(hook, "__module__", None) != CAPTURING for hook in forward)
        or module._forward_pre_hooks
        or module._backward_hooks
        or module._backward_pre_hooks
    )


def first_position_logits(
    family: Family, embeddings: torch.Tensor, inputs: TextInputs
) -> torch.Tensor:
    """Shape: (batch, positions, embedding_dim) -> (batch, labels)"""
    return in_groups(partial(_logits, family), embeddings, inputs)


def in_groups(
    logits_of: Callable[[torch.Tensor, torch.Tensor, torch.Tensor | None], torch.Tensor],
    embeddings: torch.Tensor,
    inputs: TextInputs,
    pads: bool = True,
) -> torch.Tensor:
    """
    The logits, computed for texts of similar length at a time; of the same length, if the model may not
    see padding (`pads`). Padding is at the end of a text.
    Shape: (batch, positions, embedding_dim) -> (batch, labels)
    """
    mask, types = inputs.mask, inputs.parts
    if pads and embeddings.device.type != "cpu":
        return logits_of(embeddings, mask, types)
    lengths = mask.sum(dim=1).tolist()
    groups = rows_by_length(lengths, POSITIONS_AT_ONCE)
    if not pads:
        groups = [
            list(rows) for group in groups for _, rows in groupby(group, lambda row: lengths[row])
        ]
    logits = []
    for rows in groups:
        here = slice(max(1, max(lengths[row] for row in rows)))
        own = None if types is None else types[rows, here]
        logits.append(logits_of(embeddings[rows, here], mask[rows, here], own))
    order = torch.tensor([row for rows in groups for row in rows], device=mask.device)
    return torch.cat(logits)[order.argsort()]


def _logits(
    family: Family, embeddings: torch.Tensor, mask: torch.Tensor, types: torch.Tensor | None
) -> torch.Tensor:
    states = family.embeddings_norm(embeddings + family.added(embeddings, types))
    if family.embeddings_layer is not None:
        states = family.embeddings_layer(states)
    *layers, last = family.layers()
    for layer in layers:
        mixed = _mixed(layer.self_attention, states, mask)
        states = layer.above(states, mixed)
    mixed = _mixed_for_first(last.self_attention, states, mask)
    vectors = last.above(states[:, 0], mixed)
    for step in family.head():
        vectors = step(vectors)
    return vectors


def _mixed(
    attention: PretrainedSelfAttention, states: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    """Shape: (batch, positions, hidden_dim)"""
    queries, keys, values = (
        attention.split_heads(part(states))
        for part in (attention.query_layer, attention.key_layer, attention.value_layer)
    )
    added = _added_to_scores(attention, mask, states.dtype)
    return attention.merge_heads(scaled_dot_product_attention(queries, keys, values, added))


def _mixed_for_first(
    attention: PretrainedSelfAttention, states: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    """
    q (W h + b) is (q W) h and the same number for each h, which the softmax does not see; and weighted
    values are the value of the weighted states. So what costs a product with a matrix for each position
    costs one for each head. Shape: (batch, hidden_dim)
    """
    heads = attention.num_heads
    queries = attention.query_layer(states[:, 0]).unflatten(-1, (heads, -1))
    keys, values = (
        part.weight.unflatten(0, (heads, -1))
        for part in (attention.key_layer, attention.value_layer)
    )
    folded = torch.einsum("bhd,hde->bhe", queries, keys) * queries.size(-1) ** -0.5
    scores = folded @ states.transpose(1, 2)
    added = _added_to_scores(attention, mask, states.dtype)
    if added is not None:
        scores = scores + added[:, :, 0]
    states = scores.softmax(dim=-1) @ states
    mixed = torch.einsum("bhe,hde->bhd", states, values).flatten(start_dim=1)
    return mixed if attention.value_layer.bias is None else mixed + attention.value_layer.bias


def _added_to_scores(
    attention: PretrainedSelfAttention, mask: torch.Tensor, dtype: torch.dtype
) -> torch.Tensor | None:
    """By distance, and for padding; None for nothing. Shape: (batch or 1, heads or 1, positions or 1, positions)"""
    added = None if attention.bias is None else attention.bias(mask.size(1)).unsqueeze(0)
    if not bool(mask.all()):
        hidden = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
        hidden = hidden.masked_fill(~mask, -torch.inf)[:, None, None, :]
        added = hidden if added is None else added + hidden
    return added
