"""
The classifier that somebody has already: one of transformers' own, from its folder.

What explanations ask of it is what they ask of any model: the embeddings of its word pieces, and the
logits as a function of these.
"""

from pathlib import Path
from typing import Any, Dict, List, Optional, Union

import torch
from allennlp.common import Params
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.nn import RegularizerApplicator

from attention_explain.models.classifier import Classifier
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

    def __init__(
        self,
        vocab: Vocabulary,
        model_name: str,
        own_head: bool = False,
        loss_reduction: str = "mean",
        class_weights: Optional[Union[str, Dict[str, float]]] = None,
        min_label_count: int = 2,
        positive_label: Optional[str] = None,
        regularizer: Optional[RegularizerApplicator] = None,
        serialization_dir: Optional[str] = None,
        load_weights: bool = True,
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
        if load_weights:
            folder = TransformerFolder.opened(model_name)
            self.transformer = (
                folder.classifier() if own_head else folder.classifier_to_train(self.labels)
            )
        else:
            folder = TransformerFolder.opened(kept_folder(model_name, serialization_dir))
            self.transformer = folder.untrained(len(self.labels))
        self.family = folder.family(self.transformer)
        tokenizer = folder.tokenizer()
        # Symbols that stand for "no word here", where the tokenizer has them.
        self.symbols: Dict[str, Optional[int]] = {
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
        Of the pieces alone, without their positions. Shape: (batch, places, embedding_dim)
        """
        (indexed,) = tokens.values()
        return self.transformer.get_input_embeddings()(indexed["token_ids"])

    def logits_of_places(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        Everything after `embed`; positions are those of the places that are there.
        Shape: (batch, places, embedding_dim), (batch, places) -> (batch, labels)
        """
        return self.transformer(inputs_embeds=embeddings, attention_mask=mask.long()).logits

    def forward(
        self,
        tokens: TextFieldTensors,
        label: Optional[torch.Tensor] = None,
        metadata: Optional[List[Dict[str, Any]]] = None,
        **others: Any,
    ) -> Dict[str, Any]:
        """
        # Parameters

        tokens : `TextFieldTensors`
            Of the indexer `transformer_pieces`.
        label : `torch.Tensor`, optional. Shape: (batch,)
        metadata : `List[Dict[str, Any]]`, optional
            `id` and `tokens` of each instance.
        others : `Any`
            What else a reader says of its texts; not looked at.

        # Returns

        `logits`, `probs`; `loss` and `label` where there are labels; `ids` and `tokens` where the
        metadata has them.
        """
        (indexed,) = tokens.values()
        logits = self.logits_of_places(self.embed(tokens), indexed["wordpiece_mask"])
        output = self.output(logits, label, metadata)
        for metric in self.extra_metrics:
            metric(output)
        return output
