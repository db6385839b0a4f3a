"""Wiegreffe & Pinter 2019, Tables 1 to 3: the corpora, whether attention is needed, and whether its weights help
a model that sees one token at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas

from analysis.claims.table_rows import TableRow, TypedTable, estimated, paired
from analysis.errors import AnalysisError
from analysis.model_config import ADVERSARY, GUIDED, PLAIN, UNIFORM, ModelConfig, guides_of
from analysis.output import Output
from analysis.papers.shared.families import settings_of, uniform_siblings
from analysis.papers.shared.published import OURS_SELECTED, about_config, as_printed, read_published
from analysis.papers.shared.reached import Reached, f1_by_model, guide_of
from analysis.papers.shared.study_files import StudyFiles
from analysis.performance import NOTHING
from analysis.statistics.intervals import ABOUT_INTERVALS, LEAST_SEEDS
from analysis.text_files import Attributions, load_attributions
from analysis.written import Estimate, interval_column, number

CORPORA_TABLE = "wiegreffe-pinter-table-1"
SPLITS = {"train": "train_data_path", "test": "test_data_path"}


def table_1(study: StudyFiles, output: Output) -> str | None:
    """Add the table of corpora. Nothing is left out."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for file in _files(study):
        split = _whole_split(file)
        if split is not None and (file.model.corpus, split) not in rows:
            rows[file.model.corpus, split] = _corpus_row(file, split)
    if not rows:
        raise AnalysisError(
            "it takes an attribution file of all test texts, or of all training texts, as guided models have them"
        )
    theirs = read_published("wiegreffe_pinter/table1_corpora").rename(
        columns={"published_length": "published length"}
    )
    theirs["published by class"] = [
        _by_class(counts) for counts in zip(theirs["negative"], theirs["positive"])
    ]
    theirs["published texts"] = theirs.pop("negative") + theirs.pop("positive")
    table = pandas.DataFrame(rows.values()).merge(
        theirs, on=["corpus", "split"], how="left", validate="one_to_one"
    )
    table = table.astype({"published length": "Int64", "published texts": "Int64"})
    table["order"] = table["split"].map(list(SPLITS).index)
    table = table.sort_values(["corpus", "order"], kind="stable", ignore_index=True)
    columns = ["corpus", "split", "published length", "length", "published texts", "texts"]
    columns += ["published by class", "by class"]
    output.table(
        CORPORA_TABLE,
        table.drop(columns="order"),
        "The corpora: mean length of the texts in tokens, and how many there are, compared with Wiegreffe & Pinter (2019), "
        f"Table 1. {', '.join(dict.fromkeys(table['corpus']))}.",
        "By class: in the order of the labels, negative first. Ours without the symbols at both ends of a text, and "
        "without the texts that the limits of length drop. Published: as Jain & Wallace (2019) print them, Table 1, "
        "whose splits these are; one length for train and test.",
        table[columns],
    )
    return None


def _files(study: StudyFiles) -> Iterator[Attributions]:
    """The attribution files; then the guides of guided models, once per corpus."""
    for model in study.models:
        yield model.files[0]
    seen: list[str] = []
    for run in study.runs:
        paths = [Path(guide).expanduser() for guide in guides_of(run.config)]
        if paths and run.model.corpus not in seen and all(path.is_file() for path in paths):
            seen.append(run.model.corpus)
            yield from map(load_attributions, paths)


def _whole_split(file: Attributions) -> str | None:
    """The split that the file covers completely; None if texts are missing or it is another split."""
    kept = file.metadata.get("texts", {}).get("kept", len(file.table))
    config = file.metadata["config"]
    for split, setting in SPLITS.items():
        if setting in config and file.metadata.get("data") == config[setting]:
            return split if len(file.table) == kept else None
    return None


def _corpus_row(file: Attributions, split: str) -> dict[str, Any]:
    counts = file.table["label"].value_counts()
    return {
        "corpus": file.model.corpus,
        "split": split,
        "texts": len(file.table),
        "length": float(file.table["tokens"].map(len).mean()),
        "by class": _by_class([counts[label] for label in sorted(counts.index)]),
    }


def _by_class(counts: Any) -> str:
    return " / ".join(f"{int(count)}" for count in counts)


