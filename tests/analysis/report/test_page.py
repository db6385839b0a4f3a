"""The report as a whole: everything the manifest lists, escaped, in one file."""

import json
import re
from html import unescape

import pytest

from analysis.__main__ import main
from analysis.errors import AnalysisError
from analysis.manifest import in_order, read_manifest, title_of
from analysis.pages.elements import prose
from analysis.report.page import REPORT, report, write_report
from attention_explain.heatmaps.html_page import policy
from tests.analysis.attribution_files import config, random_rows
from tests.analysis.report.folders import METHODS, attribution_file, output_folder, two_models
from tests.heatmaps.elements import Elements

NASTY = "<script>alert('&')</script>"


@pytest.fixture
def folder(tmp_path):
    return output_folder(tmp_path / "out", two_models(tmp_path))


def test_every_entry_of_the_manifest_is_there(folder):
    words = Elements(report(folder)).text
    for entry in read_manifest(folder)["entries"]:
        assert entry["caption"] in words and entry["note"] in words
        for name in entry["files"].values():
            assert name in words
    for file in read_manifest(folder)["files"]:
        assert file["path"] in words and file["sha256"] in words
    assert report(folder).count("<figure>") == 2
    assert "pair-19" in words


def test_titles_are_words_and_do_not_repeat_the_section():
    assert title_of("neely_schouten") == "Neely schouten"
    assert title_of("agreement-matrix-bilstm", "agreement") == "Matrix bilstm"
    assert title_of("jain-wallace-densities", "Jain & Wallace 2019") == "Densities"
    assert title_of("agreement", "agreement") == "Agreement"


def test_what_was_dropped_or_cut_is_told_once_a_data_set(tmp_path):
    texts = {"kept": 96, "dropped": {"with more than 400 tokens": 103}, "cut": {}}
    files = [
        attribution_file(
            tmp_path / f"{seed}.parquet", config=config(seed=seed), texts=texts, data="d"
        )
        for seed in (1, 2)
    ]
    cut = {"kept": 96, "dropped": {}, "cut": {"to 400 tokens": 7}}
    files += [attribution_file(tmp_path / "cut.parquet", texts=cut, data="<e>")]
    words = Elements(report(output_folder(tmp_path / "out", files))).text
    assert words.count("Of d: 103 of 199 texts dropped (103 with more than 400 tokens).") == 1
    assert words.count("Of <e>: 7 of 96 texts cut (7 to 400 tokens).") == 1


def test_findings_come_first(folder):
    text = report(folder)
    positions = [text.index(sentence) for sentence in ("Attention agrees", "Something else about")]
    assert max(positions) < text.index("All pairs of")


def test_every_link_leads_somewhere_and_no_two_parts_have_one_name(folder):
    elements = Elements(report(folder))
    ids = elements.values("id")
    assert len(ids) == len(set(ids))
    links = elements.values("href") + elements.values("xlink:href")
    inside = [link for link in links if link.startswith("#")]
    assert {link[1:] for link in inside} <= set(ids)
    for link in set(links) - set(inside) - {"data:,"}:
        assert (folder / link).is_file()
    labelled = {name for value in elements.values("aria-labelledby") for name in value.split()}
    assert labelled <= set(ids)


def test_nothing_is_loaded_and_nothing_runs(folder):
    text = report(folder)
    elements = Elements(text)
    assert not {"script", "iframe", "object", "embed", "img"} & elements.tags
    assert not elements.values("src")
    for link in elements.values("href"):
        assert not re.match(r"\w+:(?!,)|//", link) or link == "data:,"
    assert not re.search(r"url\((?!#)|@import|javascript:", text)
    assert "http:" not in text and "https:" not in text
    assert {"http-equiv": "Content-Security-Policy", "content": policy()} in [
        attributes for attributes, _ in elements.all("meta")
    ]


