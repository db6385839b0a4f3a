"""
How often each word of a vocabulary was in the training data, kept beside it in the archive. The
file's name begins with a dot: AllenNLP passes over it, and so do archives' hashes.
"""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Dict, Iterable, List, Mapping, Optional, Union

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import DatasetReader, Instance, Vocabulary

FILE = ".unigrams.json"


def kept_unigrams(vocab: Vocabulary, namespace: str) -> Optional[List[int]]:
    """The counts by the words' numbers; None for a vocabulary that does not know them."""
    return getattr(vocab, "unigrams", {}).get(namespace)


def count_unigrams(
    vocab: Vocabulary, namespace: str, reader: DatasetReader, data: str
) -> List[int]:
    """In what the reader reads there."""
    instances = list(reader.read(data))
    if not instances:
        raise ConfigurationError(f"{data}: the dataset reader finds no text there")
    for instance in instances:
        reader.apply_token_indexers(instance)
    return by_number(vocab, namespace, occurrences(instances).get(namespace, {}))


def occurrences(instances: Iterable[Instance]) -> Dict[str, Counter]:
    """For each namespace, how often each item occurs."""
    counts: Dict[str, Counter] = defaultdict(Counter)
    for instance in instances:
        instance.count_vocab_items(counts)
    return counts


def by_number(vocab: Vocabulary, namespace: str, counts: Mapping[str, int]) -> List[int]:
    """What the vocabulary does not know counts for its unknown word; boundary symbols are no words."""
    numbers = [0] * vocab.get_vocab_size(namespace)
    for word, count in counts.items():
        if word in (START_SYMBOL, END_SYMBOL):
            continue
        numbers[vocab.get_token_index(word, namespace)] += count
    return numbers


def write_unigrams(unigrams: Mapping[str, List[int]], folder: Union[str, Path]) -> None:
    (Path(folder) / FILE).write_text(json.dumps(unigrams), "utf-8")


def read_unigrams(folder: Union[str, Path]) -> Dict[str, List[int]]:
    """Empty where none were kept."""
    path = Path(folder) / FILE
    return json.loads(path.read_bytes()) if path.is_file() else {}
