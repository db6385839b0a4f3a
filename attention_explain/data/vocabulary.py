"""
A vocabulary by document frequency, with labels in their natural order; word frequencies of the training
data, stored with it in the archive; the words of a text that a model does not know; and the lines of
word vector files.
"""

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from allennlp.common import Tqdm
from allennlp.common.util import END_SYMBOL, START_SYMBOL, namespace_match
from allennlp.data import DatasetReader, Instance, TokenIndexer, Vocabulary
from allennlp.data.token_indexers import SingleIdTokenIndexer
from allennlp.data.vocabulary import DEFAULT_NON_PADDED_NAMESPACES
from allennlp.modules.token_embedders.embedding import EmbeddingsTextFile

from attention_explain.data.sources import local_path
from attention_explain.errors import InputError

# For `vectors_of`.
ALL_WORDS = "all"


class Split(NamedTuple):
    """The texts of one split of a training: what reads them, and where they are."""

    reader: DatasetReader
    path: str


@Vocabulary.register("document_frequency", constructor="from_documents")
class DocumentFrequencyVocabulary(Vocabulary):
    """
    AllenNLP counts the occurrences of a word; the published vocabularies count the documents that
    contain it, over the full training file, including texts that a length limit drops later.

    unigrams : the number of occurrences of each word, by its index in a namespace; stored in archives.
        Empty if the archive has none.
    """

    unigrams: dict[str, list[int]] = {}

    @classmethod
    def from_documents(
        cls,
        instances: Iterable[Instance],
        min_df: int = 1,
        reader: DatasetReader | None = None,
        data_path: str | None = None,
        max_vocab_size: int | None = None,
        tokens_to_add: dict[str, list[str]] | None = None,
        vectors_file: str | None = None,
        vectors_of: str | list[str] | None = None,
        vectors_namespace: str = "tokens",
        training_splits: dict[str, Split] | None = None,
    ) -> "DocumentFrequencyVocabulary":
        """
        Registered as a `Vocabulary` with name "document_frequency". Labels are numbered by name (by
        value where all are whole numbers), words by frequency.

        # Parameters

        instances : `Iterable[Instance]`
            Given by AllenNLP. Labels are always counted here.
        min_df : `int`, optional (default = `1`)
            The number of documents that a word must be in. Start and end symbols are always kept.
        reader : `DatasetReader`, optional
        data_path : `str`, optional
            If both are given, words are counted in what `reader` reads from `data_path` instead of
            in `instances`.
        max_vocab_size : `int`, optional
            Keep only this number of words, the most frequent; the symbols for padding, unknown words,
            start and end do not count.
        tokens_to_add : `Dict[str, List[str]]`, optional
            For each namespace, items that are always added, after the others.
        vectors_file, vectors_of : optional
            A file of word vectors, and which of its words are kept although `min_df` and the training
            texts would leave them out: those of the texts of some splits (`["train", "dev", "test"]`),
            or `"all"`. They come last, in the order of the file.
        vectors_namespace : `str`, optional (default = `"tokens"`)
            The namespace of these words.
        training_splits : `Dict[str, Split]`, optional
            Given by `allennlp train`.
        """
        if (vectors_file is None) != (vectors_of is None):
            raise InputError(
                "the vocabulary needs both `vectors_file` and `vectors_of`, or neither of them"
            )
        if (reader is None) != (data_path is None):
            raise InputError(
                "the vocabulary needs both `reader` and `data_path`, or neither of them"
            )
        counts, occurrences = _counted(instances)
        if reader is not None:
            counts = {name: counts[name] for name in counts if _is_label_namespace(name)}
            documents, occurrences = _counted(reader.read(data_path))
            counts |= {name: documents[name] for name in documents if not _is_label_namespace(name)}
        vocabulary = cls()
        for name, items in counts.items():
            if _is_label_namespace(name):
                ordered = _sorted_labels(items)
            else:
                ordered = _frequent_words(name, items, min_df, max_vocab_size)
            vocabulary.add_tokens_to_namespace(ordered, name)
        for name, added in (tokens_to_add or {}).items():
            vocabulary.add_tokens_to_namespace(added, name)
        if vectors_file is not None and vectors_of is not None:
            words = _words_with_vectors(
                vectors_file, vectors_of, vectors_namespace, training_splits or {}
            )
            vocabulary.add_tokens_to_namespace(words, vectors_namespace)
        # Where AllenNLP stores the counts that a vocabulary was built from.
        vocabulary._retained_counter = counts
        vocabulary.unigrams = {
            name: by_number(vocabulary, name, items)
            for name, items in occurrences.items()
            if not _is_label_namespace(name)
        }
        return vocabulary

    def save_to_files(self, directory: str | PathLike) -> None:
        super().save_to_files(directory)
        write_unigrams(self.unigrams, directory)

    @classmethod
    def from_files(
        cls, directory: str | PathLike, *symbols: str | None, **named: str | None
    ) -> "DocumentFrequencyVocabulary":
        vocabulary = super().from_files(directory, *symbols, **named)
        vocabulary.unigrams = read_unigrams(directory)
        return vocabulary


def _counted(instances: Iterable[Instance]) -> tuple[dict[str, Counter], dict[str, Counter]]:
    """For each namespace, the number of instances with each item, and its occurrences."""
    documents: dict[str, Counter] = defaultdict(Counter)
    occurrences: dict[str, Counter] = defaultdict(Counter)
    for instance in Tqdm.tqdm(instances, desc="building vocab"):
        in_document: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        instance.count_vocab_items(in_document)
        for name, items in in_document.items():
            documents[name].update(items.keys())
            occurrences[name].update(items)
    return dict(documents), dict(occurrences)


