"""
The base class of the classifiers, and the requirements of methods: what a model must have to be
explained, and whether the vector of a token depends on that token alone.
"""

import logging
import math
from collections.abc import Sequence
from typing import Any

import torch
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import Embedding, EmptyEmbedder, TokenCharactersEncoder
from allennlp.nn import RegularizerApplicator

from attention_explain.data.errors import TrainingLabelsError
from attention_explain.data.example import REMEDY, same_class, shown
from attention_explain.errors import InputError
from attention_explain.model_outputs import SOFTMAX, probabilities
from attention_explain.models.metrics import Confusion, OutputMetric, RocAuc
from attention_explain.named_components import check_choice

# A model that can be explained has a function `lacks(need) -> Optional[str]`: None, or a sentence that
# says why it has not what is needed.
NEEDS = {
    "embeddings": "the embeddings of tokens, and what the model makes of others (embed, logits)",
    "attention": "one attention weight for each token",
    "stages": "hidden states of tokens and attention over them (encode, attend, decode)",
    "encoder": "an encoder that reads the embeddings of the tokens themselves",
    "states": "hidden states as a function of the embeddings of tokens (encode)",
    "parts": "parts that are known one by one, from the embeddings of the tokens to the logits",
    "layers": "layers of self-attention",
    "blocks": "layers with a norm after each block and one linear layer on each side of the activation",
    "products": "scores of self-attention that are products of queries and keys alone, and no gates",
    "maps": "the weights of its layers as part of what it computes, for gradients",
}

# Embedders in which the vector of a token depends on that token alone. One that is not known is
# taken to see the others, since the mistake would go unseen; it may declare `context_free = True`.
CONTEXT_FREE = (Embedding, TokenCharactersEncoder, EmptyEmbedder)


def check_needs(model: Model, needs: Sequence[str], purpose: str) -> None:
    """
    One sentence where the model lacks something. `purpose` begins it if the model is none that can
    be explained at all, as in "lrp explains".
    """
    if not hasattr(model, "lacks"):
        raise InputError(f"{purpose} an attention_classifier, not a {type(model).__name__}")
    for need in needs:
        reason = model.lacks(need)
        if reason is not None:
            raise InputError(reason)
    check_texts_are_independent(model)


def encoder_of_tokens(model: Model) -> Seq2SeqEncoder | None:
    """What reads the embeddings of tokens, and may have something faster than passes; or None."""
    return model.encoder if model.lacks("encoder") is None else None


def has_not(model: Model, need: str) -> str:
    """The sentence where there is nothing more to say."""
    return f"it needs {NEEDS[need]}, which a {type(model).__name__} has not"


def ignored_text(name: str, model: Model) -> str:
    """The error for a second text, such as the `query` of a pair, that the model does not read."""
    return (
        f"the dataset reader gives a second text, '{name}', which a {type(model).__name__} does not "
        "read: its output would be that of the first text alone; use a reader of single texts, or a "
        "model of pairs (attention_pair_classifier)"
    )


def check_texts_are_independent(model: Model) -> None:
    """An encoder that goes on from the text before gives a text other scores in another batch."""
    for module in model.modules():
        if getattr(module, "stateful", False):
            raise InputError(
                f"the model's {type(module).__name__} is stateful: it reads a text in the light of "
                "those before it, so that no text has an explanation of its own; set 'stateful' to "
                "false in the model's config (or with --overrides)"
            )


def contextual_part(embedder: TextFieldEmbedder) -> torch.nn.Module | None:
    """What of the embedder may let a token's vector depend on other tokens; None if nothing."""
    if getattr(embedder, "context_free", False):
        return None
    if type(embedder) is not BasicTextFieldEmbedder:
        return embedder
    for part in embedder.children():
        if not _is_context_free(part):
            return part
    return None


def _is_context_free(embedder: torch.nn.Module) -> bool:
    # A subclass with a forward of its own may do anything.
    return getattr(embedder, "context_free", False) or any(
        isinstance(embedder, known) and type(embedder).forward is known.forward
        for known in CONTEXT_FREE
    )


logger = logging.getLogger(__name__)

