"""Each text of a batch alone."""

from collections.abc import Iterator
from dataclasses import replace

from attention_explain.interpret.text_batch import TextBatch


def one_by_one(batch: TextBatch) -> Iterator[TextBatch]:
    """
    Each text as a batch of its own, without padding; of an indexer that gives a word several positions,
    such as word pieces, it would keep too few.
    """
    for row in range(len(batch)):
        length = int(batch.mask[row].sum())
        yield replace(
            batch,
            tokens={
                indexer: {name: ids[row : row + 1, :length] for name, ids in tensors.items()}
                for indexer, tensors in batch.tokens.items()
            },
            inputs=batch.inputs.rows(slice(row, row + 1)).trimmed(),
            seen=batch.seen[row : row + 1, :length],
            ids=batch.ids[row : row + 1],
            words=batch.words[row : row + 1],
        )
