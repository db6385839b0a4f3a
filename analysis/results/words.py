"""The fixed texts of RESULTS.md, without numbers of results, and the names of corpora and encoders."""

from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

HEAD = """# Results

Can attention be trusted as the explanation of a text model's predictions? `make results` writes this page from the
[csv files](results) of finished studies; [numbers.csv](results/numbers.csv) names the cell of each number. Square brackets are 95 % intervals.
"""

NOT_RUN = "Not run: study `{study}`, which would show {what}."
NONE_OF = "Not run: {studies}."
WOULD_SAY = {
    "planted_truth": "how often methods find known causes",
    "faithfulness": "the faithfulness scores of methods on SST",
    "recursive_roar": "whether a retrained model needs the words that a method ranks first",
    "human_rationales": "how well methods agree with what people mark",
    "pretrained_debate": "whether all of this holds for a fine-tuned transformer",
}

FIGURE = (
    "*Left: how often a method ranks a planted cause first, by encoder, among correctly predicted texts; mean over the planted corpora that all "
    "encoders have learned. Right: faithfulness score on SST. Bars are 95 % intervals over texts and seeds. "
    "Methods written as |attention| are unsigned.*"
)

RUN = (
    "Each row links to the study's page: command, tables, figures, provenance. Core hours include all training; studies share trained models, so "
    "wall-clock time may be less. Texts are spread evenly over the test set."
)
RUN_IN_SHORT = (
    "[All studies](results/README.md): corpora, seeds, texts, hours, how they deviate from the papers, and what more seeds could decide. "
    "SNLI, bAbI 3 and AG News are trained on a part of the original texts, word vectors are GloVe; epochs are selected on dev."
)
EARLIER = "Studies marked * were made by an earlier version: intervals are bootstrap intervals, too short with few seeds, and differences are unpaired."

CLAIMS = (
    "*In print*: on how many corpora and models of the paper's own table the rule holds. *Ours*: on the same corpora and models, with the number "
    "that decides for the first. In brackets: the number of models. A claim holds only if all its parts do. 20NG: 20 Newsgroups, AG: AG News. "
    "[All numbers](results/claims.md); rules, bounds (ours) and evidence: [claims.csv](results/claims.csv)."
)
CLAIMS_PAGE = """# The papers' claims

Each rule is applied to the paper's printed table first, with numbers known up to rounding, then to ours. *Ours*: each corpus and model of the
paper with the number that decides, its 95 % interval, and the seeds (n). Evidence of all parts: [claims.csv](claims.csv); in print:
[claims-in-print.csv](claims-in-print.csv); number by number: [beside-print.csv](beside-print.csv).

Rules were rewritten until they agree with print: scopes, bounds, and which claims are about most models, were chosen with the printed
numbers known. That a rule holds in print is therefore no evidence for the claim. Wording and references to sections and figures were not
checked against the full text of the papers.
"""
MORE_SEEDS = """## What more seeds could decide

A projection: how many inconclusive outcomes that many seeds would decide, if means stayed as they are and intervals shrank with the number of
seeds. Hours are those of the study, in proportion to the seeds. The cheapest step of each study; [all steps](more-seeds.csv).
"""

PRINT = (
    "Reproduced: in the prediction interval of one more training of ours; inconclusive with fewer than three seeds. "
    "The largest differences, one per model ([all, with known reasons](results/beside-print.csv)). "
    "They are no evidence for or against a claim."
)

DEVIATIONS = """- **Word vectors**: GloVe of 100 dimensions; the papers use fastText of 300.
- **AG News**: trained on a fifth of the original training texts.
- **SNLI and bAbI 3**: trained on a thirtieth and a ninth of the original pairs, hence less accurate.
- **IMDb and 20 Newsgroups**: the published sizes up to a few texts; splits are not the authors' own ([data](../docs/how-to/data.md)).
- **Neely & Schouten's IMDb**: reviews of at most 100 tokens, as theirs probably were.
- **Selection**: epochs are chosen on dev (Jain & Wallace: on test); no setting by agreement or faithfulness.
- **Not available**: MIMIC-III and CNN news.
- **Cut for time**: Wiegreffe & Pinter's adversaries on AG News; of IMDb all but one model (and Neely & Schouten's); Meister et al. and Bastings & Filippova beyond SST (see The attention debate); Meister's fourth and fifth seed.
"""

METHODS = """- **Intervals** are over texts and seeds if there are at least three seeds, else over texts alone, for the given models. Differences on the same texts are paired. Their coverage is simulated in the [tests](tests/analysis/statistics).
- **Power**: for *inconclusive* outcomes [claims.csv](results/claims.csv) gives the distance from the bound that is detected with a power of 80 %.
- **Chance**, by random scores and by scores permuted within a text, is given with each agreement.
"""

LINKS = """What is measured: [faithfulness](docs/how-to/faithfulness.md), [agreement](docs/how-to/compare.md), [counterfactuals](docs/how-to/counterfactuals.md), [rationales](docs/how-to/rationales.md); how: [claims](docs/how-to/claims.md), [studies](docs/how-to/studies.md), [synthetic corpus](docs/explanation/planted-corpus.md).
"""


# Corpora, as papers call them and in this order; others as they are.
CORPORA = {
    "sst": "SST",
    "imdb": "IMDb",
    "20news_sports": "20 Newsgroups",
    "newsgroups": "20 Newsgroups",
    "agnews": "AG News",
    "ag_news": "AG News",
    "sst-wiki": "SST-Wiki",
    "sst_wiki": "SST-Wiki",
    "sst_annotators": "SST (annotators)",
    "movies": "movies",
    "hatexplain": "HateXplain",
    "snli": "SNLI",
    "babi_1": "bAbI 1",
    "babi_2": "bAbI 2",
    "babi_3": "bAbI 3",
}
IN_SHORT = {"20 Newsgroups": "20NG", "AG News": "AG"}
ENCODERS = {"bilstm": "BiLSTM", "affine": "no context", "cnn": "CNN", "transformer": "Transformer"}


def corpus_name(corpus: str) -> str:
    """As papers write it."""
    return CORPORA.get(corpus, corpus)


def corpus_in_short(corpus: str) -> str:
    """Where many are listed."""
    name = corpus_name(corpus)
    return IN_SHORT.get(name, name)


def corpus_position(corpus: str) -> int:
    """In the order of a list; others come last."""
    return list(CORPORA).index(corpus) if corpus in CORPORA else len(CORPORA)


def encoder_name(encoder: str) -> str:
    """As papers write it."""
    return ENCODERS.get(encoder, encoder)


def link(path: Path, here: Path) -> str:
    """From a page in the folder `here`."""
    with suppress(ValueError):
        path = path.resolve().relative_to(here.resolve())
    return quote(path.as_posix())
