"""What the Python interface returns: explanations, faithfulness scores and verdicts that print and save themselves."""

import math
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Union, overload

import numpy
import pyarrow

from attention_explain.errors import InputError
from attention_explain.files import attributions, faithfulness
from attention_explain.files.atomic import check_new
from attention_explain.files.tables import TableFormat
from attention_explain.heatmaps.explanation import Explanation, explanations
from attention_explain.heatmaps.html_page import card, legend, style

if TYPE_CHECKING:
    import pandas
    from allennlp.data import Instance
    from allennlp.models import Model
    from matplotlib.figure import Figure

    from analysis.verdict.verdict import Verdict
    from attention_explain.named_components import ComponentConfig

# The smallest number of texts with an interval of their mean.
LEAST_TEXTS = 3
# The number of texts that a notebook shows of several explanations.
SHOWN = 5


class _Table:
    """
    The content of a parquet file.

    # Parameters

    table : `pyarrow.Table`
    metadata : `Dict[str, Any]`
    path : `Path`, optional
        The file, if there is one.
    """

    format: TableFormat

    def __init__(
        self, table: pyarrow.Table, metadata: dict[str, Any], path: Path | None = None
    ) -> None:
        self.table = table
        self.metadata = metadata
        self._path = path
        self._folder: TemporaryDirectory | None = None

    def save(self, path: str | Path, force: bool = False) -> None:
        """
        Write the file that the command writes.

        # Parameters

        path : `str` or `Path`
            A `.parquet` file.
        force : `bool`, optional (default = `False`)
            Whether an existing file is replaced.
        """
        path = Path(path)
        if path.suffix.lower() != ".parquet":
            raise InputError(f"{path}: the output is a parquet file; call it *.parquet")
        check_new(path, force)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.format.write(self.table, self.metadata, path)
        self._path = path

    def _file(self) -> Path:
        """A file with the content, which exists as long as this object."""
        if self._path is None or not self._path.exists():
            self._folder = TemporaryDirectory(prefix="attention_explain-")
            self._path = Path(self._folder.name) / f"{self.format.name}.parquet"
            self.format.write(self.table, self.metadata, self._path)
        return self._path


