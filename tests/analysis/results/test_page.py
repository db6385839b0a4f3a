"""RESULTS.md, the README's section and a page a study: what was run, what holds, what differs."""

import json
import math
import re

import pandas
import pytest

from analysis.__main__ import main
from analysis.output import Output
from analysis.papers.discovery import find_claim
from analysis.results.page import BEGIN, END
from tests.analysis.papers.claimed_rows import SPARSE
from tests.analysis.papers.jain_wallace.claim_cases import pairs
from tests.analysis.papers.neely_schouten.claim_cases import top_k, usage
from tests.analysis.results.citations import table, uncited_numbers, wrong_numbers

COMMAND = "make study STUDY=jain_wallace_2019 CORPORA=sst"
ACCOUNT = {
    "title": "Jain & Wallace 2019",
    "command": COMMAND,
    "corpora": ["sst"],
    "seeds": [1, 2, 3],
    "limit": 500,
    "runs": 18,
    "recovered": 1,
    "seconds": {"train": 3600, "table": 1800},
    "cores": 2,
    "gpus": 0,
    "elapsed": 7200,
    "machine": {"processor": "A processor", "cores": 2, "memory": "24 GiB", "python": "3.11"},
    "versions": {"torch": "2.1"},
    "finished": "2026-01-02",
}
ENCODERS = ("bilstm", "affine")


def finished(output, **account):
    output.finish(["python"])
    (output.folder / "study.json").write_text(json.dumps({**ACCOUNT, **account}))
    return output.folder


@pytest.fixture
def study(tmp_path):
    output = Output(tmp_path / "results" / "jain_wallace_2019-sst", "Jain & Wallace 2019")
    rows = pandas.DataFrame([*pairs(0.3, 0.6), *pairs(0.7, 0.8, **SPARSE)])
    shown = rows[["corpus", "model", "importance", "mean"]]
    output.table("jain-wallace-correlations", rows, "Correlations.", "A note.", shown)
    output.table("long", pandas.DataFrame({"row": range(100)}), "Long.")
    both = [*top_k("as-published", 0.9, 0.88), *top_k("fagin", 0.4, -0.5)]
    output.table("neely-schouten-table-2", pandas.DataFrame(both), "Top k.")
    output.sentence("found", "It was found.")
    return finished(output)


def planted(folder):
    """Two corpora that both encoders have learned, and one that one has."""
    output = Output(folder, "Who measures the measures")
    rows = []
    for corpus, encoders in (("easy", ENCODERS), ("hard", ENCODERS), ("order", ENCODERS[:1])):
        for encoder in encoders:
            for method, first in (("attention", 0.2), ("lrp", 0.9), ("random", 0.1)):
                first += 0.1 * (corpus == "hard")
                rows.append(
                    {
                        **{"corpus": corpus, "model": f"{encoder} tanh softmax", "role": "plain"},
                        **{"encoder": encoder, "projection": "softmax", "erasure training": False},
                        **{"method": method, "average precision": 0.5, "cause first": first},
                        **{"cause first low": first - 0.06, "cause first high": first + 0.08},
                        "chance": 0.05,
                        "seeds": 3,
                    }
                )
    output.table("planted-truth-methods", pandas.DataFrame(rows), "Methods.")
    right = {"role": "honest", "answer": "no", "attention": "right", "contradicted": False}
    right |= {"recommended": "right", "truth of method": 0.9}
    unclear = {**right, "attention": "truth unclear", "answer": "yes", "contradicted": True}
    undecided = {**right, "attention": "undecided", "answer": "inconclusive"}
    nothing = dict.fromkeys(("attention", "recommended"), "nothing to judge")
    every = [
        *[right] * 20,
        {**right, "role": "adversarial", "attention": "wrong"},
        *[unclear] * 2,
        *[undecided] * 4,
        *[{**right, **nothing}] * 3,
    ]
    output.data(
        "planted-truth-verdicts-all.csv", pandas.DataFrame(every).to_csv(index=False).encode()
    )
    return finished(output, title="Who measures the measures", command="make planted")


def faithful(folder):
    output = Output(folder, "Faithfulness")
    rows = [
        {
            **{"corpus": "sst", "model": model, "measure": measure, "k": None},
            **{"erasure": "delete", "method": method, "score": position + more},
            **{"score low": position + more - 0.05, "score high": position + more + 0.05},
        }
        for model, more in (
            # Sparse attention is no other encoder.
            ("bilstm tanh sparsemax", 0.3),
            ("affine tanh softmax", 0.1),
            ("bilstm tanh softmax", 0.0),
        )
        for measure in ("comprehensiveness", "sufficiency")
        for method, position in (
            ("attention", 0.31),
            ("lrp", 0.82),
            ("random", 0.0),
            ("search", 1.0),
        )
    ]
    output.table("faithfulness-delete", pandas.DataFrame(rows), "Faithfulness.")
    return finished(output, title="Faithfulness", command="make faithfulness")


