"""Scores of one run that another is trained by: of any method, on every split, of the same seed."""

from pathlib import Path

import pytest

from attention_explain.workflow import costs
from attention_explain.workflow.study import StudyError
from tests.workflow.studies import planned

CHAIN = """
local lib = import 'lib/lib.libsonnet';
local study = import 'lib/study.libsonnet';
study {
  title: 'A chain',
  seeds: [1, 2],
  data:: { planted: lib.data.planted() },
  local model(data) = {
    config: lib.experiment(data, lib.encoders.bilstm, lib.attention.tanh, lib.training.jain_wallace),
  },
  runs(data):: {
    base: model(data),
    lrp_25: model(lib.erased(data, 0.25, 'lrp', study.scores('base', 'lrp'))),
    lrp_50: model(lib.erased(data, 0.5, 'lrp', study.scores('lrp_25', 'lrp'))),
    omitted_25: model(lib.erased(data, 0.25, OMITTED, study.scores('base', OMITTED))),
    random_25: model(lib.erased(data, 0.25)),
    guided: {
      config: lib.experiment(
        lib.guided(data, study.guide('base')), lib.encoders.affine, lib.attention.guide, lib.training.jain_wallace
      ),
    },
  },
}
"""
OMITTED = "{ type: 'leave-one-out', measure: 'signed', name: 'omitted' }"
TEXT = CHAIN.replace("OMITTED", OMITTED)


def by_run(plan, kind):
    return {
        step.about.removeprefix("planted/"): step
        for step in plan.steps.values()
        if step.kind == kind
    }


def test_each_run_of_a_chain_takes_the_scores_of_the_one_before_with_its_seed(tmp_path):
    plan = planned(tmp_path, TEXT)
    trained, explained = by_run(plan, "train"), by_run(plan, "attribute")
    for seed in (1, 2):
        for name, before, by in (
            ("lrp_25", "base", "lrp"),
            ("lrp_50", "lrp_25", "lrp"),
            ("omitted_25", "base", "omitted"),
        ):
            run, other = trained[f"{name} (seed {seed})"], explained[f"{before} (seed {seed})"]
            erased = run.config["dataset_reader"]["erased"]
            assert erased["by"] == by and erased["seed"] == seed
            files = erased["files"]
            assert [Path(file).stem for file in files] == ["train", "dev", "test"]
            assert set(files) <= set(other.outputs) and other.name in run.needs
        assert not trained[f"random_25 (seed {seed})"].needs
    assert {name for name in explained if "lrp_25" in name} == {
        "lrp_25 (seed 1)",
        "lrp_25 (seed 2)",
    }


def test_only_what_is_taken_is_made(tmp_path):
    explained = by_run(planned(tmp_path, TEXT), "attribute")
    # A guide of each seed, or one of the first.
    assert [len(explained[f"base (seed {seed})"].files) for seed in (1, 2)] == [9, 9]
    one_base = TEXT.replace("seeds: [1, 2],", "seeds: [1, 2],\n  one_base: true,")
    explained = by_run(planned(tmp_path, one_base), "attribute")
    assert [len(explained[f"base (seed {seed})"].files) for seed in (1, 2)] == [9, 6]
    for file in explained["base (seed 2)"].files:
        words = list(file.arguments)
        method = words[words.index("--interpreters") + 1]
        assert method in ("lrp", '{"measure":"signed","name":"omitted","type":"leave-one-out"}')
    assert explained["base (seed 1)"].seconds > explained["base (seed 2)"].seconds > costs.START


def test_masked_runs_know_the_words_of_whole_texts_and_the_mask(tmp_path):
    config = by_run(planned(tmp_path, TEXT), "train")["lrp_50 (seed 1)"].config
    vocabulary = config["vocabulary"]
    assert "erased" not in vocabulary["reader"] and vocabulary["data_path"] == "train"
    assert vocabulary["tokens_to_add"] == {"tokens": ["@@MASK@@"]}


def test_another_method_or_another_option_is_another_run(tmp_path):
    before = {step.name for step in planned(tmp_path, TEXT).steps.values()}
    other = TEXT.replace("measure: 'signed'", "measure: 'tvd'")
    changed = {
        step.about
        for step in planned(tmp_path, other).steps.values()
        if step.name not in before and step.kind == "train"
    }
    assert changed == {"planted/omitted_25 (seed 1)", "planted/omitted_25 (seed 2)"}


def test_a_run_that_has_no_such_seed_is_named(tmp_path):
    text = TEXT.replace("base: model(data)", "base: model(data) { seeds: 1 }")
    text = text.replace("seeds: [1, 2],", "seeds: [1, 2],\n  one_base: true,")
    said = r"lrp_25 \(seed 2\) refers to planted/base \(seed 2\), which the study does not have"
    with pytest.raises(StudyError, match=said):
        planned(tmp_path, text)


def test_options_that_are_no_json_are_named(tmp_path):
    text = TEXT.replace("study.scores('base', 'lrp')", "study.scores('base', '{lrp')")
    with pytest.raises(StudyError, match="the method {lrp of a reference to scores is not JSON"):
        planned(tmp_path, text)
