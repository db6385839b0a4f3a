"""Texts that no reader can take. A bad line is the last of a file, after 24 good ones."""

import gzip
import json
from typing import Callable, Dict, Iterator, Tuple

from tests.faults.bad_inputs.case import (
    GOOD,
    LINES,
    METHODS,
    OUTPUT,
    RUN,
    WAYS,
    Case,
    Command,
    flipped,
    half,
    nothing,
    written,
)

DEEP = b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b', "label": "1"}'
BAD_LINES: Dict[str, bytes] = {
    "half an object": b'{"text": "a"',
    "a list": b'["a", 1]',
    "a number": b"3",
    "a string": b'"a b"',
    "null": b"null",
    "true": b"true",
    "two objects": b'{"text": "a", "label": "1"} {"text": "b", "label": "1"}',
    "single quotes": b"{'text': 'a', 'label': '1'}",
    "no field": b"{}",
    "another field": b'{"sentence": "a", "label": "1"}',
    "a number as text": b'{"text": 3, "label": "1"}',
    "null as text": b'{"text": null, "label": "1"}',
    "a list as text": b'{"text": ["a"], "label": "1"}',
    "an object as text": b'{"text": {"a": 1}, "label": "1"}',
    "an empty text": b'{"text": "", "label": "1"}',
    "a blank text": b'{"text": " \\t\\n", "label": "1"}',
    "a number as tokens": b'{"tokens": 3, "label": "1"}',
    "null among tokens": b'{"tokens": ["a", null], "label": "1"}',
    "numbers as tokens": b'{"tokens": [1, 2], "label": "1"}',
    "lists as tokens": b'{"tokens": [["a"]], "label": "1"}',
    "no tokens": b'{"tokens": [], "label": "1"}',
    "a short rationale": b'{"text": "a b", "label": "1", "rationale": [1]}',
    "a long rationale": b'{"text": "a b", "label": "1", "rationale": [1, 0, 0]}',
    "shares as rationale": b'{"text": "a b", "label": "1", "rationale": [0.9, 0]}',
    "strings as rationale": b'{"text": "a b", "label": "1", "rationale": ["x", "y"]}',
    "a number as rationale": b'{"text": "a b", "label": "1", "rationale": 1}',
    "null in a rationale": b'{"text": "a b", "label": "1", "rationale": [1, null]}',
    "a long impermissible": b'{"text": "a b", "label": "1", "impermissible": [1, 0, 0]}',
    "a string as impermissible": b'{"text": "a b", "label": "1", "impermissible": "10"}',
    "a list as label": b'{"text": "a", "label": ["1"]}',
    "an object as label": b'{"text": "a", "label": {"1": 1}}',
    "an id twice": b'{"text": "a", "label": "1", "id": "x"}\n{"text": "b", "label": "1", "id": "x"}',
    "latin-1": '{"text": "caf\xe9", "label": "1"}'.encode("latin-1"),
    "a lone byte": b'{"text": "\xff", "label": "1"}',
    "half a character in UTF-8": b'{"text": "\xed\xa0\x80", "label": "1"}',
    "nested deeply": DEEP,
    "a long number as label": b'{"text": "a", "label": ' + b"7" * 5000 + b"}",
    "a long number as id": b'{"text": "a", "label": "1", "id": ' + b"7" * 5000 + b"}",
    "a broken escape": b'{"text": "\\u12", "label": "1"}',
    "a control character": b'{"text": "a\x00b", "label": "1"}',
    "a comment": b'// {"text": "a", "label": "1"}',
    "a label twice": b'{"text": "a", "label": "1", "label": "0"}',
    "a text twice": b'{"text": "a", "label": "1", "text": "b"}',
    "NaN as label": b'{"text": "a", "label": NaN}',
    "Infinity as label": b'{"text": "a", "label": Infinity}',
    "1.0 next to 1": b'{"text": "a", "label": 1.0}',
    "true next to 1": b'{"text": "a", "label": true}',
    "padding as label": b'{"text": "a", "label": "@@PADDING@@"}',
    "the unknown word as label": b'{"text": "a", "label": "@@UNKNOWN@@"}',
    "a label with a zero-width space": b'{"text": "a", "label": "1\\u200b"}',
    "a label composed and decomposed": (
        b'{"text": "a", "label": "caf\\u00e9"}\n{"text": "b", "label": "cafe\\u0301"}'
    ),
}
BAD_FILES: Dict[str, Tuple[str, bytes]] = {
    "empty": ("bad.jsonl", b""),
    "blank lines": ("bad.jsonl", b"\n\n  \n"),
    "a byte order mark alone": ("bad.jsonl", b"\xef\xbb\xbf"),
    "UTF-16": ("bad.jsonl", GOOD.decode().encode("utf-16")),
    "UTF-32": ("bad.jsonl", GOOD.decode().encode("utf-32")),
    "zeros": ("bad.jsonl", bytes(1000)),
    "a list of objects": ("bad.jsonl", json.dumps(LINES, indent=1).encode()),
    "gzip, half": ("bad.jsonl.gz", half(gzip.compress(GOOD * 50))),
    "gzip, flipped": ("bad.jsonl.gz", flipped(gzip.compress(GOOD * 50))),
    "gzip, empty": ("bad.jsonl.gz", gzip.compress(b"")),
    "gzip, no byte": ("bad.jsonl.gz", b""),
    "a page": ("bad.jsonl", b"<html><body>404 not found</body></html>"),
    "csv without a line": ("bad.csv", b"text,label\n"),
    "csv, empty": ("bad.csv", b""),
    "csv without text": ("bad.csv", b"review,label\na b,1\n"),
    "csv without a header": ("bad.csv", b"a fine film,1\na dull film,0\n"),
    "csv with too many cells": ("bad.csv", b"text,label\na fine, very fine film,1\n"),
    "csv with too few cells": ("bad.csv", b"text,label,id\na fine film\n"),
    "csv with two texts": ("bad.csv", b"text,text,label\na fine film,a dull film,1\n"),
    "csv with two labels": ("bad.csv", b"text,label,label\na fine film,1,0\n"),
    "tsv with two ids": ("bad.tsv", b"id\ttext\tlabel\tid\nx\ta fine film\t1\ty\n"),
    "csv with an open quote": ("bad.csv", b'text,label\n"a fine film,1\n'),
    "csv, latin-1": ("bad.csv", "text,label\ncaf\xe9,1\n".encode("latin-1")),
    "csv with a zero byte": ("bad.csv", b"text,label\na\x00b,1,\n"),
    "csv with tabs": ("bad.csv", b"text\tlabel\na fine film\t1\n"),
    "csv with a blank text": ("bad.csv", b"text,label\n ,1\n"),
    "csv with a rationale of words": ("bad.csv", b"text,label,rationale\na b,1,yes no\n"),
    "csv with a huge cell": ("bad.csv", b'text,label\n"' + b"a " * 100_000 + b'",1,2,3\n'),
    "tsv with commas": ("bad.tsv", b"text,label\na fine film,1\n"),
    "tsv, gzipped, half": ("bad.tsv.gz", half(gzip.compress(b"text\tlabel\n" + b"a b\t1\n" * 999))),
    "a format that is not known": ("bad.xlsx", b"PK\x03\x04" + bytes(100)),
}  # fmt: skip
# A label is wanted only of texts that a model learns from, or is measured by.
BAD_LABELS: Dict[str, bytes] = {
    "no label": b'{"text": "a"}',
    "null as label": b'{"text": "a", "label": null}',
    "an empty label": b'{"text": "a", "label": ""}',
}
READ_BY: Dict[str, Callable[[str], Command]] = {
    "attribute": lambda data: ("allennlp", "attribute", RUN, data, *OUTPUT, *METHODS),
    "perturb": lambda data: ("allennlp", "perturb", RUN, data, *OUTPUT, *WAYS),
    "evaluate": lambda data: ("allennlp", "evaluate", RUN, data),
    "train": lambda data: (
        *("allennlp", "train", "config.json", "-s", "new"),
        *("--overrides", json.dumps({"train_data_path": data})),
    ),
}


