"""Wiegreffe & Pinter 2019, Tables 4 and 5: trained adversaries."""

from collections.abc import Iterator, Sequence

import pandas

from analysis.claims.table_rows import TypedTable, group_rows
from analysis.errors import AnalysisError
from analysis.formats import cell, markdown
from analysis.output import Output
from analysis.papers.shared.adversary_rows import (
    DOUBLED_TVD,
    KEYS,
    NO_ADVERSARY,
    SOURCE,
    AdversaryRow,
    adversary_rows,
    describe_adversaries,
    readable_adversaries,
)
from analysis.papers.shared.published import as_printed, read_published
from analysis.papers.shared.study_files import StudyFiles
from analysis.papers.wiegreffe_pinter.plane_numbers import convexity
from analysis.written import number


def true_total_variation(rows: Sequence[AdversaryRow]) -> Iterator[str]:
    """A paragraph and a table: the published values, their doubles, and ours."""
    known = [row for row in rows if pandas.notna(row.published_tvd_doubled)]
    shown = [
        {
            "corpus": row.corpus,
            "lambda": f"{row.lambda_as_published:g}",
            "TVD as published": cell(row.published_tvd_doubled / 2),
            "true TVD of theirs": cell(row.published_tvd_doubled),
            "TVD here": row.tvd,
            "JSD published": cell(row.published_jsd),
            "JSD here": row.jsd,
        }
        for _, (row, *_) in group_rows(known, "corpus", "model", "lambda_")
    ]
    if shown:
        yield (
            "**Total variation.** Wiegreffe & Pinter's code halves it once too often: the true one is twice "
            "what is published, and a lambda of theirs is half of that which weighs the true one the same."
        )
        yield markdown(pandas.DataFrame(shown))


ADVERSARIES = TypedTable("wiegreffe-pinter-table-5", AdversaryRow)
# Table 4 has the best of the adversaries with a larger mean JSD than this.
FAR = 0.4
LAMBDA = (
    "Lambda as published is half of ours: the published loss has the distance of the outputs "
    "halved, so half the weight does the same."
)
TVD = (
    "TVD: total variation distance of the outputs from the base's; published values are doubled "
    "here, as the published code halves the distance once more. JSD: of attention, in nats, at "
    "most .693."
)


def table_5(study: StudyFiles, output: Output) -> str | None:
    """Add the table of all adversaries; return a sentence on those that are left out, if any."""
    table, left_out = unfrozen(study)
    table = with_published(table)
    output.table(
        ADVERSARIES.name,
        table,
        "Adversaries by lambda: F1, distance of outputs and of attention from the base, compared with "
        f"Wiegreffe & Pinter (2019), Table 5. {describe_adversaries(table)}.",
        f"{LAMBDA} {TVD} {SOURCE}",
        readable_adversaries(table),
    )
    return left_out


def table_4(study: StudyFiles, output: Output) -> str | None:
    """Add the best distant adversary of each model; return a sentence on what is left out."""
    table, left_out = unfrozen(study)
    best = best_far(table)
    if best.empty:
        raise AnalysisError(
            f"it takes an adversary with an F1 whose attention has a JSD above {FAR} to the base's"
        )
    theirs = best_far(_theirs()).drop(columns="lambda as published")
    best = best.merge(theirs, on=KEYS, how="left", validate="many_to_one")
    output.table(
        "wiegreffe-pinter-table-4",
        best,
        f"The adversary with the best F1 among those with a JSD above {FAR}, compared with Wiegreffe & "
        f"Pinter (2019), Table 4. {describe_adversaries(best)}.",
        f"The published lambda need not be the same. {LAMBDA} {TVD} {SOURCE}",
        readable_adversaries(best),
    )
    for position, row in enumerate(best.to_dict("records")):
        output.sentence(
            f"wiegreffe-pinter-best-{position}",
            f"{row['corpus']}, {row['model']}: an adversary (lambda {row['lambda']:g}) moves "
            f"attention by a JSD of {number(row['jsd'])} while outputs move by a TVD of "
            f"{number(row['tvd'])}, with an F1 of {number(row['f1'])}.",
        )
    return left_out


def unfrozen(study: StudyFiles) -> tuple:
    """The table of adversaries without frozen ones, and a sentence on what is left out."""
    table, left_out = adversary_rows(study)
    table = table[~table["frozen"]].reset_index(drop=True)
    if table.empty:
        raise AnalysisError(f"{NO_ADVERSARY}, and that are not frozen")
    return table, left_out


def best_far(table: pandas.DataFrame) -> pandas.DataFrame:
    """The distant adversary with the best F1 of each model; ours, or the published ones."""
    jsd, f1 = ("jsd", "f1") if "jsd" in table else ("published jsd", "published f1")
    far = table[(table[jsd] > FAR) & table[f1].notna()]
    return far.loc[far.groupby(KEYS, sort=False)[f1].idxmax()].reset_index(drop=True)


def with_published(table: pandas.DataFrame) -> pandas.DataFrame:
    """Our rows, joined with the published rows of the same lambda."""
    ours = table.assign(rounded=table["lambda as published"].map("{:.4g}".format))
    theirs = _theirs()
    # Halves of decimal numbers are compared as they are printed.
    theirs["rounded"] = theirs.pop("lambda as published").map("{:.4g}".format)
    joined = ours.merge(theirs, on=[*KEYS, "rounded"], how="left", validate="many_to_one")
    return joined.drop(columns="rounded")


def _theirs() -> pandas.DataFrame:
    theirs = read_published("wiegreffe_pinter/table5_adversary")
    return pandas.DataFrame(
        {
            "corpus": theirs["corpus"],
            "encoder": "bilstm",
            "attention": "tanh",
            "projection": "softmax",
            "frozen": False,
            "lambda as published": theirs["lambda"],
            "published f1": theirs["f1"],
            DOUBLED_TVD: 2 * theirs["tvd_as_published"],
            "published jsd": theirs["jsd"],
        }
    )


def in_print() -> dict[str, pandas.DataFrame]:
    """The printed adversaries as claims read them; their F1 stands for accuracy, which is not printed."""
    theirs = _theirs().rename(
        columns={
            "published f1": "accuracy",
            DOUBLED_TVD: "tvd",
            "published jsd": "jsd",
        }
    )
    theirs["lambda"] = 2 * theirs["lambda as published"]
    curves = theirs.groupby("corpus", sort=False)
    shape = [
        {
            "corpus": corpus,
            "model": "bilstm tanh softmax",
            "frozen": False,
            "adversaries": len(rows),
            "convexity": float(convexity(rows["jsd"].to_numpy(), rows["tvd"].to_numpy())),
        }
        for corpus, rows in curves
    ]
    shape_table = pandas.DataFrame(shape).assign(encoder="bilstm", attention="tanh")
    return {
        ADVERSARIES.name: as_printed(theirs, accuracy=3, tvd=3, jsd=3),
        "wiegreffe-pinter-convexity": as_printed(shape_table, convexity=2),
    }


def published_curve(corpus: str, config_name: str) -> pandas.DataFrame:
    """The published rows of a corpus if the model is like the published one, else none."""
    theirs = _theirs()
    alike = config_name == "bilstm tanh softmax"
    return theirs[(theirs["corpus"] == corpus) & alike]
