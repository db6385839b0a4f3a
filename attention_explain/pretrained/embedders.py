"""
AllenNLP's pretrained transformers as embedders, in two steps: the embeddings of the pieces, in which no
piece knows of another, and what the transformer makes of them. What is done to a word between the steps
is done to the word; behind them, the other words' vectors would still know of it.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Optional

import torch
from allennlp.data import TextFieldTensors
from allennlp.data.tokenizers import PretrainedTransformerTokenizer
from allennlp.modules import TextFieldEmbedder, TokenEmbedder
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import (
    PretrainedTransformerEmbedder,
    PretrainedTransformerMismatchedEmbedder,
)

from attention_explain.errors import InputError
from attention_explain.modules.text_inputs import TextInputs, units_of
from attention_explain.pretrained.families import FAMILIES
from attention_explain.pretrained.folders import TransformerFolder
from attention_explain.pretrained.pieces import KEPT, kept_folder

# So much is remembered: 40000 texts of 20 pieces, each a vector of 384 numbers. What comes later is computed
# each time.
MOST_BYTES = 2**30

# From embeddings and their mask to states. Shape: (batch, positions, dim) and (batch, positions) -> as the first
States = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


class RememberedStates:
    """
    Texts are the same where the embeddings of all their pieces are. `in_training`: some were trained on, so
    that those it is validated on come again, too.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.in_training = False
        self._left = most_bytes
        self._known: dict[bytes, torch.Tensor] = {}

    def __deepcopy__(self, memo: Any) -> "RememberedStates":
        """A copy of a model may get other parameters."""
        return RememberedStates()

    @torch.no_grad()
    def __call__(
        self, embeddings: torch.Tensor, mask: torch.Tensor, states_of: States
    ) -> torch.Tensor:
        """
        What `states_of` gives; padding, which stands behind each text, is 0.
        Shape: (batch, positions, dim), (batch, positions) -> (batch, positions, state_dim)
        """
        lengths = mask.sum(dim=1).tolist()
        keys = [
            hashlib.sha1(row[:length].numpy().tobytes()).digest()
            for row, length in zip(embeddings.cpu(), lengths, strict=True)
        ]
        known = {key: self._known[key] for key in keys if key in self._known}
        new = [row for row, key in enumerate(keys) if key not in known]
        if new:
            for row, states in zip(new, states_of(embeddings[new], mask[new]), strict=True):
                own = states[: lengths[row]].clone()
                known[keys[row]] = own
                size = own.numel() * own.element_size()
                if keys[row] not in self._known and size <= self._left:
                    self._left -= size
                    self._known[keys[row]] = own
        rows = [known[key] for key in keys]
        states = rows[0].new_zeros(*mask.shape, rows[0].size(-1))
        for row, own in enumerate(rows):
            states[row, : len(own)] = own
        return states


@TokenEmbedder.register("transformer_words")
class TransformerWords(PretrainedTransformerMismatchedEmbedder):
    """
    AllenNLP's `pretrained_transformer_mismatched`, with an archive that stands by itself: config and
    tokenizer are kept in it. For the token indexer `transformer_pieces`.

    Registered as a `TokenEmbedder` with name "transformer_words".

    # Parameters

    model_name : `str`
        A folder in Hugging Face's layout, or a name of its hub.
    train_parameters : `bool`, optional (default = `True`)
        Whether the transformer is trained further; if not, it stays as it is.
    last_layer_only : `bool`, optional (default = `True`)
        Whether the vectors are those of the last layer; if not, they are a learned mix of all layers.
    sub_token_mode : `str`, optional (default = `"avg"`)
        `avg`, the mean of a word's pieces, or `first`, its first piece.
    """

    def __init__(
        self,
        model_name: str,
        train_parameters: bool = True,
        last_layer_only: bool = True,
        sub_token_mode: str = "avg",
        serialization_dir: str | None = None,
    ) -> None:
        kept = kept_folder(model_name, serialization_dir)
        # What is kept has no weights: those of an archive or a checkpoint follow. A training that was
        # ended before its first checkpoint starts again.
        fresh = kept == model_name or not any(Path(serialization_dir or "").glob("*.th"))
        folder = TransformerFolder.opened(model_name if fresh else kept)
        super().__init__(
            str(folder.path),
            train_parameters=train_parameters,
            last_layer_only=last_layer_only,
            sub_token_mode=sub_token_mode,
            load_weights=fresh,
        )
        # What is not trained is not disturbed by dropout, either: a word is the same in every epoch.
        self._matched_embedder.eval_mode = not train_parameters
        if fresh and serialization_dir is not None:
            self._matched_embedder.config.save_pretrained(Path(serialization_dir) / KEPT)
            folder.tokenizer().save_pretrained(Path(serialization_dir) / KEPT)