def test_text_is_escaped_wherever_it_comes_from(tmp_path):
    rows = random_rows(methods=METHODS)
    for row in rows:
        row["id"] += NASTY
        row["tokens"][0] = row["label"] = row["predicted"] = NASTY
    named = config(corpus=NASTY, validation_data_path=NASTY, trainer={"validation_metric": NASTY})
    file = attribution_file(
        tmp_path / f"a{NASTY.replace('/', '')}.parquet",
        rows,
        config=named,
        labels=[NASTY, "1"],
        archive=NASTY,
        versions={NASTY: NASTY},
    )
    folder = output_folder(tmp_path / "out", [file], NASTY)
    shown = folder / "pairs.json"
    shown.write_text(shown.read_text().replace("kendall", NASTY))
    manifest = read_manifest(folder)
    del manifest["written"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    text = report(folder)
    Elements(text)
    assert "<script" not in text and "alert('&')" not in text
    # Sentences, captions, notes, a header and a cell, parameters, and five texts.
    assert text.count("&lt;script&gt;") > 30
    assert unescape(text).count(NASTY) > 30


def test_names_in_backticks_are_code_and_stay_escaped():
    assert prose("see `a<b` and `") == "see <code>a&lt;b</code> and `"


def test_the_same_folder_gives_the_same_bytes(folder):
    first = write_report(folder).read_bytes()
    assert write_report(folder).read_bytes() == first
    (folder / REPORT).write_text("my notes")
    with pytest.raises(AnalysisError, match="was not written by this program"):
        write_report(folder)
    assert (folder / REPORT).read_text() == "my notes"


def test_heatmaps_of_the_first_seed_of_each_model(folder):
    elements = Elements(report(folder))
    words = elements.text
    assert len(elements.all("article")) == 10
    assert "bilstm tanh softmax, seed 1" in words and "bilstm tanh sparsemax" in words
    assert "tau-b of attention with gradient, leave-one-out, among" in words


def test_a_method_without_scores_on_a_chosen_text_says_so(tmp_path):
    rows = random_rows(methods=METHODS)
    for row in rows:
        row["gradient"] = None
    file = attribution_file(tmp_path / "a.parquet", rows, skipped={"gradient": {"not finite": 30}})
    text = report(output_folder(tmp_path / "out", [file]))
    assert text.count("no scores: not finite") == 5


@pytest.mark.parametrize(
    "change, problem",
    [
        (lambda path: path.unlink(), "is not there (any more)"),
        (lambda path: path.write_bytes(b"other"), "has changed since it was analysed"),
    ],
)
def test_a_file_that_is_gone_or_changed_is_left_out_and_the_page_says_so(tmp_path, change, problem):
    files = two_models(tmp_path)
    folder = output_folder(tmp_path / "out", files)
    change(files[2])
    text = report(folder)
    assert f"{files[2]} {problem}: its model and its texts are left out" in text
    assert "bilstm tanh sparsemax" not in text
    assert text.count("<article>") == 5 and text.count("<figure>") == 2


def test_results_stand_without_any_attribution_file(tmp_path):
    files = two_models(tmp_path)
    folder = output_folder(tmp_path / "out", files)
    for file in files:
        file.unlink()
    text = report(folder)
    assert "<article>" not in text and text.count("class=warning") == 6
    manifest = read_manifest(folder)
    manifest["files"] = []
    manifest["entries"] = [e for e in manifest["entries"] if e["kind"] != "sentence"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    text = report(folder)
    assert "No analysis has put a finding into words" in text and "class=warning" not in text


def test_one_method_alone_has_nothing_to_be_held_against(tmp_path):
    rows = random_rows(methods=("attention",))
    text = report(output_folder(tmp_path / "o", [attribution_file(tmp_path / "a.parquet", rows)]))
    assert "no other method to hold attention against" in text and "<article>" not in text


def test_the_command_writes_the_page_and_names_it(folder, capsys):
    assert main(["report", str(folder)]) == 0
    assert capsys.readouterr().out.strip() == str(folder / REPORT)
    assert (folder / REPORT).read_text(encoding="utf-8") == report(folder)


@pytest.mark.parametrize("missing", ["pairs.json", "matrix.svg", "manifest.json"])
def test_a_folder_that_lacks_a_result_is_rejected_and_the_old_page_stays(folder, capsys, missing):
    (folder / REPORT).write_text("earlier")
    (folder / missing).unlink()
    assert main(["report", str(folder)]) == 2
    error = capsys.readouterr().err
    assert missing in error and error.count("\n") == 1
    assert (folder / REPORT).read_text() == "earlier"
    assert not [name for name in folder.iterdir() if "unfinished" in name.name]


def test_a_folder_from_before_tables_were_kept_as_tables_shows_the_whole_ones(folder):
    manifest = read_manifest(folder)
    for entry in manifest["entries"]:
        if entry["kind"] == "table":
            (folder / entry["files"].pop("json")).unlink()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    words = Elements(report(folder)).text
    assert "pair-19" in words and "0.125" in words and "b|c" in words


def test_a_table_that_is_none_is_rejected(folder, capsys):
    manifest = read_manifest(folder)
    del manifest["written"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "pairs.json").write_text('{"columns": ["a"]}')
    assert main(["report", str(folder)]) == 2
    assert "pairs.json: cannot be read as a table (no table ('rows'))" in capsys.readouterr().err


def test_a_manifest_lists_no_file_outside_its_folder(folder, capsys):
    (folder.parent / "secret.md").write_text("a secret")
    manifest = read_manifest(folder)
    for entry in manifest["entries"]:
        entry["files"] = dict.fromkeys(entry["files"], "../secret.md")
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert main(["report", str(folder)]) == 2
    assert "lists the file '../secret.md', which is outside its folder" in capsys.readouterr().err
    assert not (folder / REPORT).exists()


def test_a_folder_that_is_none_is_rejected(tmp_path):
    with pytest.raises(AnalysisError, match="no output of `python -m analysis`"):
        write_report(tmp_path / "absent")


def test_sections_stand_in_the_same_order_whichever_ended_first():
    names = ["Pruthi et al. 2020", "Jain & Wallace 2019", "agreement", "Neely & Schouten 2020"]
    entries = [{"section": name, "name": str(n)} for n, name in enumerate([*names, "agreement"])]
    expected = ["2", "4", "1", "3", "0"]
    assert [entry["name"] for entry in in_order(entries)] == expected
    among_each_other = [entry for entry in entries if entry["section"] != "agreement"]
    found = in_order([*reversed(among_each_other)])
    assert [entry["name"] for entry in found] == ["1", "3", "0"]