# The model that sees one token at a time.
TOKEN_LEVEL = "affine"
# The model of their Table 2.
PUBLISHED = "bilstm tanh softmax"
GUIDES = ("uniform", "trained MLP", "base LSTM", "adversary")
# The guides that others are compared with, by pairs of one seed.
LESS = ("uniform", "trained MLP", "adversary")
INTERVALS = f"{ABOUT_INTERVALS} They need attribution files."


@dataclass(frozen=True, kw_only=True)
class UniformRow(TableRow):
    """The drop of F1 from learned to uniform attention."""

    drop: Estimate = estimated("drop", difference=True)


@dataclass(frozen=True, kw_only=True)
class GuideRow(TableRow):
    """
    A token-level model with guided, learned or uniform attention.

    guide : the source of its attention.
    f1 : its F1.
    less_uniform, less_trained_mlp, less_adversary : its F1 less theirs, by pairs of one seed.
    """

    guide: str
    f1: Estimate = estimated(mean="f1")
    less_uniform: Estimate | None = paired("less uniform")
    less_trained_mlp: Estimate | None = paired("less trained MLP")
    less_adversary: Estimate | None = paired("less adversary")

    def less(self, guide: str) -> Estimate | None:
        """The difference to the row of this kind of guide, if the table has it."""
        return {
            "uniform": self.less_uniform,
            "trained MLP": self.less_trained_mlp,
            "adversary": self.less_adversary,
        }.get(guide)


UNIFORM_TABLE = TypedTable("wiegreffe-pinter-table-2", UniformRow)
GUIDES_TABLE = TypedTable("wiegreffe-pinter-table-3", GuideRow)


def table_2(study: StudyFiles, output: Output) -> str | None:
    """Add the table of learned and uniform attention, and one sentence per row."""
    models = f1_by_model(study)
    rows = [
        _compared(base, uniform)
        for base in models
        if base.config.role == PLAIN
        for uniform in uniform_siblings(base.config, models)
    ]
    if not rows:
        raise AnalysisError("it takes a plain model and a uniform one of one corpus and encoder")
    theirs = read_published("wiegreffe_pinter/table2_uniform").rename(
        columns={"f1_base": "published base", "f1_uniform": "published uniform"}
    )
    theirs = theirs.drop(columns="f1_reported_by_jain_wallace").assign(model=PUBLISHED)
    theirs["published drop"] = theirs["published base"] - theirs["published uniform"]
    table = pandas.DataFrame(rows).astype({"n": "Int64"})
    table = table.merge(theirs, how="left", validate="many_to_one")
    shown = table.assign(interval=interval_column(table, "drop"))
    columns = ["corpus", "model", "published base", "base", "published uniform", "uniform"]
    columns += ["published drop", "drop", "interval", "seeds", "n", "selected on"]
    output.table(
        UNIFORM_TABLE.name,
        table,
        "F1 of models with learned and with uniform attention, compared with Wiegreffe & Pinter (2019), "
        f"Table 2. {_about(table)}.",
        "Drop: what the model loses without attention; where its interval has 0 in it, attention "
        f"is of no use that could be seen. {INTERVALS} Published: BiLSTM with tanh and softmax, "
        f"selected on the test set. {OURS_SELECTED}",
        shown[columns],
    )
    for position, row in enumerate(rows):
        output.sentence(f"wiegreffe-pinter-uniform-{position}", _finding(row))
    return None


def table_3(study: StudyFiles, output: Output) -> str | None:
    """Add the table of guided models. Nothing is left out."""
    models = [model for model in f1_by_model(study) if model.config.encoder == TOKEN_LEVEL]
    rows = [row for model in models if (row := _guided(model, models)) is not None]
    if not any(row["role"] == GUIDED for row in rows):
        raise AnalysisError(
            "it takes the run folder of a guided model with the encoder `affine` (its reader has "
            "`guide`)"
        )
    theirs = _published_guides().rename(columns={"f1": "published"}).drop(columns="model")
    table = pandas.DataFrame(rows).astype({"n": "Int64"})
    table = table.merge(theirs, how="left", validate="many_to_one")
    order = {name: position for position, name in enumerate(GUIDES)}
    table["position"] = table["guide"].map(order).fillna(len(order))
    table = table.sort_values(["corpus", "position"], kind="stable", ignore_index=True)
    shown = table.assign(interval=interval_column(table))
    output.table(
        GUIDES_TABLE.name,
        table.drop(columns="position"),
        "F1 of a token-level model under attention of different origin, compared with Wiegreffe & Pinter "
        f"(2019), Table 3. {_about(table)}.",
        "Uniform: the same weight for each token; trained MLP: its own, learned; base LSTM and "
        "adversary: the weights of that model, given. Weights that help another model say "
        f"something of the tokens themselves. {INTERVALS} Guided models have no attribution file: "
        "their interval is Student's over the seeds alone, on these texts, and with fewer than "
        f"{LEAST_SEEDS} there is none; a seed is one of the model and of its guide. {OURS_SELECTED}",
        shown[["corpus", "guide", "published", "f1", "interval", "seeds", "selected on"]].rename(
            columns={"f1": "ours"}
        ),
    )
    return None