class PretrainedPieces(NamedTuple):
    """
    A text field embedder that is one pretrained transformer and nothing else.

    embedder : AllenNLP's.
    indexer : what the tensors of its pieces are called.
    remembered : states of texts.
    words : whether the tokens are words; else each piece is one.
    first : whether the vector of a word is that of its first piece; else the mean over all.
    """

    embedder: PretrainedTransformerEmbedder
    indexer: str
    remembered: RememberedStates
    words: bool = False
    first: bool = False

    @classmethod
    def of(cls, embedder: TextFieldEmbedder) -> Optional["PretrainedPieces"]:
        """None for any other embedder."""
        if type(embedder) is not BasicTextFieldEmbedder:
            return None
        if len(embedder._ordered_embedder_keys) > 1:
            return None
        (indexer,) = embedder._ordered_embedder_keys
        (part,) = embedder.children()
        words = _is_just(part, PretrainedTransformerMismatchedEmbedder)
        inner = part._matched_embedder if words else part
        if (
            not _is_just(inner, PretrainedTransformerEmbedder)
            # Texts in parts that do not see each other.
            or inner._max_length is not None
            # Others may number types and positions in ways of their own.
            or inner.config.model_type not in FAMILIES
        ):
            return None
        first = words and part.sub_token_mode == "first"
        return cls(inner, indexer, RememberedStates(), words, first)

    def embed(self, tokens: TextFieldTensors) -> torch.Tensor:
        """Of the pieces alone, without their positions. Shape: (batch, positions, embedding_dim)"""
        ids = tokens[self.indexer]["token_ids"]
        return self.embedder.transformer_model.get_input_embeddings()(ids)

    def positions(self, tokens: TextFieldTensors) -> tuple[torch.Tensor, torch.Tensor | None]:
        """The mask and the units of a `TextInputs`."""
        tensors = tokens[self.indexer]
        if not self.words:
            return tensors["mask"], None
        mask = tensors["wordpiece_mask"]
        return mask, units_of(tensors["offsets"], tensors["mask"], mask.size(1))

    def vectors(
        self, embeddings: torch.Tensor, inputs: TextInputs, in_training: bool = False
    ) -> torch.Tensor:
        """
        What the transformer makes of the tokens. The texts of a training (`in_training`) come again, and so do
        those on which it is validated in between.
        Shape: (batch, positions, embedding_dim) -> (batch, tokens, output_dim)
        """
        most = FAMILIES[self.embedder.config.model_type].most_positions(self.embedder.config)
        if embeddings.size(1) > most:
            raise InputError(
                f"a text has {embeddings.size(1)} pieces, but the model reads {most} at most; the "
                "token indexer 'transformer_pieces' lets our readers cut such texts"
            )
        self.remembered.in_training |= in_training
        if self.remembered.in_training and self._is_constant(embeddings):
            states = self.remembered(embeddings, inputs.mask, self._states)
        else:
            states = self._states(embeddings, inputs.mask)
        if inputs.units is None:
            return states
        units = inputs.units
        if self.first:
            before = torch.nn.functional.pad(units, (1, 0), value=-1)[:, :-1]
            units = units.masked_fill(units == before, -1)
        # Shape: (batch, tokens, positions)
        numbers = torch.arange(inputs.attendable.size(1), device=units.device)
        shares = (units.unsqueeze(1) == numbers.unsqueeze(-1)).to(states)
        # A word without a piece is a vector of zeros, as AllenNLP has it.
        return shares @ states / shares.sum(dim=-1, keepdim=True).clamp(min=1)

    def _is_constant(self, embeddings: torch.Tensor) -> bool:
        """Whether a text has the same states in every epoch."""
        # With dropout, they are others each time; a mix of layers is learned.
        same = self.embedder.eval_mode and self.embedder._scalar_mix is None
        trained = any(each.requires_grad for each in self.embedder.parameters())
        return same and not trained and not embeddings.requires_grad

    def _states(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Shape: (batch, positions, embedding_dim) -> (batch, positions, output_dim)"""
        output = self.embedder.transformer_model(
            inputs_embeds=embeddings, attention_mask=mask.to(embeddings)
        )
        mix = self.embedder._scalar_mix
        # Below the first layer are the embeddings, which are no part of AllenNLP's mix.
        return output.last_hidden_state if mix is None else mix(output.hidden_states[1:])

    def symbol_embedding(self, symbol: str, purpose: str) -> torch.Tensor:
        """As of an `AttentionClassifier`."""
        # The same that the embedder has loaded, and AllenNLP remembers: its folder may be gone.
        tokenizer = PretrainedTransformerTokenizer(self.embedder.config._name_or_path).tokenizer
        ids: dict[str, Any] = {
            "pad": tokenizer.pad_token_id,
            "unk": tokenizer.unk_token_id,
            "mask": tokenizer.mask_token_id,
        }
        if ids[symbol] is None:
            raise InputError(f"{purpose}, but the model's tokenizer has no such symbol")
        return self.embedder.transformer_model.get_input_embeddings().weight[ids[symbol]].detach()


def _is_just(part: torch.nn.Module, kind: type[torch.nn.Module]) -> bool:
    """A subclass with a forward of its own may do anything."""
    return isinstance(part, kind) and type(part).forward is kind.forward
