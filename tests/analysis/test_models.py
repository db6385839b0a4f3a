"""Which files are seeds of one model, and what models are called."""

import pytest

from analysis.errors import AnalysisError
from analysis.model_config import ModelConfig
from analysis.models import models_of
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import config, random_rows, write_attributions
from tests.analysis.papers.families import adversary_config

ROWS = random_rows(texts=3)


def load(path, config=config(), **metadata):
    return load_attributions(write_attributions(path, ROWS, config=config, **metadata))


def test_configs_that_differ_in_seeds_alone_are_one_model(tmp_path):
    files = [
        load(tmp_path / "one.parquet", config(1)),
        load(tmp_path / "sparse.parquet", config(1, projection="sparsemax")),
        load(tmp_path / "two.parquet", config(2)),
    ]
    plain, sparse = models_of(files)
    assert plain.name == "bilstm tanh softmax" and plain.files == (files[0], files[2])
    assert sparse.name == "bilstm tanh sparsemax" and sparse.files == (files[1],)
    assert plain.config.seed == 1


def test_other_parameters_of_a_method_are_another_model_and_say_so_in_the_name(tmp_path):
    def interpreters(steps):
        return {"attention": {}, "gradient": {"parameters": {"steps": steps}}}

    files = [
        load(tmp_path / f"{steps}.parquet", config(steps), interpreters=interpreters(steps))
        for steps in (5, 50)
    ]
    names = [model.name for model in models_of(files)]
    assert names == ["bilstm tanh softmax (steps 5)", "bilstm tanh softmax (steps 50)"]


def test_models_of_the_same_name_are_told_apart_by_what_differs(tmp_path):
    files = [
        load(tmp_path / "slow.parquet", config(trainer={"optimizer": {"lr": 0.1}})),
        load(tmp_path / "fast.parquet", config(trainer={"optimizer": {"lr": 1}})),
    ]
    assert [model.name for model in models_of(files)] == [
        "bilstm tanh softmax (lr 0.1)",
        "bilstm tanh softmax (lr 1)",
    ]


def test_models_that_differ_in_much_are_called_as_their_files(tmp_path):
    files = [
        load(tmp_path / "slow.parquet", config(trainer={"lr": 0.1, "epochs": 3, "clip": 5})),
        load(tmp_path / "fast.parquet", config(trainer={"lr": 1, "epochs": 4, "clip": 6})),
    ]
    assert [model.name for model in models_of(files)] == ["slow", "fast"]
    elsewhere = load(
        tmp_path / "other" / "fast.parquet",
        config(trainer={"lr": 2, "epochs": 5, "clip": 7}),
        archive_sha256="another",
    )
    names = [model.name for model in models_of([*files, elsewhere])]
    assert len(set(names)) == 3 and names[2].endswith("other/fast.parquet")


def test_adversaries_of_a_base_each_are_seeds_of_one_model(tmp_path):
    def adversary(seed, base):
        return load(
            tmp_path / f"{seed}-{base}.parquet",
            adversary_config(f"runs/{base}", 0.001, seed=seed),
            archive_sha256=f"{seed} {base}",
        )

    files = [adversary(1, "one"), adversary(2, "two"), adversary(3, "two")]
    (model,) = models_of(files)
    assert model.name == "bilstm tanh softmax adversary(0.001)" and model.files == tuple(files)
    # No model is trained twice with a seed: these are of two bases.
    again = adversary(1, "two")
    first, second = models_of([*files, again])
    assert first.files == (files[0],) and second.files == (files[1], files[2], again)
    assert first.name == "bilstm tanh softmax adversary(0.001) (base runs/one)"


def test_the_same_scores_twice_are_no_two_seeds(tmp_path):
    file = load(tmp_path / "one.parquet")
    with pytest.raises(AnalysisError, match="one.parquet: given twice"):
        models_of([file, file])
    copy = load(tmp_path / "copy.parquet", archive_sha256=file.metadata["archive_sha256"])
    with pytest.raises(AnalysisError, match="copy.parquet: holds the same model's scores as"):
        models_of([file, copy])


def test_models_that_attend_to_no_states_are_called_what_they_are():
    folder = {"type": "transformer_classifier", "model_name": "some/where/tiny-bert/"}
    reader = {"type": "attention_text"}
    found = ModelConfig({"model": folder, "dataset_reader": reader})
    assert (found.name, found.encoder, found.projection) == ("tiny-bert", "tiny-bert", "-")
    other = {"type": "basic_classifier", "text_field_embedder": {}}
    assert ModelConfig({"model": other, "dataset_reader": reader}).name == "basic_classifier"


@pytest.mark.parametrize(
    "encoder, trained, name",
    [
        ("pass_through", False, "frozen all-MiniLM tanh sparsemax"),
        ("pass_through", True, "all-MiniLM tanh sparsemax"),
        ("affine", False, "affine tanh sparsemax"),
    ],
)
def test_states_that_are_passed_on_are_called_by_the_transformer_that_made_them(
    encoder, trained, name
):
    embedder = {"type": "transformer_words", "model_name": "w/all-MiniLM"}
    config = {
        "dataset_reader": "sst_trees",
        "model": {
            "type": "attention_classifier",
            "text_field_embedder": {
                "token_embedders": {"tokens": {**embedder, "train_parameters": trained}}
            },
            "encoder": {"type": encoder},
            "attention": {"projection": "sparsemax"},
        },
    }
    model = ModelConfig(config)
    assert model.name == name
    # Folders of runs are found by what they were called first.
    assert model.registered_name == f"{encoder} tanh sparsemax"
