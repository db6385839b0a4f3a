"""Single experiments are derived from studies, the one place where they are stated."""

import json
from functools import partial
from pathlib import Path
from typing import Dict

import _jsonnet
import pytest

from attention_explain.settings import DEFAULTS
from attention_explain.workflow.__main__ import main
from attention_explain.workflow.configs import load_experiments
from attention_explain.workflow.identity import Reference, fit_for_a_file, with_references
from attention_explain.workflow.study import StudyError
from attention_explain.workflow.study_file import SIZES
from tests.commands_run import PROJECT
from tests.workflow.studies import NAMES, experiments

FOLDER = PROJECT / "training_configs"
SEED = 7
# Files that show one experiment of a study: its corpus and its run.
SHOWN = {
    "examples/bastings_filippova_2020": ("sst", "bilstm_entmax15"),
    "examples/jain_wallace_2019": ("sst", "bilstm_tanh"),
    "examples/meister_2021": ("sst", "bilstm_sparsegen_0.5"),
    "examples/neely_schouten_2020": ("sst", "tanh_sparsemax"),
    "examples/pruthi_2020": ("pronoun", "bilstm_1"),
    "examples/wiegreffe_pinter_2019": ("sst", "adversary_0.001"),
    "planted/bilstm_tanh_softmax": ("easy", "bilstm"),
    "planted/transformer_tanh_softmax": ("easy", "transformer"),
}


def made_by(corpus: str, needed: Dict[str, str], reference: Reference) -> str:
    """Where the comments of a config put what a run makes; noted in `needed`, by the run's folder."""
    folder = f"runs/{corpus}-{reference.run}"
    method = reference.method
    needed[folder] = folder if method is None else f"{folder}-{fit_for_a_file(method)}"
    return needed[folder]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("study", NAMES)
def test_every_run_is_derived_as_the_study_has_it(study, size):
    every = experiments(study, size)
    texts, expected = [], []
    for corpus, runs in every.runs.items():
        for name, run in runs.items():
            needed: Dict[str, str] = {}
            expected.append(with_references(run.config, partial(made_by, corpus, needed)))
            text = every.config(corpus, name)
            # What it needs is said, with the commands that make it.
            for folder, made in needed.items():
                assert f"//   allennlp train {Path(folder).name}.jsonnet -s {folder}\n" in text
                assert f'= "{made}";' in text
            texts.append(f"({text})")
            assert run.config["random_seed"] == run.config["pytorch_seed"] == SEED
    # All in one, since jsonnet takes longer to start than for a config.
    found = json.loads(_jsonnet.evaluate_snippet(study, f"[{','.join(texts)}]"))
    assert found == expected


def test_what_shows_one_experiment_is_what_the_study_says():
    files = {
        path.relative_to(FOLDER).with_suffix("").as_posix()
        for folder in ("examples", "planted")
        for path in (FOLDER / folder).iterdir()
    }
    assert files == set(SHOWN)
    variables = {**DEFAULTS, "ATTENTION_EXPLAIN_SEED": str(SEED)}
    for file, (corpus, run) in SHOWN.items():
        study = "planted" if file.startswith("planted/") else Path(file).name
        config = experiments(study).runs[corpus][run].config
        expected = with_references(config, lambda *_: DEFAULTS["ATTENTION_EXPLAIN_BASE"])
        text = _jsonnet.evaluate_file(str(FOLDER / f"{file}.jsonnet"), ext_vars=variables)
        assert json.loads(text) == expected, file


def test_every_experiment_is_listed():
    lines = experiments("wiegreffe_pinter_2019").to_text().splitlines()
    assert lines[0].split()[:2] == ["corpus", "run"]
    assert [line.split()[:2] for line in lines[1:]] == [
        [corpus, name]
        for corpus, runs in experiments("wiegreffe_pinter_2019").runs.items()
        for name in runs
    ]
    (line,) = [line for line in lines if line.startswith("sst ") and " adversary_0.0002 " in line]
    assert line.endswith("bilstm tanh softmax adversary(0.0002), needs base")


def test_what_is_not_there_is_named():
    every = experiments("pruthi_2020")
    with pytest.raises(StudyError, match="no corpus 'pronouns'; there are pronoun, sst_wiki"):
        every.config("pronouns", "bilstm_1")
    with pytest.raises(StudyError, match="no run 'lstm'; there are bilstm_0, "):
        every.config("pronoun", "lstm")
    with pytest.raises(StudyError, match="seed is -1, but must be 0 or more"):
        load_experiments("pruthi_2020", seed=-1)


def test_a_config_is_written_whole_and_replaces_nothing(tmp_path, capsys):
    command = ["config", "pruthi_2020", "planted", "bilstm_1", "--size", "quick"]
    file = tmp_path / "new" / "my.jsonnet"
    assert main([*command, "-o", str(file), "--seed", "3"]) == 0
    written = file.read_text()
    assert json.loads(_jsonnet.evaluate_snippet("my", written))["numpy_seed"] == 3
    assert main([*command, "-o", str(file)]) == 2
    said = capsys.readouterr()
    assert said.err == f"error: {file}: exists already; give --force to replace it\n"
    assert file.read_text() == written and not said.out
    assert main([*command, "-o", str(file), "--force"]) == 0
    assert main(command) == 0
    assert capsys.readouterr().out == file.read_text() != written
    assert main([*command, "-o", str(tmp_path / "my.json")]) == 2
    assert "call it *.jsonnet" in capsys.readouterr().err
