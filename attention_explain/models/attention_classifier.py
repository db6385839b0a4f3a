"""
The one classifier of texts, in stages that can be called alone: four of single texts, and one more,
`query`, of pairs.

Every experiment is an intervention between the stages (a gradient at the embeddings, other weights
instead of the attention, ...), never a copy of the model.
"""

from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
from allennlp.common import Lazy
from allennlp.common.checks import check_dimensions_match
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.nn import InitializerApplicator, RegularizerApplicator
from allennlp.nn.util import get_text_field_mask

from attention_explain.errors import InputError
from attention_explain.models.classifier import NEEDS, Classifier, contextual_part, has_not
from attention_explain.models.metrics import InstanceMean
from attention_explain.modules.capabilities import SelfAttentions, lacking, needed
from attention_explain.modules.layer_attention import ThroughLayers
from attention_explain.modules.lstm import encoded
from attention_explain.modules.projections import normalized_entropy, zero_share
from attention_explain.modules.text_inputs import PairDecoder, Query, QueryEncoder, TextInputs
from attention_explain.modules.token_attention import LinearDecoder, TokenAttention
from attention_explain.pretrained.embedders import PretrainedPieces
from attention_explain.symbols import symbol_embedding


@Model.register("attention_classifier")
class AttentionClassifier(Classifier):
    """
    embed -> encode -> attend -> decode: the attention-weighted mean of the hidden states, then one
    linear layer (Jain & Wallace 2019, section 2.1).

    Registered as a `Model` with name "attention_classifier".

    # Parameters

    text_field_embedder : `TextFieldEmbedder`
    encoder : `Seq2SeqEncoder`
        AllenNLP's `lstm`, or `affine`, `cnn`, `transformer`.
    attention : `Lazy[TokenAttention]`, optional (default = additive scores, softmax)
    loss_reduction, class_weights, min_label_count, positive_label : optional
        As in `Classifier`.
    dropout : `float`, optional (default = `0.0`)
        Of the embeddings, while the model is trained.
    output_states : `bool`, optional (default = `False`)
        Whether `forward` returns the hidden states.
    initializer : `InitializerApplicator`, optional
    regularizer : `RegularizerApplicator`, optional
    query_encoder : `QueryEncoder`, optional
        Makes of it the classifier of pairs: see `AttentionPairClassifier`.
    """

    # What of an instance `inputs` takes.
    read_fields = ("tokens", "attendable", "query", "candidates")

    def __init__(
        self,
        vocab: Vocabulary,
        text_field_embedder: TextFieldEmbedder,
        encoder: Seq2SeqEncoder,
        attention: Lazy[TokenAttention] = Lazy(TokenAttention),
        loss_reduction: str = "mean",
        class_weights: str | dict[str, float] | None = None,
        min_label_count: int = 2,
        positive_label: str | None = None,
        output_states: bool = False,
        initializer: InitializerApplicator = InitializerApplicator(),
        regularizer: RegularizerApplicator | None = None,
        query_encoder: QueryEncoder | None = None,
        serialization_dir: str | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(
            vocab,
            loss_reduction,
            class_weights,
            min_label_count,
            positive_label,
            regularizer,
            serialization_dir,
        )
        check_dimensions_match(
            text_field_embedder.get_output_dim(),
            encoder.get_input_dim(),
            "output size of text_field_embedder",
            "input size of encoder",
        )
        self.text_field_embedder = text_field_embedder
        self.encoder = encoder
        state_dim = encoder.get_output_dim()
        self.query_encoder = query_encoder
        if query_encoder is None:
            self.attention = attention.construct(input_dim=state_dim)
            self.decoder = LinearDecoder(state_dim, len(self.labels))
        else:
            query_encoder.check_input_dim(text_field_embedder)
            query_dim = query_encoder.get_output_dim()
            self.attention = attention.construct(input_dim=state_dim, query_dim=query_dim)
            self.decoder = PairDecoder(state_dim, query_dim, len(self.labels))
        self.output_states = output_states
        self.dropout = torch.nn.Dropout(dropout)
        self._attention_entropy = InstanceMean()
        self._attention_zeros = InstanceMean()
        initializer(self)

    @cached_property
    def pieces(self) -> PretrainedPieces | None:
        """The pretrained transformer below the encoder, where there is one."""
        if contextual_part(self.text_field_embedder) is None:
            return None
        return PretrainedPieces.of(self.text_field_embedder)

    # The stages ---------------------------------------------------------------------------------

    def embed(self, tokens: TextFieldTensors) -> torch.Tensor:
        """
        Each token by itself; of a pretrained transformer, each of its pieces.
        Shape: (batch, positions, embedding_dim)
        """
        pieces = self.pieces
        return self.text_field_embedder(tokens) if pieces is None else pieces.embed(tokens)

    def query(
        self, query: TextFieldTensors | None, candidates: torch.Tensor | None = None
    ) -> Query | None:
        """
        Of a pair, the second text as attention and decoder know it, with the labels that it may have
        (all, without `candidates`); None for a model of single texts, which looks at none.
        """
        if self.query_encoder is None:
            return None
        if query is None:
            raise InputError(
                "this model reads pairs, but the instances have no 'query'; its dataset reader must "
                "be one of pairs: question_passage, snli or babi"
            )
        embedder = self.query_encoder.embedder or self.text_field_embedder
        state = self.query_encoder(embedder(query), get_text_field_mask(query))
        return Query(state, candidates)

    def inputs(
        self,
        tokens: TextFieldTensors,
        attendable: torch.Tensor | None = None,
        query: TextFieldTensors | None = None,
        candidates: torch.Tensor | None = None,
    ) -> TextInputs:
        """What the other stages are told of the texts besides their embeddings."""
        mask = get_text_field_mask(tokens)
        attendable = mask if attendable is None else attendable
        positions = (mask, None) if self.pieces is None else self.pieces.positions(tokens)
        return TextInputs(positions[0], attendable, positions[1], self.query(query, candidates))

    def encode(self, embeddings: torch.Tensor, inputs: TextInputs) -> torch.Tensor:
        """Shape: (batch, positions, embedding_dim) -> (batch, tokens, state_dim)"""
        pieces = self.pieces
        vectors = embeddings
        if pieces is not None:
            vectors = pieces.vectors(embeddings, inputs, in_training=self.training)
        return encoded(self.encoder, vectors, inputs.token_mask)

    def attend(
        self, states: torch.Tensor, inputs: TextInputs, guide: torch.Tensor | None = None
    ) -> torch.Tensor:
        """
        `guide` has the weights of a model that takes them from its instances.
        Shape: (batch, tokens)
        """
        asked = inputs.query and inputs.query.state
        return self.attention(states, inputs.attendable, asked, guide)

    def decode(
        self, states: torch.Tensor, attention: torch.Tensor, query: Query | None = None
    ) -> torch.Tensor:
        """Shape: (batch, labels)"""
        # Shape: (batch, state_dim)
        context = torch.bmm(attention.unsqueeze(1), states).squeeze(1)
        return self.decoder(context) if query is None else self.decoder(context, query)

    # Their composition --------------------------------------------------------------------------

    def logits(
        self, embeddings: torch.Tensor, inputs: TextInputs, detach_attention: bool = False
    ) -> torch.Tensor:
        """
        The last three stages. A text in which nothing is left to attend to has a context of 0. With
        `detach_attention` the weights are constants, and gradients flow through the states alone,
        as in Jain & Wallace's code. Shape: (batch, labels)
        """
        return self.with_attention(embeddings, inputs, detach_attention)[0]

    def with_attention(
        self, embeddings: torch.Tensor, inputs: TextInputs, detach_attention: bool = False
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The logits, and the attention weight of each token. Shape: (batch, labels), (batch, tokens)"""
        empty = ~inputs.attendable.any(dim=-1, keepdim=True)
        # No stage takes a text of nothing; what it makes of such a one gets no weight.
        inputs = replace(inputs, mask=inputs.mask | empty, attendable=inputs.attendable | empty)
        states = self.encode(embeddings, inputs)
        attention = self.attend(states, inputs).masked_fill(empty, 0.0)
        weights = attention.detach() if detach_attention else attention
        return self.decode(states, weights, inputs.query), attention

    def forward(
        self,
        tokens: TextFieldTensors,
        label: torch.Tensor | None = None,
        attendable: torch.Tensor | None = None,
        impermissible: torch.Tensor | None = None,
        guide: torch.Tensor | None = None,
        query: TextFieldTensors | None = None,
        candidates: torch.Tensor | None = None,
        metadata: list[dict[str, Any]] | None = None,
        **others: Any,
    ) -> dict[str, Any]:
        """
        # Parameters

        tokens : `TextFieldTensors`
        label : `torch.Tensor`, optional. Shape: (batch,)
        attendable : `torch.BoolTensor`, optional. Shape: (batch, tokens)
            The tokens attention can see, where those are not all.
        impermissible : `torch.BoolTensor`, optional. Shape: (batch, tokens)
            Passed on to the output, for the callbacks that want it.
        guide : `torch.Tensor`, optional. Shape: (batch, tokens)
            The attention to take, for the projection `guide`.
        query : `TextFieldTensors`, optional
            The second text of a pair, for a classifier of pairs.
        candidates : `torch.BoolTensor`, optional. Shape: (batch, labels)
            The labels that a pair may have, where those are not all.
        metadata : `List[Dict[str, Any]]`, optional
            `id` and `tokens` of each instance.
        others : `Any`
            What else a reader says of its texts, such as the data set each is from; not looked at.

        # Returns

        `logits`, `probs`, `attention`, `mask` (the tokens attention can see); `loss` and `label`
        where there are labels; `ids` and `tokens` where the metadata has them; `impermissible` where
        given; `states` if `output_states`.
        """
        inputs = self.inputs(tokens, attendable, query, candidates)
        attendable = inputs.attendable
        states = self.encode(self.dropout(self.embed(tokens)), inputs)
        attention = self.attend(states, inputs, guide)
        output = self.output(self.decode(states, attention, inputs.query), label, metadata)
        output.update(attention=attention, mask=attendable)
        if label is not None:
            weights = attention.detach()
            self._attention_entropy(normalized_entropy(weights, attendable))
            self._attention_zeros(zero_share(weights, attendable))
        if impermissible is not None:
            output["impermissible"] = impermissible
        if self.output_states:
            output["states"] = states
        for metric in self.extra_metrics:
            metric(output)
        return output

    def make_output_human_readable(self, output_dict: dict[str, Any]) -> dict[str, Any]:
        """Label names for numbers; nothing of padding or boundary symbols is left."""
        mask = output_dict.pop("mask")
        for name in ("attention", "states", "impermissible"):
            if name in output_dict:
                output_dict[name] = [
                    values[seen].tolist() for values, seen in zip(output_dict[name], mask)
                ]
        return super().make_output_human_readable(output_dict)

    # What methods may ask for -------------------------------------------------------------------

    def lacks(self, need: str) -> str | None:
        """Why a method cannot have what it needs (`attention_explain.models.classifier`); None if it can."""
        part = contextual_part(self.text_field_embedder)
        if need in ("embeddings", "states") and self.pieces is not None:
            return None
        if need in ("encoder", "parts") and self.pieces is not None:
            return f"it needs {NEEDS[need]}, but between the two is this model's pretrained transformer"
        if need in ("embeddings", "encoder", "states", "parts") and part is not None:
            # Who changes one vector has not changed one token: the other vectors still know of it.
            return (
                "it takes the vector that the embedder gives a token for the token itself, but in "
                f"this model's {type(part).__name__} that vector may know of the other tokens; "
                "'attention' can be used, and methods of the hidden states ('gradient', "
                "'leave-one-out' and 'occlusion' with \"at\": \"hidden\")"
            )
        if need in ("layers", "blocks", "products"):
            lacks = lacking(self.encoder, SelfAttentions)
            return self.lacks("encoder") or (lacks and f"it {lacks}")
        if need == "maps":
            return self.lacks("encoder") or has_not(self, need)
        return None

    def number_of_layers(self) -> int:
        """The number of layers of self-attention."""
        return needed(self.encoder, SelfAttentions, type(self).__name__).number_of_layers()

    def through_layers(self, embeddings: torch.Tensor, inputs: TextInputs) -> ThroughLayers:
        """Of an encoder with self-attention: its layers, and attention over the states they give."""
        encoder = needed(self.encoder, SelfAttentions, type(self).__name__)
        states, layers = encoder.layer_attention(embeddings, inputs.mask)
        sizes = torch.linalg.vector_norm(states, dim=-1)
        return ThroughLayers(layers, self.attend(states, inputs), sizes)

    def stage_of(self, parameter: str) -> str | None:
        """Of which stage the parameter of that name is; None for anything else."""
        if parameter.startswith(("text_field_embedder.", "query_encoder.embedder.")):
            return "embeddings"
        part = parameter.split(".")[0].removeprefix("query_")
        return part if part in ("encoder", "attention", "decoder") else None

    def symbol_embedding(self, symbol: str, purpose: str) -> torch.Tensor:
        """
        Of `pad`, `unk` or `mask`. `purpose` begins the sentence if there is none.
        Shape: (embedding_dim,)
        """
        if self.pieces is not None:
            return self.pieces.symbol_embedding(symbol, purpose)
        return symbol_embedding(self, symbol, purpose)

    def own_metrics(self, reset: bool) -> dict[str, float]:
        """
        Mean normalised `attention_entropy` and mean share of zero weights `attention_zeros`.
        """
        return {
            "attention_entropy": self._attention_entropy.get_metric(reset),
            "attention_zeros": self._attention_zeros.get_metric(reset),
        }


@Model.register("attention_pair_classifier")
class AttentionPairClassifier(AttentionClassifier):
    """
    `attention_classifier` with a fifth stage, `query`: the second text through its own encoder, as one
    vector, which attention and decoder look at (Jain & Wallace 2019). Without one it is the
    `attention_classifier`, and everything that explains the one explains the other.

    Registered as a `Model` with name "attention_pair_classifier".

    # Parameters

    query_encoder : `QueryEncoder`

    All others as in `AttentionClassifier`.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        text_field_embedder: TextFieldEmbedder,
        encoder: Seq2SeqEncoder,
        query_encoder: QueryEncoder,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, text_field_embedder, encoder, query_encoder=query_encoder, **kwargs)