def data_cases() -> Iterator[Case]:
    lines = {name: ("bad.jsonl", GOOD + line + b"\n") for name, line in BAD_LINES.items()}
    for command, of in READ_BY.items():
        for name, (file, content) in {**lines, **BAD_FILES}.items():
            yield Case(f"{command}, {name}", of(file), written(file, content), file)
        yield Case(f"{command}, no file", of("none.jsonl"), nothing, "none.jsonl")
        yield Case(f"{command}, a folder", of(RUN), nothing, RUN)
        loop = lambda folder: (folder / "bad.jsonl").symlink_to("bad.jsonl")  # noqa: E731
        yield Case(f"{command}, a link to itself", of("bad.jsonl"), loop, "bad.jsonl")
    for command in ("evaluate", "train"):
        for name, line in BAD_LABELS.items():
            fault = written("bad.jsonl", GOOD + line + b"\n")
            yield Case(f"{command}, {name}", READ_BY[command]("bad.jsonl"), fault, "bad.jsonl")
    alone = written("bad.jsonl", GOOD + b'{"text": "a", "label": "2"}\n')
    yield Case("train, a label with one text", READ_BY["train"]("bad.jsonl"), alone, "2")
    for command in ("evaluate", "attribute", "perturb"):
        other = written("bad.jsonl", GOOD + b'{"text": "a", "label": "other"}\n')
        yield Case(f"{command}, a label of no class", READ_BY[command]("bad.jsonl"), other, "other")