def written(*folders):
    root = folders[0].parents[1]
    readme = root / "README.md"
    if not readme.exists():
        readme.write_text(f"# Ours\n\n{BEGIN}\nold 0.123\n{END}\n\nThe rest.\n")
    path = root / "RESULTS.md"
    arguments = ["results", *map(str, folders), "-o", str(path), "--readme", str(readme)]
    assert main(arguments) == 0
    return path.read_text()


def test_what_was_run_is_told_with_machine_and_time(study):
    text = written(study)
    assert "(results/README.md)" in text
    assert "2 cores of A processor, 24 GiB, no GPU; Python 3.11, torch 2.1." in text
    text = (study.parent / "README.md").read_text()
    link = "[Jain & Wallace 2019](jain_wallace_2019-sst)"
    assert f"| {link} | SST | 3 | 500 | 18 | 1.50 | 2.00 |" in text
    assert "2 cores of A processor, 24 GiB, no GPU; Python 3.11, torch 2.1." in text


def test_a_short_time_is_told_and_none_at_all_is_a_dash(study):
    for elapsed, shown in ((99, "0.03"), (0, "-")):
        (study / "study.json").write_text(json.dumps({**ACCOUNT, "elapsed": elapsed}))
        written(study)
        assert f"| 18 | 1.50 | {shown} |" in (study.parent / "README.md").read_text()
        assert not wrong_numbers(study.parents[1], "results/README.md")
    assert "| wall-clock | all was there already" in (study / "README.md").read_text()


def test_the_use_of_attention_is_drawn_over_all_studies_each_model_once(study):
    other = Output(study.parent / "other", "Other")
    own = {"corpus": "sst", "model": "bilstm", "drop": 0.01, "change": 0.1, "instance": 0.5}
    output = Output(study.parent / "more", "More")
    output.table("neely-schouten-usage", pandas.DataFrame([own]), "Use.")
    assert "usage.svg" not in written(study, finished(output))
    rows = pandas.DataFrame([own, {**own, "corpus": "imdb", "change": 0.3}])
    other.table("neely-schouten-usage", rows, "Use.")
    text = written(study, study.parent / "more", finished(other))
    assert "](results/usage.svg)" in text and (study.parent / "usage.svg").is_file()
    assert [row["corpus"] for row in table(study.parent / "usage.csv")] == ["sst", "imdb"]


def test_a_claim_has_the_models_it_holds_for(study):
    text = written(study)
    (line,) = [line for line in text.splitlines() if "agrees only modestly" in line]
    # The sparse one, by which it fails, is none of the paper's.
    assert " | yes, 12 of 12 | **holds** SST; SST 0.300 [0.290, 0.310] | **fails** SST; " in line


def test_a_correction_stands_next_to_what_it_corrects(study):
    text = written(study)
    corrected = find_claim("above-chance")
    tested = find_claim(corrected.corrects)
    (line,) = [line for line in text.splitlines() if tested.statement in line]
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    assert len(cells) == 4 and cells[-1].endswith(f"{corrected.statement[:-1]}: **holds** SST")


def test_what_was_not_run_is_said_and_no_number_is_made_up(study):
    text = written(study)
    assert "Not run: study `planted_truth`" in text and "Not run: study `faithfulness`" in text
    assert "answer.svg" not in text and not (study.parents[0] / "answer.svg").exists()


def test_where_causes_are_known_attention_is_held_against_the_best_method(study):
    text = written(study, planted(study.parent / "planted_truth"))
    # Of the two corpora that both encoders have learned: .2 and .3; half of the root of two squares.
    low, high = 0.25 - math.hypot(0.06, 0.06) / 2, 0.25 + math.hypot(0.08, 0.08) / 2
    assert "**No, not by itself.**" in text
    assert (
        f"in 25 % [{100 * low:.0f}, {100 * high:.0f}] of texts (random: 5 %), lrp in 95 % [91, 100]"
        in text
    )
    assert (
        "With 2 of 2 encoders on the planted corpora another method is clearly more faithful"
        in text
    )
    assert "25 % (no context; best: lrp, 95 %)" in text
    assert (study.parent / "answer.svg").stat().st_size < 100_000
    assert "| attention | all | 30 | 20 | 1 | 4 | 2 | 3 |" in text
    # Neither where it is undecided, nor where the truth is unclear, could it have been wrong.
    assert "1 of 21 decided verdicts on attention" in text and "4.8 % [0.8 %, 22.7 %]" in text
    assert "with ambiguous models, 2 of 23 (2 of 2 that say yes)." in text
    assert "0 of 27 decided recommendations" in text


def test_verdicts_of_several_parts_of_a_study_are_counted_together(study):
    parts = [planted(study.parent / name) for name in ("planted_truth", "planted_truth-2")]
    text = written(study, *parts)
    assert "| attention | all | 60 | 40 | 2 | 8 | 4 | 6 |" in text
    assert "2 of 42 decided verdicts on attention" in text


