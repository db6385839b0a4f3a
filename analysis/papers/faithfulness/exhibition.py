"""What `python -m analysis table faithfulness` and `planted-truth` make of faithfulness files."""

from analysis.papers.faithfulness.against_truth import truth_tables
from analysis.papers.faithfulness.beside_plausibility import plausibility_figure
from analysis.papers.faithfulness.between_methods import difference_table
from analysis.papers.faithfulness.curves import curve_figures
from analysis.papers.faithfulness.on_the_scale import erasure_table, scale_tables
from analysis.papers.shared.paper import JUDGED, Exhibit, Exhibition, StudyExhibit
from analysis.verdict import tables as verdicts
from analysis.verdict.against_truth import verdict_tables

FAITHFULNESS = Exhibition(
    "faithfulness",
    "Faithfulness",
    (
        Exhibit("faithfulness-scale", (), scale_tables, of=JUDGED),
        Exhibit("faithfulness-differences", (), difference_table, of=JUDGED),
        Exhibit("faithfulness-erasures", (), erasure_table, of=JUDGED),
        Exhibit("faithfulness-curves", (), curve_figures, of=JUDGED),
        StudyExhibit("faithfulness-plausibility", plausibility_figure),
        StudyExhibit(verdicts.NAME, verdicts.verdict_table),
    ),
)

PLANTED_TRUTH = Exhibition(
    "planted-truth",
    "Who measures the measures",
    (
        StudyExhibit("planted-truth-measures", truth_tables),
        StudyExhibit("planted-truth-verdicts", verdict_tables),
    ),
)
