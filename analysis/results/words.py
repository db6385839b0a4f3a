"""What the page says whatever the numbers are. Numbers of results stand nowhere here."""

HEAD = """# Results

Can attention be trusted as the explanation of a text model's predictions? This page is made by `make results` from the
[csv files](results) of finished studies; [numbers.csv](results/numbers.csv) names the cell of each number here. Square brackets are 95 % intervals.
"""

NOT_RUN = "Not run: study `{study}`, which would say {what}."
NONE_OF = "Not run: {studies}."
WOULD_SAY = {
    "planted_truth": "how often methods find causes that are known",
    "faithfulness": "how far methods come on SST between a random and the best order of words",
    "recursive_roar": "whether a model that is trained anew does without the words that a method names",
    "human_rationales": "how near methods come to what people mark",
    "pretrained_debate": "whether all of this holds for a fine-tuned transformer",
}

FIGURE = (
    "*Left: how often a method puts a planted cause first, by encoder, of correctly predicted texts; mean over the planted corpora that all "
    "encoders have learned. Right: where it stands on SST between a random (chance) and the best order of words. Bars are 95 % intervals "
    "over texts and seeds. Names in bars, as |attention|: their scores have no sign.*"
)

RUN = (
    "A row links to the study's page: command, tables, figures, provenance. Core hours are from nothing; models that studies share were trained "
    "once, so that wall-clock may be less. Texts are spread evenly over test."
)
EARLIER = "Studies marked * are of an earlier version: intervals are bootstraps, too short with so few seeds, and differences unpaired."

CLAIMS = (
    "*Number reproduced*: how many numbers of the paper's table lie in our interval, widened by what seeds differ by, where that is short enough to tell. "
    "*After correction*: where a measure had to be mended. In brackets: of how many models. "
    "20NG: 20 Newsgroups, AG: AG News. "
    "A claim holds only where all its parts do. Rules, bounds (ours) and evidence: [claims.csv](results/claims.csv)."
)

PRINT = (
    "The largest differences, one a model; all, with known reasons, are in [beside-print.csv](results/beside-print.csv). "
    "They say nothing for or against a claim."
)

DEVIATIONS = """- **Word vectors**: GloVe of 100 dimensions; the papers have fastText of 300.
- **AG News**: trained on a fifth of the original training texts.
- **SNLI and bAbI 3**: trained on a thirtieth and a ninth of the original pairs, hence less accurate.
- **IMDb and 20 Newsgroups**: the published sizes up to a few texts; splits are not the authors' own ([data](docs/how-to/data.md)).
- **Neely & Schouten's IMDb**: reviews of at most 100 tokens, as theirs probably were.
- **Selection**: epochs are chosen on dev (Jain & Wallace: on test); no setting by agreement or faithfulness.
- **Not at hand**: MIMIC-III and CNN news.
- **Cut for time**: Wiegreffe & Pinter's adversaries on AG News; of IMDb all but one model (and Neely & Schouten's); Meister et al. and Bastings & Filippova beyond SST, where the debate stands for them; Meister's fourth and fifth seed.
"""

METHODS = """- **Intervals** are over texts and seeds together where there are three seeds or more, else over texts alone, of the models as they are. Differences on the same texts are paired. How often they hold the truth is simulated in the [tests](tests/analysis/statistics).
- **Power**: where an outcome *cannot be told*, [claims.csv](results/claims.csv) says how far from its bound the number had to be, to be seen in four of five repetitions.
- **Chance**, by random scores and by scores permuted within a text, stands beside each agreement.
"""

LINKS = """What is measured: [faithfulness](docs/how-to/faithfulness.md), [agreement](docs/how-to/compare.md), [counterfactuals](docs/how-to/counterfactuals.md), [rationales](docs/how-to/rationales.md); how: [claims](docs/how-to/claims.md), [studies](docs/how-to/studies.md), [synthetic corpus](docs/explanation/planted-corpus.md).
"""
