"""AG's news topics of Zhang et al. (2015), as the csv files its authors publish."""

from collections.abc import Iterator
from typing import Any

from allennlp.data import DatasetReader

from attention_explain.data.errors import DataError
from attention_explain.data.example import Example
from attention_explain.data.sources import numbered_rows
from attention_explain.data.text_reader import TextReader
from attention_explain.errors import InputError

# The classes that the files write as 1 to 4.
CLASSES = ["World", "Sports", "Business", "Sci/Tech"]
COLUMNS = ("class index", "title", "description")


@DatasetReader.register("ag_news_csv")
class AgNewsCsvReader(TextReader):
    """
    Reads `train.csv` and `test.csv` (plain or gzip, from a path or URL): class index, title and
    description, without header line. The id is the line: `line-7`.

    The files write a line break as a backslash (not as `\\n`, in spite of their readme), and some
    dollar signs as `\\$`. Here every backslash becomes a space. Other traces of HTML (`#39;`,
    `&lt;b&gt;`) stay as they are.

    Registered as a `DatasetReader` with name "ag_news_csv".

    # Parameters

    classes : `List[str]`, optional (default = all)
        Which of `World`, `Sports`, `Business` and `Sci/Tech` to read. Their order gives the labels:
        0 for the first, 1 for the second. The others are dropped and counted.
    include_title : `bool`, optional (default = `False`)
        Whether the text begins with the title. The published experiments read the description only.
    keep_backslashes : `bool`, optional (default = `False`)
        Leave the backslashes as they are, as the published experiments did.
    labels : `Dict[str, str]`, optional
        Another map from the classes, instead of that of `classes`.

    All others as in `TextReader`.
    """

    def __init__(
        self,
        classes: list[str] = CLASSES,
        include_title: bool = False,
        keep_backslashes: bool = False,
        labels: dict[str, Any] | None = None,
        **kwargs,
    ) -> None:
        unknown = sorted(set(classes) - set(CLASSES))
        if unknown or len(set(classes)) != len(classes):
            raise InputError(
                f"classes must name different ones of {', '.join(CLASSES)}, not {classes}"
            )
        if labels is None:
            labels = dict.fromkeys(CLASSES)
            labels.update({name: str(index) for index, name in enumerate(classes)})
        super().__init__(labels=labels, **kwargs)
        self._include_title = include_title
        self._keep_backslashes = keep_backslashes

    def _examples(self, path: str) -> Iterator[Example]:
        for number, row in numbered_rows(path):
            if len(row) != len(COLUMNS):
                raise DataError(
                    f"has {len(row)} columns, but must have {len(COLUMNS)}: {', '.join(COLUMNS)}",
                    path,
                    number,
                )
            index, title, description = row
            if index not in ("1", "2", "3", "4"):
                raise DataError(
                    f"column 'class index' is {index!r}, but must be 1, 2, 3 or 4", path, number
                )
            text = f"{title} {description}" if self._include_title else description
            yield Example(
                id=f"line-{number}",
                text=text if self._keep_backslashes else text.replace("\\", " "),
                label=CLASSES[int(index) - 1],
                path=path,
                line=number,
            )