REDUCTIONS = ("mean", "sum")
# A label with fewer texts than this share of the commonest one's is said to be rare.
RARE = 1 / 20
# The number of other labels that a message lists.
TOLD = 5


class Classifier(Model):
    """
    Base class of the classifiers.

    # Parameters

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
    head : `str`, optional (default = `"softmax"`)
        What the outputs are: classes of which one is chosen (`softmax`), labels with a probability of
        their own (`sigmoid`), or numbers (`none`). Only the first can be trained here.
    """

    default_predictor = "saliency"

    def __init__(
        self,
        vocab: Vocabulary,
        loss_reduction: str = "mean",
        class_weights: str | dict[str, float] | None = None,
        min_label_count: int = 2,
        positive_label: str | None = None,
        regularizer: RegularizerApplicator | None = None,
        serialization_dir: str | None = None,
        head: str = SOFTMAX,
    ) -> None:
        super().__init__(vocab, regularizer, serialization_dir)
        self.head = head
        self.loss_reduction = check_choice("loss_reduction", loss_reduction, REDUCTIONS)
        # A regression head, or one that gives the probability of one label, has one output.
        self.labels = _label_names(vocab, 2 if head == SOFTMAX else 1)
        check_label_counts(vocab, min_label_count)
        # A buffer, because an archive knows the weights but no longer the counts.
        self.register_buffer(
            "class_weights", class_weight_vector(vocab, self.labels, class_weights)
        )
        self._weights_known = False

        self._positive = _positive_index(self.labels, positive_label)
        self._confusion = Confusion(len(self.labels))
        self._auc = RocAuc()
        # Set by the code that trains or evaluates the model; part of no archive.
        self.extra_metrics: list[OutputMetric] = []

    def output(
        self,
        logits: torch.Tensor,
        label: torch.Tensor | None,
        metadata: list[dict[str, Any]] | None,
    ) -> dict[str, Any]:
        """
        `logits`, `probs`; `loss` and `label` where there are labels; `ids` and `tokens` where the
        metadata has them, and with them `query` and `candidates` of pairs.
        """
        output: dict[str, Any] = {"logits": logits, "probs": probabilities(self, logits)}
        if label is not None:
            output["label"] = label
            output["loss"] = self.loss(logits, label)
            self._confusion(output["probs"], label)
            self._auc(output["probs"], label)
        if metadata is not None and all({"id", "tokens"} <= set(each) for each in metadata):
            output["ids"] = [instance["id"] for instance in metadata]
            output["tokens"] = [instance["tokens"] for instance in metadata]
            # Of pairs; candidates only where lines have their own.
            for name in ("query", "candidates"):
                if any(name in instance for instance in metadata):
                    output[name] = [instance.get(name) for instance in metadata]
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

    def make_output_human_readable(self, output_dict: dict[str, Any]) -> dict[str, Any]:
        """Label names for numbers."""
        if "label" in output_dict:
            output_dict["gold"] = [self.labels[index] for index in output_dict["label"].tolist()]
        predicted = output_dict["probs"].argmax(dim=-1).tolist()
        output_dict["label"] = [self.labels[index] for index in predicted]
        if "ids" in output_dict:
            output_dict["id"] = output_dict.pop("ids")
        return output_dict

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        """
        `accuracy`, `macro_f1`, `f1` (of the positive class, for two); those of the subclass; and
        `auc`, which needs all instances and is therefore computed at the end of an epoch only, and is
        left out where all have one label. Then those of `extra_metrics`.
        """
        counted = self._confusion.get_metric(reset)
        metrics = {
            "accuracy": counted["accuracy"],
            "macro_f1": counted["macro_f1"],
            **self.own_metrics(reset),
        }
        if len(self.labels) == 2:
            metrics["f1"] = counted["f1"][self._positive]
        if reset:
            auc = self._auc.get_metric(reset)
            metrics.update({} if auc is None else {"auc": auc})
        for metric in self.extra_metrics:
            metrics.update(metric.get_metric(reset))
        return metrics

    def own_metrics(self, reset: bool) -> dict[str, float]:
        """Further metrics of a subclass."""
        return {}


