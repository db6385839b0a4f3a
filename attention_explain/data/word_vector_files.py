"""Text files of word vectors: a word and its numbers per line."""

import zlib
from typing import Iterator, Tuple

from allennlp.common import Tqdm
from allennlp.modules.token_embedders.embedding import EmbeddingsTextFile

from attention_explain.data.sources import local_path
from attention_explain.errors import InputError


def vector_lines(path: str) -> Iterator[Tuple[int, str, str]]:
    """The number of each line, its word, and the rest of it, for a path or URL (plain, gz or zip)."""
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