class Explanations(_Table):
    """
    Explained texts: a sequence of `Explanation`s with the content of an attribution file. Returned by
    `LoadedModel.attribute` and by `read`.

    # Parameters

    table, metadata, path : as of the file
    evaluate : `Callable`
        Makes the `Evaluations`.
    model, texts : optional
        What was explained.
    explained : optional
        The model as methods see it, and the instances.
    """

    format = attributions.FORMAT

    def __init__(
        self,
        table: pyarrow.Table,
        metadata: dict[str, Any],
        path: Path | None,
        evaluate: Callable[..., "Evaluations"],
        model: Any = None,
        texts: Any = None,
        explained: tuple["Model", Sequence["Instance"]] | None = None,
    ) -> None:
        super().__init__(table, metadata, path)
        self._evaluate = evaluate
        self._model = model
        self._texts = texts
        self._explained = explained

    @property
    def methods(self) -> list[str]:
        """The names of the methods."""
        return list(self.metadata["interpreters"])

    @property
    def labels(self) -> list[str]:
        """The labels of the model."""
        return list(self.metadata["labels"])

    @property
    def left_out(self) -> dict[str, str]:
        """Default methods that the model does not support, with reasons."""
        return dict(self.metadata.get("left_out", {}))

    def __len__(self) -> int:
        return self.table.num_rows

    @overload
    def __getitem__(self, index: int) -> Explanation: ...

    @overload
    def __getitem__(self, index: slice) -> list[Explanation]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Explanation, list[Explanation]]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        (row,) = self.table.slice(position, 1).to_pylist()
        (explanation,) = explanations([row], self.metadata)
        if self._explained is None:
            return explanation
        from attention_explain.explained import Explained

        model, instances = self._explained
        return Explained.of(explanation, model, instances[position], self._seed)

    def __iter__(self) -> Iterator[Explanation]:
        return (self[position] for position in range(len(self)))

    def __repr__(self) -> str:
        number = "1 text" if len(self) == 1 else f"{len(self)} texts"
        return f"<Explanations: {number} by {', '.join(self.methods)}>"

    def _repr_html_(self) -> str:
        cards = "".join(map(card, self[:SHOWN]))
        more = len(self) - SHOWN
        rest = f"<p class=about>and {more} more</p>" if more > 0 else ""
        return (
            f"<div class=ae><style>{style()}</style><p>{escape(repr(self)[1:-1])}</p>{cards}{rest}"
            f"{legend()}</div>"
        )

    def to_frame(self, by: str = "text") -> "pandas.DataFrame":
        """
        A data frame.

        # Parameters

        by : `str`, optional (default = `"text"`)
            `text`: the columns of the file, one row per text. `token`: one row per token, with its
            position and one column of scores per method.
        """
        import pandas

        if by == "text":
            return self.table.to_pandas()
        if by != "token":
            raise InputError(f"by is {by!r}, but must be 'text' or 'token'")
        frames = [
            pandas.DataFrame(
                {
                    "id": each.id,
                    "position": range(len(each.tokens)),
                    "token": each.tokens,
                    "predicted": each.label,
                    "target": each.target or each.label,
                    **{name: each.scores[name] or numpy.nan for name in self.methods},
                }
            )
            for each in explanations(self.table.to_pylist(), self.metadata)
        ]
        return pandas.concat(frames, ignore_index=True)

    def top_words(
        self,
        label: str,
        method: str | None = None,
        number: int = 20,
        least: int = 3,
        lowercase: bool = True,
    ) -> "pandas.DataFrame":
        """
        The words with the largest scores for a label over all texts in which that label is explained. The
        scores of a text are divided by the sum of their magnitudes, so that all texts count the same; a word
        that occurs several times in a text has the sum of its scores there.

        # Parameters

        label : `str`
        method : `str`, optional (default = the first method that is not random)
        number : `int`, optional (default = `20`)
            The number of words.
        least : `int`, optional (default = `3`)
            The smallest number of texts with the word. With fewer than three texts there is no interval.
        lowercase : `bool`, optional (default = `True`)
            Whether words that differ in case are one word.

        # Returns

        A row per word, sorted by the lower end of the interval: `word`, `mean` share of the scores of a text,
        95 % interval over texts (`low`, `high`), and the number of `texts` with the word.
        """
        import pandas

        from analysis.statistics.intervals import student_interval

        if label not in self.labels:
            raise InputError(
                f"label is {label!r}, which is not one of the labels: {', '.join(self.labels)}"
            )
        if method is None:
            method = next((name for name in self.methods if name != "random"), self.methods[0])
        if method not in self.methods:
            raise InputError(
                f"method is {method!r}, which is not one of the methods: {', '.join(self.methods)}"
            )
        shares: dict[str, list[float]] = defaultdict(list)
        for each in explanations(self.table.to_pylist(), self.metadata):
            scores = each.scores[method]
            total = sum(map(abs, scores or ()))
            if scores is None or total == 0 or (each.target or each.label) != label:
                continue
            of_text: dict[str, float] = defaultdict(float)
            for token, score in zip(each.tokens, scores, strict=True):
                of_text[token.lower() if lowercase else token] += score / total
            for word, share in of_text.items():
                shares[word].append(share)
        rows = []
        for word, of_word in shares.items():
            count, mean = len(of_word), float(numpy.mean(of_word))
            if count < least:
                continue
            low = high = math.nan
            if count >= LEAST_TEXTS:
                low, high = student_interval(mean, float(numpy.std(of_word, ddof=1)), count)
            rows.append({"word": word, "mean": mean, "low": low, "high": high, "texts": count})
        columns = ["word", "mean", "low", "high", "texts"]
        frame = pandas.DataFrame(rows, columns=columns)
        frame = frame.sort_values(["low", "mean"], ascending=False)
        return frame.head(number).reset_index(drop=True)

    def evaluate(
        self,
        measures: Sequence["ComponentConfig"] | None = None,
        methods: Sequence[str] | None = None,
        removal: Sequence["ComponentConfig"] | None = None,
        save: str | Path | None = None,
        model: Any = None,
        texts: Any = None,
        progress: bool = True,
        **options: Any,
    ) -> "Evaluations":
        """
        Measure how faithful the scores are to the model, as `allennlp faithfulness` does.

        # Parameters

        measures : `Sequence`, optional (default = those of the command)
            Names or configs of measures.
        methods : `Sequence[str]`, optional (default = all)
        removal : `Sequence`, optional (default = those of `delete`, `zero`, `unk` and `mask` that the model supports)
            Names or configs of removal methods.
        save : `str` or `Path`, optional
            The parquet file to write. Work that was interrupted continues with the same call.
        model, texts : optional (default = those that were explained)
            For explanations that were read from a file: the model or its path, and the texts or the path
            of the data. By default both are read from the paths in the file.
        progress : `bool`, optional (default = `True`)
            Whether there is a progress bar.
        options : `Any`
            `by`, `random_orders`, `search`, `seed`, `batch_tokens`, `force`, as of the command.
        """
        chosen = {"measures": measures, "methods": methods, "removal": removal}
        model = model if model is not None else self._model or self.metadata["archive"]
        given = texts if texts is not None else self._texts
        given = Path(self.metadata["data"]) if given is None else given
        return self._evaluate(
            self._file(), model, given, save=save, progress=progress, **chosen, **options
        )

    @property
    def _seed(self) -> int:
        return next(iter(self.metadata.get("seeds", {}).values()), 0) or 0