def _label_names(vocab: Vocabulary, least: int) -> list[str]:
    by_index = vocab.get_index_to_token_vocabulary("labels")
    if len(by_index) < least:
        raise TrainingLabelsError(
            f"a classifier needs two labels or more, but the training data has "
            f"{', '.join(map(repr, by_index.values())) or 'none'}"
        )
    return [by_index[index] for index in range(len(by_index))]


def _positive_index(labels: list[str], positive_label: str | None) -> int:
    if positive_label is None:
        return labels.index(max(labels))
    if positive_label not in labels:
        raise InputError(
            f"positive_label is {positive_label!r}, which is none of {', '.join(labels)}"
        )
    return labels.index(positive_label)


def label_counts(vocab: Vocabulary) -> dict[str, int]:
    """Of the data that the vocabulary was made from; empty for one that was read from files."""
    return (getattr(vocab, "_retained_counter", None) or {}).get("labels", {})


def check_label_counts(vocab: Vocabulary, min_label_count: int) -> None:
    """Rejects labels with fewer texts than that, and warns of rare ones."""
    if min_label_count < 1:
        raise InputError(f"min_label_count is {min_label_count}, but must be 1 or more")
    counts = label_counts(vocab)
    twice = same_class(counts)
    if twice is not None:
        first, second = twice
        raise TrainingLabelsError(
            f"the labels {shown(first, second)} and {shown(second, first)} of the training, validation "
            f"or test data are the same label, and would become two classes; {REMEDY}"
        )
    few = [label for label in counts if counts[label] < min_label_count]
    if few:
        raise TrainingLabelsError(
            f"fewer than {min_label_count} texts of the training data have the label "
            f"{_told(few, counts)}; {_others(few, counts)}fix the file, rename or drop the label "
            "with the reader's option `labels`, or allow it with the model's `min_label_count`"
        )
    commonest = max(counts.values(), default=0)
    rare = [label for label in counts if counts[label] < RARE * commonest]
    if rare:
        logger.warning(
            "few texts of the training data have the label %s; %sif it is a typo, fix it",
            _told(rare, counts),
            _others(rare, counts),
        )


def _others(labels: list[str], counts: dict[str, int]) -> str:
    others = [label for label in counts if label not in labels]
    return f"the others are {_told(others, counts)}; " if others else ""


def _told(labels: list[str], counts: dict[str, int]) -> str:
    labels = sorted(labels, key=lambda label: (-counts[label], label))
    told = [f"{label!r} ({counts[label]})" for label in labels[:TOLD]]
    return ", ".join(told) + (f" and {len(labels) - TOLD} more" if len(labels) > TOLD else "")


def class_weight_vector(
    vocab: Vocabulary, labels: list[str], weights: str | dict[str, float] | None
) -> torch.Tensor:
    """
    The weight of each of `labels`, in their order. `balanced` takes the counts that the vocabulary
    has from the training data. An archive has lost them: then the weights are NaN until the saved
    ones replace them, and training with them fails.
    """
    if weights is None:
        return torch.ones(len(labels))
    if weights == "balanced":
        counts = label_counts(vocab)
        if not all(counts.get(label) for label in labels):
            return torch.full((len(labels),), torch.nan)
        first, *_ = sorted(labels)
        return torch.tensor([counts[first] / counts[label] for label in labels])
    if not isinstance(weights, dict):
        raise InputError(
            f"class_weights is {weights!r}, but must be 'balanced' or a weight for each label"
        )
    if set(weights) != set(labels):
        raise InputError(
            f"class_weights names {', '.join(sorted(weights))}, but the labels are "
            f"{', '.join(sorted(labels))}"
        )
    numbers = [float(weights[label]) for label in labels]
    if not all(0 <= number < math.inf for number in numbers) or not any(numbers):
        told = ", ".join(f"{label!r}: {weights[label]}" for label in labels)
        raise InputError(
            f"class_weights is {{{told}}}, but every weight must be 0 or more, and one of them above 0"
        )
    return torch.tensor(numbers)


def check_known(weights: torch.Tensor) -> None:
    """Rejects weights that were never filled in."""
    if weights.isnan().any():
        raise InputError(
            "class_weights 'balanced' needs a vocabulary built from the training data, but this "
            "one was read from files (as in distributed training) and has no label counts; "
            "give the weight of each label instead"
        )