def in_print() -> dict[str, pandas.DataFrame]:
    """The printed F1 as claims read it."""
    uniform = read_published("wiegreffe_pinter/table2_uniform")
    uniform["drop"] = uniform["f1_base"] - uniform["f1_uniform"]
    uniform = uniform.assign(model=PUBLISHED, encoder="bilstm")
    guides = _published_guides()
    return {
        UNIFORM_TABLE.name: as_printed(uniform, drop=3),
        GUIDES_TABLE.name: as_printed(guides.assign(mean=guides["f1"]), mean=3),
    }


def _published_guides() -> pandas.DataFrame:
    theirs = read_published("wiegreffe_pinter/table3_guides")
    names = {"trained_mlp": "trained MLP", "base_lstm": "base LSTM"}
    return theirs.assign(guide=theirs["guide"].replace(names), model=TOKEN_LEVEL)


def guide_name(config: ModelConfig) -> str:
    """The name of the model whose attention guides this one."""
    guide = guide_of(config)
    if guide is None:
        return "not known: the file is gone"
    if guide.role == ADVERSARY and not settings_of(guide).frozen:
        return "adversary"
    return "base LSTM" if (guide.role, guide.encoder) == (PLAIN, "bilstm") else guide.name


def _compared(base: Reached, uniform: Reached) -> dict[str, Any]:
    return {
        **about_config(base.config, "corpus", "model", "encoder", "protocol"),
        **base.estimate.columns("base"),
        **uniform.estimate.columns("uniform"),
        **base.less(uniform).columns("drop"),
        "seeds": f"{base.seeds} and {uniform.seeds}",
        "n": base.n,
        **about_config(base.config, "selected on"),
        NOTHING: base.nothing,
    }


NAMES = {UNIFORM: "uniform", PLAIN: "trained MLP"}


def _guide_of_model(model: Reached) -> str | None:
    """The source of its attention; None for models of other roles."""
    if model.config.role not in (*NAMES, GUIDED):
        return None
    return NAMES.get(model.config.role) or guide_name(model.config)


def _guided(model: Reached, models: Sequence[Reached]) -> dict[str, Any] | None:
    config, guide = model.config, _guide_of_model(model)
    if guide is None:
        return None
    less: dict[str, float] = {}
    for other in models:
        name = _guide_of_model(other)
        if name in LESS and other is not model and other.config.corpus == config.corpus:
            difference = model.less_by_seed(other)
            title = f"less {name}"
            less |= {**difference.columns(title), f"{title} df": difference.df}
    return {
        **about_config(config, "corpus", "model", "role", "protocol"),
        "guide": guide,
        "f1": model.f1,
        "low": model.estimate.low,
        "high": model.estimate.high,
        "seeds": model.seeds,
        "n": model.n,
        **about_config(config, "selected on"),
        **less,
        NOTHING: model.nothing,
    }


def _finding(row: dict[str, Any]) -> str:
    return (
        f"{row['corpus']}, {row['model']}: F1 is {number(row['base'])} with learned and "
        f"{number(row['uniform'])} with uniform attention: it loses {Estimate.of(row, 'drop')} without."
    )


def _about(table: pandas.DataFrame) -> str:
    """Data, models and n, for captions."""
    parts: list[str] = []
    for corpus, rows in table.groupby("corpus", sort=False):
        known = rows["n"].dropna()
        texts = f" ({int(known.max())} texts)" if len(known) else ""
        parts.append(f"{corpus}{texts}: {', '.join(dict.fromkeys(rows['model']))}")
    return "; ".join(parts)