class Evaluations(_Table):
    """
    Measures of faithfulness of explanations, with the content of a faithfulness file. Returned by
    `Explanations.evaluate` and by `read`. Evaluations are 0 for a random order of words and 1 for the best order
    found.
    """

    format = faithfulness.FORMAT

    @property
    def methods(self) -> list[str]:
        """The names of the methods."""
        return list(self.metadata["methods"])

    @property
    def measures(self) -> list[str]:
        """The names of the measures."""
        return list(self.metadata["measures"])

    def to_frame(self) -> "pandas.DataFrame":
        """The rows of the file: one per text, method, measure and removal method."""
        return self.table.to_pandas()

    @cached_property
    def _scores(self) -> "pandas.DataFrame":
        import pandas

        from analysis.faithfulness.scale import measured, rows_of
        from analysis.models import Model
        from analysis.text_files import FaithfulnessFile

        file = FaithfulnessFile(self._file(), self.to_frame(), self.metadata)
        rows = [row for each in measured(Model("", (file,))) for row in rows_of(each)]
        frame = pandas.DataFrame(rows)
        about = self.metadata["measures"]
        main = [name for name in about if about[name].get("of", name) == name]
        shown = frame["score"].notna() & frame["method"].isin(self.methods)
        frame = frame[shown & frame["k"].isna() & frame["measure"].isin(main)]
        names = {"erasure": "removal", "score low": "low", "score high": "high"}
        frame = frame.drop(columns=["low", "high"]).rename(columns=names)
        columns = ["measure", "removal", "method", "score", "low", "high", "texts"]
        return frame[columns].reset_index(drop=True)

    def summary(self) -> "pandas.DataFrame":
        """
        The faithfulness scores: one row per measure, removal method and method, with the 95 % interval over
        texts (`low`, `high`) and the number of texts. Measures without a scale are left out.
        """
        return self._scores.copy()

    def __repr__(self) -> str:
        return f"<Evaluations: {', '.join(self.measures)} of {', '.join(self.methods)}>"

    def __str__(self) -> str:
        if self._scores.empty:
            return repr(self)
        return self._scores.to_string(index=False, float_format="{:.3f}".format)

    def _repr_html_(self) -> str:
        if self._scores.empty:
            return f"<p>{escape(repr(self))}</p>"
        return _svg(self.plot(), "Faithfulness scores")

    def plot(self, measures: Sequence[str] | None = None) -> "Figure":
        """
        The faithfulness scores of all methods, with 95 % intervals over texts; a panel per measure.

        # Parameters

        measures : `Sequence[str]`, optional (default = all with a scale)
        """
        from analysis.figures.dots import Dot, dots
        from analysis.written import Estimate

        frame = self._scores
        if measures is not None:
            frame = frame[frame["measure"].isin(measures)]
        if frame.empty:
            raise InputError(
                "there is no faithfulness score to plot: no measure has a scale from random to best"
            )
        marks = [
            Dot(
                row["measure"],
                row["method"],
                row["removal"] or "",
                Estimate(row["score"], row["low"], row["high"]),
            )
            for row in frame.to_dict("records")
        ]
        return dots(marks, "faithfulness score")


