"""The reader of the planted corpus. What the corpus is and how it is made is in `corpus`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from allennlp.data import DatasetReader, Instance

from attention_explain.data.errors import DataError
from attention_explain.data.example import PAIR_FIELDS, TEXT, Example
from attention_explain.data.pair_reader import PairReader
from attention_explain.data.planted.corpus import PlantedCorpus
from attention_explain.data.tokenizers import EnglishTokenizer
from attention_explain.errors import InputError
from attention_explain.named_components import check_choice

MASKS = ("rationale", "contrary", "distractor")


@dataclass
class PlantedExample(Example):
    """An example of the planted corpus, with the masks of outvoted opinions and distractors."""

    contrary: Sequence[int] = ()
    distractor: Sequence[int] = ()


@DatasetReader.register("planted")
class PlantedReader(PairReader):
    """
    Gives invented reviews in which it is known, token by token, what makes the label; no file is
    needed. The data path is the name of a split: `train`, `dev` or `test`. Each instance's
    metadata has, besides the `rationale`, the masks `contrary` (outvoted opinions) and `distractor`
    (the weekday of the shortcut, the
    opinions that a question does not ask for).

    Registered as a `DatasetReader` with name "planted".

    # Parameters

    preset : `str`, optional (default = `"easy"`)
        `easy`, `negation`, `conjunction`, `shortcut`; or `question`, whose instances are pairs.
    overrides : `Dict[str, Any]`, optional (default = `None`)
        Knobs to turn, as `{"max_tokens": 60}`: see `PlantedSettings`.
    corpus_seed : `int`, optional (default = `1`)
    sizes : `Dict[str, int]`, optional (default = `{"train": 2000, "dev": 400, "test": 400}`)
        A split that is not named keeps its default.
    impermissible : `str`, optional (default = `None`)
        The mask (`rationale`, `contrary` or `distractor`) that is given to the model as the
        impermissible tokens, for deceptive training.
    marked : `str`, optional (default = `"rationale"`)
        The mask that instances have as their `rationale`: `distractor` where models are known to go
        by the weekday, which is then the cause of what they say.

    All others as in `TextReader`; its `min_tokens` and `max_tokens` drop texts, while the knobs of
    the same name decide what is written.
    """

    noun = "text"
    fields = PAIR_FIELDS

    def __init__(
        self,
        preset: str = "easy",
        overrides: dict[str, Any] | None = None,
        corpus_seed: int = 1,
        sizes: dict[str, int] | None = None,
        impermissible: str | None = None,
        marked: str = "rationale",
        **kwargs,
    ) -> None:
        super().__init__(**kwargs)
        if impermissible is not None:
            check_choice("impermissible", impermissible, MASKS)
        self._marked = check_choice("marked", marked, MASKS)
        try:
            self._corpus = PlantedCorpus(preset, overrides, sizes, corpus_seed)
        except ValueError as error:
            raise InputError(str(error)) from error
        self._impermissible = impermissible
        self.pairs = self._corpus.settings.question

    def _examples(self, path: str) -> Iterator[PlantedExample]:
        try:
            sentences = self._corpus.split(path)
        except ValueError as error:
            raise DataError(str(error)) from error
        for sentence in sentences:
            yield PlantedExample(
                id=sentence.id,
                tokens=sentence.tokens,
                label=sentence.label,
                rationale=getattr(sentence, self._marked),
                impermissible=(
                    getattr(sentence, self._impermissible) if self._impermissible else None
                ),
                path=path,
                contrary=sentence.contrary,
                distractor=sentence.distractor,
                query_tokens=sentence.question or None,
            )

    def _origin(self, example: Example) -> str:
        """The tokens of the corpus are what the `english` tokenizer makes of its sentences."""
        if isinstance(example, PlantedExample) and isinstance(self._tokenizer, EnglishTokenizer):
            return TEXT
        return super()._origin(example)

    def _to_instance(self, example: Example, words: list[str]) -> Instance:
        instance = super()._to_instance(example, words)
        if isinstance(example, PlantedExample):
            metadata = instance["metadata"].metadata
            metadata["contrary"] = list(example.contrary[: self._most(words, example)])
            metadata["distractor"] = list(example.distractor[: self._most(words, example)])
        return instance
