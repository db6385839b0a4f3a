"""
The one classifier of texts, in stages that can be called alone: four of single texts, and one more,
`query`, of pairs.

Every experiment is an intervention between the stages (a gradient at the embeddings, other weights
in place of the attention, ...), never a copy of the model.
"""

from typing import Any, Dict, List, Optional, Union

import torch
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError, check_dimensions_match
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.nn import InitializerApplicator, RegularizerApplicator
from allennlp.nn.util import get_text_field_mask

from attention_explain.models.classifier import Classifier
from attention_explain.modules.decoders import LinearDecoder, PairDecoder
from attention_explain.modules.encoders.lstm import encoded
from attention_explain.modules.projections import normalized_entropy, zero_share
from attention_explain.modules.query import Query
from attention_explain.modules.query_encoder import QueryEncoder
from attention_explain.modules.token_attention import TokenAttention
from attention_explain.training.metrics import InstanceMean


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
    output_states : `bool`, optional (default = `False`)
        Whether `forward` returns the hidden states.
    initializer : `InitializerApplicator`, optional
    regularizer : `RegularizerApplicator`, optional
    query_encoder : `QueryEncoder`, optional
        Makes of it the classifier of pairs: see `AttentionPairClassifier`.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        text_field_embedder: TextFieldEmbedder,
        encoder: Seq2SeqEncoder,
        attention: Lazy[TokenAttention] = Lazy(TokenAttention),
        loss_reduction: str = "mean",
        class_weights: Optional[Union[str, Dict[str, float]]] = None,
        min_label_count: int = 2,
        positive_label: Optional[str] = None,
        output_states: bool = False,
        initializer: InitializerApplicator = InitializerApplicator(),
        regularizer: Optional[RegularizerApplicator] = None,
        query_encoder: Optional[QueryEncoder] = None,
        serialization_dir: Optional[str] = None,
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
        self._attention_entropy = InstanceMean()
        self._attention_zeros = InstanceMean()
        initializer(self)

    # The stages ---------------------------------------------------------------------------------

    def embed(self, tokens: TextFieldTensors) -> torch.Tensor:
        """Shape: (batch, tokens, embedding_dim)"""
        return self.text_field_embedder(tokens)

    def query(
        self, query: Optional[TextFieldTensors], candidates: Optional[torch.Tensor] = None
    ) -> Optional[Query]:
        """
        Of a pair, the second text as attention and decoder know it, with the labels that it may have
        (all, without `candidates`); None for a model of single texts, which looks at none.
        """
        if self.query_encoder is None:
            return None
        if query is None:
            raise ConfigurationError(
                "this model reads pairs, but the instances have no 'query'; its dataset reader must "
                "be one of pairs: question_passage, snli or babi"
            )
        embedder = self.query_encoder.embedder or self.text_field_embedder
        state = self.query_encoder(embedder(query), get_text_field_mask(query))
        return Query(state, candidates)

    def encode(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        `mask` is True at all tokens, boundary symbols included. Shape: (batch, tokens, state_dim)
        """
        return encoded(self.encoder, embeddings, mask)

    def attend(
        self,
        states: torch.Tensor,
        attendable: torch.Tensor,
        query: Optional[Query] = None,
        guide: Optional[torch.Tensor] = None,
    ) -> torch.Tensor:
        """
        `attendable` is True at the tokens attention can see; `guide` has the weights of a model that
        takes them from its instances. Shape: (batch, tokens)
        """
        return self.attention(states, attendable, query and query.state, guide)

    def decode(
        self, states: torch.Tensor, attention: torch.Tensor, query: Optional[Query] = None
    ) -> torch.Tensor:
        """Shape: (batch, labels)"""
        # Shape: (batch, state_dim)
        context = torch.bmm(attention.unsqueeze(1), states).squeeze(1)
        return self.decoder(context) if query is None else self.decoder(context, query)

    # Their composition --------------------------------------------------------------------------

    def forward(
        self,
        tokens: TextFieldTensors,
        label: Optional[torch.Tensor] = None,
        attendable: Optional[torch.Tensor] = None,
        impermissible: Optional[torch.Tensor] = None,
        guide: Optional[torch.Tensor] = None,
        query: Optional[TextFieldTensors] = None,
        candidates: Optional[torch.Tensor] = None,
        metadata: Optional[List[Dict[str, Any]]] = None,
        **others: Any,
    ) -> Dict[str, Any]:
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
        mask = get_text_field_mask(tokens)
        attendable = mask if attendable is None else attendable
        states = self.encode(self.embed(tokens), mask)
        asked = self.query(query, candidates)
        attention = self.attend(states, attendable, asked, guide)
        output = self.output(self.decode(states, attention, asked), label, metadata)
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

    def make_output_human_readable(self, output_dict: Dict[str, Any]) -> Dict[str, Any]:
        """Label names for numbers; nothing of padding or boundary symbols is left."""
        mask = output_dict.pop("mask")
        for name in ("attention", "states", "impermissible"):
            if name in output_dict:
                output_dict[name] = [
                    values[seen].tolist() for values, seen in zip(output_dict[name], mask)
                ]
        return super().make_output_human_readable(output_dict)

    def own_metrics(self, reset: bool) -> Dict[str, float]:
        """
        Mean normalised `attention_entropy` and mean share of zero weights `attention_zeros`.
        """
        return {
            "attention_entropy": self._attention_entropy.get_metric(reset),
            "attention_zeros": self._attention_zeros.get_metric(reset),
        }