class AttentionVerdict:
    """
    The answer to the question whether attention can be trusted as the explanation of a model. Returned by
    `LoadedModel.verdict` and by `read`.

    # Parameters

    folder : `Path`
        The folder of a verdict.
    kept : optional
        What has to exist as long as the verdict.
    """

    def __init__(self, folder: Path, kept: Any = None) -> None:
        self._folder = folder
        self._kept = kept

    @cached_property
    def details(self) -> "Verdict":
        """All findings, numbers and intervals."""
        from analysis.verdict.verdict import verdict_on

        return verdict_on(self._folder)

    @property
    def answer(self) -> str:
        """`yes`, `no`, `partly` or `inconclusive`."""
        return str(self.details.answer)

    @property
    def recommended(self) -> str | None:
        """The method to show; None if none can be recommended."""
        return self.details.recommended.method

    @property
    def headline(self) -> str:
        """The answer in a sentence."""
        return self.details.headline

    @property
    def next_step(self) -> str:
        """What to do next, in a sentence."""
        return self.details.next_step

    def to_frame(self) -> "pandas.DataFrame":
        """One row per method, the best first: faithfulness score with its 95 % interval, direction and cost."""
        import pandas

        from analysis.verdict.text import direction_of

        return pandas.DataFrame(
            [
                {
                    "method": each.name,
                    "score": each.score.mean,
                    "low": each.score.low,
                    "high": each.score.high,
                    "direction": direction_of(each),
                    "cost": each.cost,
                    "group": each.group,
                }
                for each in self.details.methods
            ]
        )

    def plot(self) -> "Figure":
        """The faithfulness scores of all methods, the best on top."""
        from analysis.figures.dots import Dot, dots

        if not self.details.methods:
            raise InputError(f"there is nothing to plot: {self.details.nothing}")
        marks = [Dot("", each.name, "", each.score) for each in self.details.methods]
        return dots(marks, "faithfulness score")

    def save(self, folder: str | Path) -> None:
        """
        Write the folder that `allennlp verdict` writes.

        # Parameters

        folder : `str` or `Path`
            A new folder.
        """
        if Path(folder).exists():
            raise InputError(f"{folder}: exists already; give the name of a new folder")
        shutil.copytree(self._folder, folder)

    def __repr__(self) -> str:
        return f"<AttentionVerdict: {self.headline}>"

    def __str__(self) -> str:
        from analysis.verdict.text import lines

        return "\n".join(lines(self.details, self._folder / "verdict.html"))

    def _repr_html_(self) -> str:
        from analysis.pages.style import STYLE
        from analysis.verdict.block import BLOCK_STYLE, summary_block

        block = summary_block(self.details, "verdict", "h3", with_links=False)
        # Only inside this output: the rest of the notebook keeps its style.
        return (
            f"<div class=ae-verdict><style>@scope (.ae-verdict) {{ {STYLE}{BLOCK_STYLE} }}</style>"
            f"<div class='verdict page'>{block}</div></div>"
        )


def _svg(figure: "Figure", label: str) -> str:
    from analysis.figure_files import saved
    from analysis.pages.svg import inlined

    return f"<div>{inlined(saved(figure, 'svg'), f'ae{id(figure)}', label, label)}</div>"
