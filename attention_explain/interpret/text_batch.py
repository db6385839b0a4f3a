"""
A batch of texts as interpreters and measures see it, the outputs that are explained, the baselines that
texts are compared with, and the error message for texts that do not fit into memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy
import torch
from allennlp.data import Batch, Instance, TextFieldTensors
from allennlp.data.fields import TextField
from allennlp.models import Model
from allennlp.nn.util import move_to_device

from attention_explain.errors import InputError
from attention_explain.model_outputs import probabilities
from attention_explain.models import AttentionClassifier
from attention_explain.models.classifier import ignored_text
from attention_explain.modules.projections import check_no_empty_row
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.passes import DEFAULT_BUDGET, default_budget, untouched

OUTPUTS = ("probability", "logit")
# Where a method looks at a token: at its embedding, or at its hidden state.
LEVELS = ("input", "hidden")


@dataclass(frozen=True)
class TextBatch:
    """
    A batch of texts on the model's device.

    tokens : what the model's `embed` takes.
    inputs : what it is told of the texts besides their embeddings.
    seen : True at the tokens that get a score, on the host, which may look at it without waiting for
        a GPU. Shape: (batch, tokens)
    ids, words : of each instance; the words without boundary symbols.
    budget : how many tokens a pass may hold; methods that expand the batch work in such chunks.
    """

    tokens: TextFieldTensors
    inputs: TextInputs
    seen: torch.Tensor
    ids: list[str]
    words: list[list[str]]
    budget: int = DEFAULT_BUDGET

    @classmethod
    def of(
        cls,
        model: AttentionClassifier,
        instances: Sequence[Instance],
        budget: int | None = None,
    ) -> "TextBatch":
        """The instances must have their token indexers."""
        group = Batch([_without_label(instance, model) for instance in instances])
        tensors = group.as_tensor_dict()
        metadata = tensors.pop("metadata")
        tensors = move_to_device(tensors, next(model.parameters()).device)
        # Of a pair, the query is read here.
        with untouched(model, goes_back=False), torch.no_grad():
            inputs = model.inputs(**tensors)
        seen = inputs.attendable.cpu()
        check_no_empty_row(seen)
        return cls(
            tokens=tensors["tokens"],
            inputs=inputs,
            seen=seen,
            ids=[instance["id"] for instance in metadata],
            words=[instance["tokens"] for instance in metadata],
            budget=budget or budget_for(model),
        )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def mask(self) -> torch.Tensor:
        """True at every position that is no padding. Shape: (batch, positions)"""
        return self.inputs.mask

    @property
    def attendable(self) -> torch.Tensor:
        """True at the tokens that attention sees and that get a score. Shape: (batch, tokens)"""
        return self.inputs.attendable

    @property
    def seen_positions(self) -> torch.Tensor:
        """True at the positions of tokens that get a score, on the host. Shape: (batch, positions)"""
        if self.inputs.units is None:
            return self.seen
        return self.inputs.at_positions(self.attendable).cpu()

    @property
    def length(self) -> int:
        """Of the longest text, in tokens, boundary symbols included."""
        return self.seen.size(1)

    def rows_per_pass(self) -> int:
        """How many texts of this batch's length one pass may hold: at least one."""
        return max(1, self.budget // self.inputs.width)

    def rows(self, rows: Sequence[int]) -> "TextBatch":
        """Some of the texts, as long as before with their padding."""
        positions = torch.tensor(rows, device=self.mask.device)
        return replace(
            self,
            tokens={
                indexer: {name: ids[positions] for name, ids in tensors.items()}
                for indexer, tensors in self.tokens.items()
            },
            inputs=self.inputs.rows(positions),
            seen=self.seen[rows],
            ids=[self.ids[row] for row in rows],
            words=[self.words[row] for row in rows],
        )

    def without_padding(self, scores: torch.Tensor) -> list[list[float]]:
        """
        The scores of each text's own tokens. Shape of scores: (batch, tokens)
        """
        return [row[seen].tolist() for row, seen in zip(scores.cpu(), self.seen)]


def noise(
    batch: TextBatch, embeddings: torch.Tensor, generators: Sequence[torch.Generator]
) -> torch.Tensor:
    """
    The next standard normal numbers of each text's own generator, in the positions of its tokens, and
    0 elsewhere. Drawn on the host for the whole batch, and brought to the device together.
    Shape: as `embeddings`
    """
    drawn = torch.zeros(embeddings.shape)
    for row, (seen, generator) in enumerate(zip(batch.seen_positions, generators, strict=True)):
        drawn[row, seen] = torch.randn(int(seen.sum()), drawn.size(-1), generator=generator)
    return drawn.to(embeddings)


def budget_for(model: AttentionClassifier) -> int:
    """How many tokens a pass may hold where nobody says: by the device that the model is on."""
    return default_budget(next(model.parameters()).device.type)


def _without_label(instance: Instance, model: AttentionClassifier) -> Instance:
    """
    The fields that are needed here, indexed. AllenNLP rejects a batch in which only some texts have
    a label.
    """
    for name, field in instance.fields.items():
        if isinstance(field, TextField) and name not in model.read_fields:
            raise InputError(ignored_text(name, model))
    instance.index_fields(model.vocab)
    names = (*model.read_fields, "metadata")
    bare = Instance({name: instance[name] for name in names if name in instance.fields})
    bare.indexed = True
    return bare


def class_output(model: Model, logits: torch.Tensor, target: torch.Tensor, of: str) -> torch.Tensor:
    """
    The probability or logit of each row's target class; of a regression head, its output either way; of a
    contrast, the difference of two logits. Shape: (batch, labels) -> (batch,)
    """
    values = probabilities(model, logits) if of == "probability" else logits
    classes, others = split_contrast(target, logits.size(-1))
    output = values.gather(-1, classes.unsqueeze(-1)).squeeze(-1)
    if others is None:
        return output
    of_class, of_other = (
        logits.gather(-1, each.unsqueeze(-1)).squeeze(-1) for each in (classes, others.clamp(min=0))
    )
    return torch.where(others >= 0, of_class - of_other, output)


# The type of targets that are contrasts. It tells them apart without waiting for a GPU.
CONTRAST = torch.int32


def contrast_with(classes: torch.Tensor, others: torch.Tensor, labels: int) -> torch.Tensor:
    """
    The target for explanations of why a class is predicted rather than another (-1 for none). It is one number,
    so that methods select and repeat targets in the same way with and without a contrast. Shape: (batch,)
    """
    return (classes + labels * (others + 1)).to(CONTRAST)


def is_contrast(target: torch.Tensor) -> bool:
    """Whether targets are contrasts."""
    return target.dtype == CONTRAST


def split_contrast(target: torch.Tensor, labels: int) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The classes of targets, and the classes that they are contrasted with (-1 for none); None if all have none."""
    if not is_contrast(target):
        return target, None
    target = target.long()
    return target % labels, target // labels - 1


def target_signs(target: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    """1 at the target class, -1 at the class that it is contrasted with, else 0. Shape: (batch, labels)"""
    classes, others = split_contrast(target, logits.size(-1))
    signs = torch.zeros_like(logits).scatter(-1, classes.unsqueeze(-1), 1.0)
    if others is None:
        return signs
    against = torch.where(others >= 0, -1.0, 0.0).to(logits).unsqueeze(-1)
    return signs.scatter_add(-1, others.clamp(min=0).unsqueeze(-1), against)


@torch.no_grad()
def output_at(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    batch: TextBatch,
    target: torch.Tensor,
    of: str,
) -> torch.Tensor:
    """The class output for other embeddings of the batch. Shape: (batch,)"""
    return class_output(model, model.logits(embeddings, batch.inputs), target, of)


def check_finite(model: Model, ids: Sequence[str], outputs: torch.Tensor | numpy.ndarray) -> None:
    """
    Raise if the model's output for a text is not finite: there is no prediction to explain or to judge.
    Shape of outputs: (batch, labels)
    """
    outputs = torch.as_tensor(outputs)
    finite = outputs.isfinite()
    if getattr(model, "logits_may_be_minus_infinity", False):
        finite |= outputs.isneginf()
    of_texts = finite.all(dim=-1).tolist()
    if all(of_texts):
        return
    text = ids[of_texts.index(False)]
    bad = next((name for name, each in model.named_parameters() if not each.isfinite().all()), None)
    why = (
        "although all its weights are finite: some are too large"
        if bad is None
        else f"since its parameter '{bad}' holds values that are not finite"
    )
    raise InputError(
        f"the model's output for text {text!r} is not finite (NaN or infinite), {why}. There is nothing to "
        "explain or to judge: train the model again, or give another one"
    )


def check_output(model: AttentionClassifier, instances: Sequence[Instance]) -> None:
    """Raise before any work if the model's output for the longest text is not finite."""
    longest = max(instances, key=lambda instance: len(instance["tokens"]))
    batch = TextBatch.of(model, [longest])
    with untouched(model, goes_back=False), torch.no_grad():
        check_finite(model, batch.ids, model.logits(model.embed(batch.tokens), batch.inputs))


def predicted_class(model: AttentionClassifier, batch: TextBatch) -> torch.Tensor:
    """Shape: (batch,)"""
    with torch.no_grad():
        return model.logits(model.embed(batch.tokens), batch.inputs).argmax(dim=-1)


# In GB: what a method may take, and what of it program and model have taken before.
MEMORY = 2.0
PROGRAM = 0.7

# Longer than any text.
ENDLESS = 2**24


def most_tokens(numbers: Callable[[int], float], bytes_a_number: float, memory: float) -> int:
    """
    The tokens of the longest text that fits.

    # Parameters

    numbers : `Callable[[int], float]`
        What the method holds for a text of the given number of tokens; grows with them.
    bytes_a_number : `float`
        With all copies that are there at once; measured.
    memory : `float`
        In GB.
    """
    if not memory > PROGRAM:
        raise InputError(
            f"memory is {memory}, but must be above {PROGRAM} GB, which program and model take"
        )
    fits, too_long = 1, ENDLESS
    while too_long - fits > 1:
        tokens = (fits + too_long) // 2
        if numbers(tokens) * bytes_a_number <= (memory - PROGRAM) * 1e9:
            fits = tokens
        else:
            too_long = tokens
    return fits


def too_long(max_tokens: int) -> str:
    """Why a method skips a text; the same for all texts, so that they can be counted."""
    return (
        f"more than {max_tokens} tokens, the most that fit into its memory (its option 'memory', "
        "in GB, allows more)"
    )


BASELINES = ("zero", "pad", "unk", "mask")


def baseline_embeddings(
    model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor, kind: str
) -> torch.Tensor:
    """
    The embeddings with every token that attention sees replaced: by zeros, or by the embedding of the
    symbol of padding, of unknown words, or of masked ones. Boundary symbols and padding stay.
    Shape: (batch, positions, embedding_dim)
    """
    scored = batch.inputs.at_positions(batch.attendable).unsqueeze(-1)
    return torch.where(scored, baseline_vector(model, embeddings, kind), embeddings.detach())


def baseline_vector(
    model: AttentionClassifier, embeddings: torch.Tensor, kind: str
) -> torch.Tensor:
    """What stands at the positions of a token that is not there. Shape: (embedding_dim,) or ()"""
    if kind == "zero":
        return embeddings.new_zeros(())
    purpose = f"baseline '{kind}' (unlike 'zero') is the embedding of a symbol"
    return model.symbol_embedding(kind, purpose)
