"""Which files make which models, and how captions name them."""

import pyarrow
import pyarrow.parquet
import pytest

from analysis.errors import AnalysisError
from analysis.papers.shared.study_files import by_corpus, describe, load_models, load_study
from tests.analysis.attribution_files import config
from tests.analysis.papers.families import write_training
from tests.analysis.papers.studies import write_run
from tests.analysis.perturbation_files import perturbed_rows, write_perturbations


def test_seeds_of_a_model_are_one_model_and_corpora_keep_apart(tmp_path):
    for corpus in ("sst", "imdb"):
        for seed in (1, 2):
            write_run(tmp_path / f"{corpus}_{seed}.parquet", seed=seed, corpus=corpus, texts=8)
    models = load_models([tmp_path])
    # The name need not tell what the corpus next to it tells.
    assert [model.name for model in models] == ["bilstm tanh softmax"] * 2
    assert {corpus: len(several[0].files) for corpus, several in by_corpus(models).items()} == {
        "imdb": 2,
        "sst": 2,
    }


def test_captions_give_data_models_and_n(tmp_path):
    paths = [
        write_run(tmp_path / "a.parquet", seed=1, texts=8),
        write_run(tmp_path / "b.parquet", seed=2, texts=8),
        write_run(tmp_path / "c.parquet", scorer="scaled_dot", texts=10),
        write_run(tmp_path / "d.parquet", corpus="imdb", texts=9),
    ]
    assert describe(load_models(paths)) == (
        "sst (8 to 10 texts): bilstm tanh softmax (2 seeds), bilstm dot softmax; "
        "imdb (9 texts): bilstm tanh softmax"
    )


def test_other_tables_in_a_folder_are_passed_over_and_broken_ones_are_not(tmp_path):
    path = write_run(tmp_path / "a.parquet", texts=8)
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "other.parquet")
    assert len(load_models([tmp_path])) == 1
    (tmp_path / "cut.parquet").write_bytes(path.read_bytes()[:200])
    with pytest.raises(AnalysisError, match="cut.parquet: not a readable parquet file"):
        load_models([tmp_path])


def test_a_study_takes_files_of_both_kinds_and_runs(tmp_path):
    run = write_training(tmp_path / "run", config(), {"test_f1": 0.5})
    attributed = write_run(run / "a.parquet", texts=8)
    perturbed = write_perturbations(tmp_path / "p.parquet", perturbed_rows(8))
    study = load_study([run, perturbed])
    assert [len(part) for part in (study.models, study.perturbed, study.runs)] == [1, 1, 1]
    paths = [source.path for source in study.sources]
    assert paths == [attributed, perturbed, run / "metrics.json"]


def test_a_run_given_twice_counts_once(tmp_path):
    run = write_training(tmp_path / "run", config())
    assert len(load_study([run, tmp_path / "." / "run"]).runs) == 1


def test_an_unfinished_run_raises(tmp_path):
    run = write_training(tmp_path / "run", config())
    (run / "metrics.json").unlink()
    with pytest.raises(AnalysisError, match="not a finished training run, metrics.json missing"):
        load_study([run])
