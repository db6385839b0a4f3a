"""The value of each text, as a parquet file, for whoever wants to go on from there."""

import io
from typing import Sequence

import numpy
import pandas
import pyarrow

from analysis.agreement.agreements import CONTROLS, Agreement
from durable.sealed import write_sealed


def instances(agreed: Sequence[Agreement]) -> pandas.DataFrame:
    """
    One row a text, seed and agreement; `random` and `permuted` are what chance gives the text, on
    average over the draws; `ceiling` is the best that it could have.
    """
    return pandas.concat(
        [_of_seed(agreement, seed) for agreement in agreed for seed in range(_seeds(agreement))],
        ignore_index=True,
    )


def as_parquet(table: pandas.DataFrame) -> bytes:
    """The content of a parquet file with the table, sealed against damage."""
    content = io.BytesIO()
    write_sealed(pyarrow.Table.from_pandas(table, preserve_index=False), content)
    return content.getvalue()


def _of_seed(agreement: Agreement, seed: int) -> pandas.DataFrame:
    file = agreement.model.files[seed]
    observed = agreement.observed
    unknown = numpy.full(len(file.table), numpy.nan)
    p_value = unknown if observed.p_value is None else observed.p_value[seed]
    return pandas.DataFrame(
        {
            "model": agreement.model.name,
            "file": str(file.path),
            "seed": file.model.seed,
            "id": file.table["id"].to_numpy(),
            "label": file.table["label"].to_numpy(),
            "predicted": file.table["predicted"].to_numpy(),
            "measure": agreement.measure.name,
            "first": agreement.pair.first,
            "second": agreement.pair.second,
            "compared": agreement.compared,
            "value": observed.value[seed],
            "p_value": p_value,
            "undefined": observed.undefined[seed],
            "ceiling": unknown if agreement.ceiling is None else agreement.ceiling[seed],
            "top-1": agreement.top_1.value[seed],
            **{name: agreement.controls[name].expected[seed] for name in CONTROLS},
        }
    )


def _seeds(agreement: Agreement) -> int:
    return len(agreement.model.files)