def _words_with_vectors(
    path: str, vectors_of: str | list[str], namespace: str, splits: Mapping[str, Split]
) -> list[str]:
    """The words of the file that the texts of these splits contain, or all of them."""
    words_of_file = (word for _, word, rest in vector_lines(path) if rest)
    if vectors_of == ALL_WORDS:
        return list(words_of_file)
    if isinstance(vectors_of, str):
        raise InputError(
            f"vectors_of is {vectors_of!r}, but must be '{ALL_WORDS}' or a list of splits, as in "
            '["train", "dev", "test"]'
        )
    texts: dict[str, int] = {}
    for name in vectors_of:
        if name not in splits:
            raise InputError(
                f"vectors_of names the split {name!r}, but the config has data for "
                f"{', '.join(map(repr, splits)) or 'none'}"
            )
        texts.update(occurrences(splits[name].reader.read(splits[name].path)).get(namespace, {}))
    return [word for word in words_of_file if word in texts]


def _is_label_namespace(name: str) -> bool:
    return any(namespace_match(pattern, name) for pattern in DEFAULT_NON_PADDED_NAMESPACES)


def _sorted_labels(labels: Iterable[str]) -> list[str]:
    try:
        return sorted(labels, key=int)
    except ValueError:
        return sorted(labels)


def _frequent_words(
    namespace: str, counts: Counter, min_df: int, max_size: int | None
) -> list[str]:
    symbols = [symbol for symbol in (START_SYMBOL, END_SYMBOL) if symbol in counts]
    words = [word for word, df in counts.items() if df >= min_df and word not in symbols]
    if not words:
        raise InputError(
            f"no item of the vocabulary's namespace '{namespace}' occurs in {min_df} documents (min_df)"
        )
    # The words break ties, so that the order of the documents does not matter.
    words.sort(key=lambda word: (-counts[word], word))
    return symbols + words[:max_size]


def unknown_words(
    words: Sequence[str], indexers: Mapping[str, TokenIndexer], vocab: Vocabulary
) -> list[int] | None:
    """
    1 for each word that is not in the vocabulary, else 0; None if an indexer uses characters or pieces
    of words, so that no word is entirely unknown.
    """
    of_words = [indexer for indexer in indexers.values() if not _is_a_number(indexer)]
    if not all(map(_one_id_per_word, of_words)):
        return None
    known = [
        (vocab.get_token_to_index_vocabulary(indexer.namespace), indexer.lowercase_tokens)
        for indexer in of_words
    ]
    return [
        int(all((word.lower() if lower else word) not in names for names, lower in known))
        for word in words
    ]


def _is_a_number(indexer: TokenIndexer) -> bool:
    """Whether it indexes a numeric attribute of tokens, such as the text of a pair, without vocabulary."""
    return type(indexer) is SingleIdTokenIndexer and indexer.namespace is None


def _one_id_per_word(indexer: TokenIndexer) -> bool:
    return type(indexer) is SingleIdTokenIndexer and indexer._feature_name == "text"


# The file of word counts. It begins with a dot, so that AllenNLP and archive hashes ignore it.
UNIGRAMS_FILE = ".unigrams.json"


def kept_unigrams(vocab: Vocabulary, namespace: str) -> list[int] | None:
    """The counts by index of the word; None if the vocabulary has none."""
    return getattr(vocab, "unigrams", {}).get(namespace)


def count_unigrams(
    vocab: Vocabulary, namespace: str, reader: DatasetReader, data: str
) -> list[int]:
    """The word counts of the texts that the reader reads from `data`."""
    instances = list(reader.read(data))
    if not instances:
        raise InputError(f"{data}: the dataset reader finds no text in it")
    for instance in instances:
        reader.apply_token_indexers(instance)
    return by_number(vocab, namespace, occurrences(instances).get(namespace, {}))


def occurrences(instances: Iterable[Instance]) -> dict[str, Counter]:
    """For each namespace, how often each item occurs."""
    counts: dict[str, Counter] = defaultdict(Counter)
    for instance in instances:
        instance.count_vocab_items(counts)
    return counts


def by_number(vocab: Vocabulary, namespace: str, counts: Mapping[str, int]) -> list[int]:
    """Counts by index; unknown words count for the unknown symbol, boundary symbols do not count."""
    numbers = [0] * vocab.get_vocab_size(namespace)
    for word, count in counts.items():
        if word in (START_SYMBOL, END_SYMBOL):
            continue
        numbers[vocab.get_token_index(word, namespace)] += count
    return numbers


def write_unigrams(unigrams: Mapping[str, list[int]], folder: str | PathLike) -> None:
    """Write the counts of words into the folder of a vocabulary."""
    (Path(folder) / UNIGRAMS_FILE).write_text(json.dumps(unigrams), "utf-8")


def read_unigrams(folder: str | PathLike) -> dict[str, list[int]]:
    """The counts of words in the folder of a vocabulary; empty if there are none."""
    path = Path(folder) / UNIGRAMS_FILE
    return json.loads(path.read_bytes()) if path.is_file() else {}


def vector_lines(path: str) -> Iterator[tuple[int, str, str]]:
    """The number, word and rest of each line of a file of word vectors (path or URL; plain, gz, zip)."""
    local_path(path)
    number = 0
    try:
        with EmbeddingsTextFile(path) as lines:
            for line in Tqdm.tqdm(lines, desc="reading word vectors"):
                number += 1
                word, _, rest = line.rstrip().partition(" ")
                yield number, word, rest
    except StopIteration as error:
        raise InputError(f"{path}: is empty") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: is not UTF-8 ({error.reason}); save the file as UTF-8"
        ) from error
    except (EOFError, zlib.error) as error:
        raise InputError(f"{path}, after line {number}: is damaged ({error})") from error
