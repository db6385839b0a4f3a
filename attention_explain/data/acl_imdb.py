"""The Large Movie Review Dataset of Maas et al. (2011), as its folders or its archive."""

import re
from collections.abc import Iterator
from typing import Any

from allennlp.data import DatasetReader

from attention_explain.data.errors import DataError
from attention_explain.data.example import Example
from attention_explain.data.folders import folder_name, text_files
from attention_explain.data.text_reader import TextReader

FOLDERS = ("neg", "pos")
FILE_NAME = re.compile(r"([0-9]+_[0-9]+)\.txt")
# The reviews are HTML in this one respect.
LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


@DatasetReader.register("acl_imdb")
class AclImdbReader(TextReader):
    """
    Reads the reviews in the folders `pos` and `neg` of a folder such as `aclImdb/train`, each in a
    file `<number>_<rating>.txt`. The folder may be inside the tar archive, given by path or URL:
    `aclImdb_v1.tar.gz!aclImdb/train`. Ids are like `train/pos/0_9`; negative and positive reviews
    alternate, in the order of their numbers. `<br />` becomes a space.

    Registered as a `DatasetReader` with name "acl_imdb".

    # Parameters

    labels : `Dict[str, str]`, optional (default = `{"neg": "0", "pos": "1"}`)

    All others as in `TextReader`.
    """

    def __init__(self, labels: dict[str, Any] | None = None, **kwargs) -> None:
        super().__init__(labels=labels or {"neg": "0", "pos": "1"}, **kwargs)

    def _examples(self, path: str) -> Iterator[Example]:
        split = folder_name(path)
        for file in text_files(path, FOLDERS):
            name = FILE_NAME.fullmatch(file.name)
            if name is None:
                raise DataError("is not named <number>_<rating>.txt as a review is", file.path)
            try:
                text = file.content.decode("utf-8")
            except UnicodeDecodeError as error:
                raise DataError(f"is not UTF-8 ({error.reason})", file.path) from error
            yield Example(
                id=f"{split}/{file.folder}/{name.group(1)}",
                text=LINE_BREAK.sub(" ", text),
                label=file.folder,
                path=file.path,
            )