def test_on_sst_the_score_between_chance_and_best_is_said(study):
    text = written(study, faithful(study.parent / "faithfulness-sst"))
    assert "of 0.310 [0.260, 0.360] by comprehensiveness" in text
    assert "lrp scores 0.820 [0.770, 0.870]. By sufficiency attention scores 0.310" in text
    assert (
        "With other encoders attention scores 0.410 [0.360, 0.460] (no context; best: lrp, 0.920)"
        in text
    )
    assert "0.610" not in text


def test_the_readme_says_the_same_between_its_marks(study):
    text = written(study, faithful(study.parent / "faithfulness-sst"))
    readme = (study.parents[1] / "README.md").read_text()
    assert readme.startswith("# Ours\n") and readme.endswith(f"{END}\n\nThe rest.\n")
    assert "old 0.123" not in readme
    (sentence,) = [line for line in readme.splitlines() if line.startswith("On SST")]
    assert sentence in text


def test_a_readme_without_the_marks_is_rejected(study, capsys):
    readme = study.parents[1] / "README.md"
    readme.write_text("# Ours\n")
    path = study.parents[1] / "RESULTS.md"
    assert main(["results", str(study), "-o", str(path), "--readme", str(readme)]) == 2
    assert "to write between" in capsys.readouterr().err and not path.exists()


def test_every_number_is_a_cell_and_one_that_is_not_is_found(study):
    written(study, planted(study.parent / "planted_truth"))
    root = study.parents[1]
    for page in ("RESULTS.md", "README.md", "results/README.md", "results/claims.md"):
        assert not wrong_numbers(root, page)
    path = root / "RESULTS.md"
    path.write_text(path.read_text().replace("25 % [", "26 % [").replace("## More", "## 0.777"))
    assert wrong_numbers(root, "RESULTS.md")
    assert "0.777" in [number for _, number in uncited_numbers(root, "RESULTS.md", "")]


def test_a_study_has_a_page_with_its_command_claims_tables_and_figures(study):
    written(study)
    text = (study / "README.md").read_text()
    assert f"| command | `{COMMAND}` |" in text and "| seeds | 1, 2, 3 |" in text
    assert "18, 1 of them not recovered exactly after an interruption" in text
    assert "tau with gradient 0.300 [0.290, 0.310]" in text and "- It was found." in text
    assert "[100 rows](long.md)." in text and "| 99 |" not in text
    assert "| sst | bilstm tanh softmax | gradient | 0.300 |" in text


def test_the_page_of_a_study_says_what_corrections_change(study):
    written(study)
    _, corrections = (study / "README.md").read_text().split("**Top-k agreement")
    (row, *_) = [line for line in corrections.splitlines() if line.startswith("| sst |")]
    cells = [cell.strip() for cell in row.split("|")]
    assert cells[4].startswith("0.9") and cells[6].startswith("0.4") and cells[7] == "-0.500"


def test_a_study_of_an_earlier_version_is_said_to_be_one(study):
    manifest = json.loads((study / "manifest.json").read_text())
    manifest.pop("written")
    manifest.pop("sha256", None)
    (study / "manifest.json").write_text(json.dumps(manifest))
    written(study)
    assert "sst) * | SST" in (study.parent / "README.md").read_text()
    assert "made by an earlier version" in (study / "README.md").read_text()


def test_a_study_that_is_not_finished_is_named(tmp_path, capsys):
    folder = tmp_path / "results" / "one"
    folder.mkdir(parents=True)
    assert main(["results", str(folder), "-o", str(tmp_path / "RESULTS.md")]) == 2
    assert "no finished study, study.json is missing" in capsys.readouterr().err


def test_what_takes_many_models_is_judged_over_all_studies(study):
    folders = []
    for name, rows in (("first", usage(-1.0)[:3]), ("second", usage(-1.0)[3:])):
        output = Output(study.parent / name, "Neely & Schouten 2020")
        output.table("neely-schouten-usage", pandas.DataFrame(rows), "Usage.")
        folders.append(finished(output, title=name, command=f"make {name}"))
    written(*folders)
    (row,) = [row for row in table(study.parent / "claims.csv") if row["name"] == "use-decides"]
    assert row["outcome"] == "holds" and "6 models" in row["evidence"]


def test_of_a_study_with_a_folder_for_each_corpus_the_page_links_the_lists_of_these(tmp_path):
    folder = tmp_path / "results" / "human_rationales"
    for corpus in ("movies", "posts"):
        output = Output(folder / corpus, "Plausibility")
        output.table("marks", pandas.DataFrame({"a": [1]}), "Marks.")
        output.finish(["python"])
    (folder / "study.json").write_text(json.dumps({**ACCOUNT, "title": "Human rationales"}))
    written(folder)
    text = (folder / "README.md").read_text()
    for link in re.findall(r"\]\(([^)#]+)", text):
        assert (folder / link).exists(), link
