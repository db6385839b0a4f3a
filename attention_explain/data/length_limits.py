"""Which texts are kept by their length, and what is counted of the others."""

from typing import Iterable, Iterator, List, Optional, Tuple

from allennlp.common.checks import ConfigurationError

from attention_explain.data.example import Example
from attention_explain.data.sources import ReadCounts
from attention_explain.named_components import check_choice

TOO_LONG = ("drop", "cut")


class LengthLimits:
    """Parameters as those of the readers. `cut_to` : to how many tokens texts are cut; None if not."""

    def __init__(
        self,
        min_tokens: Optional[int],
        max_tokens: Optional[int],
        too_long: str,
        drop_shortest: bool,
        drop_longest: bool,
    ) -> None:
        if min_tokens is not None and min_tokens < 1:
            raise ConfigurationError(f"min_tokens is {min_tokens}, but must be 1 or more")
        if min_tokens is not None and max_tokens is not None and min_tokens > max_tokens:
            raise ConfigurationError(
                f"min_tokens ({min_tokens}) is larger than max_tokens ({max_tokens})"
            )
        check_choice("too_long", too_long, TOO_LONG)
        if too_long == "cut" and (max_tokens is None or max_tokens < 1):
            raise ConfigurationError("too_long 'cut' needs a max_tokens of 1 or more to cut to")
        self.cut_to = max_tokens if too_long == "cut" else None
        self._min_tokens = min_tokens
        self._longest = max_tokens if self.cut_to is None else None
        self._drop_shortest = drop_shortest
        self._drop_longest = drop_longest

    def kept(
        self, examples: Iterable[Tuple[Example, List[str]]], counts: ReadCounts, noun: str
    ) -> Iterator[Tuple[Example, List[str]]]:
        """
        The examples of a file, with their words, that the limits keep; the others are counted by
        reason. `noun` : what an example is called, for messages.
        """
        shortest, longest = self._min_tokens or 0, self._longest
        if self._drop_shortest or self._drop_longest:
            examples = list(examples)
            lengths = [len(words) for _, words in examples] or [0]
            if self._drop_shortest:
                shortest = max(min(lengths) + 1, shortest)
            if self._drop_longest:
                longest = min([max(lengths) - 1] + ([] if longest is None else [longest]))
        for example, words in examples:
            if not words and self._min_tokens is None:
                raise example.error(
                    f"the {noun} is empty (set min_tokens to 1 or more to drop such texts)"
                )
            elif len(words) < shortest:
                counts.dropped[f"with fewer than {shortest} tokens"] += 1
            elif longest is not None and len(words) > longest:
                counts.dropped[f"with more than {longest} tokens"] += 1
            else:
                yield example, words
