"""
The one classifier of single texts, in four stages that can be called alone.

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

from attention_explain.models.label_counts import (
    check_known,
    check_label_counts,
    class_weight_vector,
)
from attention_explain.modules.encoders.lstm import runs_unpacked, unpacked_states
from attention_explain.modules.projections import normalized_entropy, zero_share
from attention_explain.modules.token_attention import TokenAttention
from attention_explain.named_components import check_choice
from attention_explain.training.metrics import Confusion, InstanceMean, OutputMetric, RocAuc

REDUCTIONS = ("mean", "sum")


@Model.register("attention_classifier")
class AttentionClassifier(Model):
    """
    embed -> encode -> attend -> decode: the attention-weighted mean of the hidden states, then one
    linear layer (Jain & Wallace 2019, section 2.1).

    Registered as a `Model` with name "attention_classifier".

    # Parameters

    text_field_embedder : `TextFieldEmbedder`
    encoder : `Seq2SeqEncoder`
        AllenNLP's `lstm`, or `affine`, `cnn`, `transformer`.
    attention : `Lazy[TokenAttention]`, optional (default = additive scores, softmax)
    loss_reduction : `str`, optional (default = `"mean"`)
        `mean` or `sum` over the batch. With a sum, weight decay counts for less (by the batch
        size), which is how Jain & Wallace trained.
    class_weights : `"balanced"` or `Dict[str, float]`, optional (default = `None`)
        Weight of each label in the loss. `balanced` gives every class the same total: 1 for the
        first label and (count of the first) / (count of c) for label c, so neg / pos for two.
    min_label_count : `int`, optional (default = `2`)
        A label with fewer texts in the training data is an error: most often it is a typo, and
        `balanced` would give it as much weight as any other class. Rare ones are warned of.
    positive_label : `str`, optional (default = the label that sorts last)
        The class whose F1 is reported, for two classes.
    output_states : `bool`, optional (default = `False`)
        Whether `forward` returns the hidden states.
    initializer : `InitializerApplicator`, optional
    regularizer : `RegularizerApplicator`, optional
    """

    default_predictor = "saliency"

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
        serialization_dir: Optional[str] = None,
    ) -> None:
        super().__init__(vocab, regularizer, serialization_dir)
        check_dimensions_match(
            text_field_embedder.get_output_dim(),
            encoder.get_input_dim(),
            "output size of text_field_embedder",
            "input size of encoder",
        )
        check_choice("loss_reduction", loss_reduction, REDUCTIONS)
        self.labels = _label_names(vocab)
        check_label_counts(vocab, min_label_count)
        self.text_field_embedder = text_field_embedder
        self.encoder = encoder
        self.attention = attention.construct(input_dim=encoder.get_output_dim())
        self.decoder = torch.nn.Linear(encoder.get_output_dim(), len(self.labels))
        self.output_states = output_states
        self.loss_reduction = loss_reduction
        # A buffer, because an archive knows the weights but no longer the counts.
        self.register_buffer(
            "class_weights", class_weight_vector(vocab, self.labels, class_weights)
        )
        self._weights_known = False

        self._positive = _positive_index(self.labels, positive_label)
        self._confusion = Confusion(len(self.labels))
        self._auc = RocAuc()
        self._attention_entropy = InstanceMean()
        self._attention_zeros = InstanceMean()
        # Of whoever trains or evaluates the model; part of no archive.
        self.extra_metrics: List[OutputMetric] = []
        initializer(self)

    # The four stages ----------------------------------------------------------------------------

    def embed(self, tokens: TextFieldTensors) -> torch.Tensor:
        """Shape: (batch, tokens, embedding_dim)"""
        return self.text_field_embedder(tokens)

    def encode(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        `mask` is True at all tokens, boundary symbols included. Shape: (batch, tokens, state_dim)
        """
        if runs_unpacked(self.encoder, embeddings):
            return unpacked_states(self.encoder, embeddings, mask)
        return self.encoder(embeddings, mask)

    def attend(
        self,
        states: torch.Tensor,
        attendable: torch.Tensor,
        query: Optional[torch.Tensor] = None,
        guide: Optional[torch.Tensor] = None,
    ) -> torch.Tensor:
        """
        `attendable` is True at the tokens attention can see; `guide` has the weights of a model that
        takes them from its instances. Shape: (batch, tokens)
        """
        return self.attention(states, attendable, query, guide)

    def decode(self, states: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
        """Shape: (batch, labels)"""
        # Shape: (batch, state_dim)
        context = torch.bmm(attention.unsqueeze(1), states).squeeze(1)
        return self.decoder(context)

    # Their composition --------------------------------------------------------------------------

    def forward(
        self,
        tokens: TextFieldTensors,
        label: Optional[torch.Tensor] = None,
        attendable: Optional[torch.Tensor] = None,
        impermissible: Optional[torch.Tensor] = None,
        guide: Optional[torch.Tensor] = None,
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
        attention = self.attend(states, attendable, guide=guide)
        logits = self.decode(states, attention)
        probs = torch.softmax(logits, dim=-1)
        output: Dict[str, Any] = {
            "logits": logits,
            "probs": probs,
            "attention": attention,
            "mask": attendable,
        }
        if label is not None:
            output["label"] = label
            output["loss"] = self.loss(logits, label)
            self._record(probs, attention, attendable, label)
        if impermissible is not None:
            output["impermissible"] = impermissible
        if self.output_states:
            output["states"] = states
        if metadata is not None and all({"id", "tokens"} <= set(each) for each in metadata):
            output["ids"] = [instance["id"] for instance in metadata]
            output["tokens"] = [instance["tokens"] for instance in metadata]
        for metric in self.extra_metrics:
            metric(output)
        return output

    def loss(self, logits: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        """Weighted cross entropy, a mean or a sum over the batch."""
        if not self._weights_known:
            # Once: on a GPU the answer has to be waited for.
            check_known(self.class_weights)
            self._weights_known = True
        losses = torch.nn.functional.cross_entropy(
            logits, label, weight=self.class_weights, reduction="none"
        )
        # torch's own mean would divide by the sum of the weights, not by the batch size.
        return losses.mean() if self.loss_reduction == "mean" else losses.sum()

    def make_output_human_readable(self, output_dict: Dict[str, Any]) -> Dict[str, Any]:
        """Label names for numbers; nothing of padding or boundary symbols is left."""
        mask = output_dict.pop("mask")
        for name in ("attention", "states", "impermissible"):
            if name in output_dict:
                output_dict[name] = [
                    values[seen].tolist() for values, seen in zip(output_dict[name], mask)
                ]
        if "label" in output_dict:
            output_dict["gold"] = [self.labels[index] for index in output_dict["label"].tolist()]
        predicted = output_dict["probs"].argmax(dim=-1).tolist()
        output_dict["label"] = [self.labels[index] for index in predicted]
        if "ids" in output_dict:
            output_dict["id"] = output_dict.pop("ids")
        return output_dict

    # Metrics ------------------------------------------------------------------------------------

    def _record(
        self,
        probs: torch.Tensor,
        attention: torch.Tensor,
        attendable: torch.Tensor,
        label: torch.Tensor,
    ) -> None:
        self._confusion(probs, label)
        self._auc(probs, label)
        attention = attention.detach()
        self._attention_entropy(normalized_entropy(attention, attendable))
        self._attention_zeros(zero_share(attention, attendable))

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """
        `accuracy`, `macro_f1`, `f1` (of the positive class, for two), mean normalised
        `attention_entropy` and mean share of zero weights `attention_zeros`; and `auc`, which
        needs all instances and is therefore computed at the end of an epoch only. Then those of
        `extra_metrics`.
        """
        counted = self._confusion.get_metric(reset)
        metrics = {
            "accuracy": counted["accuracy"],
            "macro_f1": counted["macro_f1"],
            "attention_entropy": self._attention_entropy.get_metric(reset),
            "attention_zeros": self._attention_zeros.get_metric(reset),
        }
        if len(self.labels) == 2:
            metrics["f1"] = counted["f1"][self._positive]
        if reset:
            metrics["auc"] = self._auc.get_metric(reset)
        for metric in self.extra_metrics:
            metrics.update(metric.get_metric(reset))
        return metrics


def _label_names(vocab: Vocabulary) -> List[str]:
    by_index = vocab.get_index_to_token_vocabulary("labels")
    if len(by_index) < 2:
        raise ConfigurationError(
            f"a classifier needs two labels or more, but the training data has "
            f"{', '.join(map(repr, by_index.values())) or 'none'}"
        )
    return [by_index[index] for index in range(len(by_index))]


def _positive_index(labels: List[str], positive_label: Optional[str]) -> int:
    if positive_label is None:
        return labels.index(max(labels))
    if positive_label not in labels:
        raise ConfigurationError(
            f"positive_label is {positive_label!r}, which is none of {', '.join(labels)}"
        )
    return labels.index(positive_label)
