"""What Bastings & Filippova 2020 claim."""

from dataclasses import dataclass
from typing import Iterator, Optional

from analysis.agreement.agreements import SIGNED
from analysis.agreement.comparisons import LESS, OTHERS
from analysis.claims.claim import Claim, Judgement
from analysis.claims.parts import above
from analysis.claims.table_rows import TableRow, Tables, TypedTable, first_where, grouped, paired
from analysis.papers.shared.agreement_rows import AgreementRow
from analysis.written import Estimate, average

ATTENTION = "attention"


@dataclass(frozen=True, kw_only=True)
class ApartRow(TableRow):
    """others_less : the mean place of the pairs of other methods less that of attention's."""

    measure: str
    others_less: Optional[Estimate] = paired(LESS)


AGREEMENT = TypedTable("agreement", AgreementRow)
APART = TypedTable("agreement-apart", ApartRow)


def attention_stands_apart(tables: Tables) -> Iterator[Judgement]:
    rows = [
        row
        for row in tables.rows(AGREEMENT, group="overall", measure="kendall")
        if not {row.first, row.second} & set(OTHERS)
    ]
    for (corpus, model, protocol), pairs in grouped(rows, "corpus", "model", "protocol"):
        with_attention = [row for row in pairs if ATTENTION in (row.first, row.second)]
        among = [row for row in pairs if ATTENTION not in (row.first, row.second)]
        # Attention has no sign: other pairs by their signs too would be more than it can have.
        among = [row for row in among if row.compared != SIGNED] or among
        if with_attention and among:
            what = "place of tau" if all(row.place is not None for row in pairs) else "tau"
            ours, theirs = (
                average([row.placed for row in part]) for part in (with_attention, among)
            )
            words = (
                f"{what} of attention with {len(with_attention)} methods {ours}, of {len(among)} "
                f"pairs of them {theirs}; difference"
            )
            apart = first_where(tables.rows(APART, measure="kendall", corpus=corpus), model=model)
            further = theirs.minus(ours, None if apart is None else apart.others_less)
            yield Judgement(corpus, model, (above(words, further),), protocol)


CLAIMS = (
    Claim(
        "attention-stands-apart",
        "Saliency methods are about what attention is not: they agree with each other better than with it.",
        "the mean place of tau of pairs of methods less that of attention with each is above 0",
        "attention agrees with the methods as well as they do with each other, or better",
        AGREEMENT,
        attention_stands_apart,
        beside=(APART,),
    ),
)
