"""Runs are known by what decides their result: nothing else makes them new, and all of that does."""

import gzip
import json
import os
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Set

import pyarrow
import pytest

from attention_explain.files.tables import write_sealed
from attention_explain.workflow.identity import (
    Contents,
    hash_of,
    with_contents,
    with_original_names,
)
from attention_explain.workflow.plan import Folders, Plan, make_plan, read_steps
from attention_explain.workflow.study import StudyError
from attention_explain.workflow.study_file import load_study
from tests.workflow.studies import FAMILY, planned, write_study


def steps(plan: Plan, *kinds: str) -> Set[str]:
    return {name for name, step in plan.steps.items() if not kinds or step.kind in kinds}


def changed(before: Plan, after: Plan) -> Set[str]:
    """What would be done again, by kind and by name in the study."""
    return {
        f"{after.steps[name].kind} {after.steps[name].about.split(' ')[0].split('/')[-1]}"
        for name in steps(after) - steps(before)
    }


def test_comments_names_and_order_make_nothing_new(tmp_path):
    before = planned(tmp_path)
    text = FAMILY.replace("local training =", "// Eight epochs.\n  local settings =")
    text = text.replace("attention.tanh, training", "attention.tanh, settings")
    text = text.replace("attention.guide, training", "attention.guide, settings")
    text = text.replace("base: {", "first: {").replace("'base'", "'first'")
    library = tmp_path / "lib" / "training.libsonnet"
    code = library.read_text()
    library.write_text("// Another comment.\n" + code.replace("loss_reduction", "reduction", 1))
    library.write_text(library.read_text().replace("loss_reduction: loss_", "loss_reduction: "))
    assert library.read_text() != code
    after = planned(tmp_path, text)
    assert steps(after) == steps(before)


def test_a_changed_number_makes_its_descendants_new_and_nothing_else(tmp_path):
    before = planned(tmp_path)
    adversary = planned(tmp_path, FAMILY.replace("lambda=0.001", "lambda=0.002"))
    assert changed(before, adversary) == {
        "train adversary",
        "attribute adversary",
        "perturb adversary",
        "table models",
        "table wiegreffe-pinter",
        "table claims",
        "report report",
    }
    base = planned(
        tmp_path,
        FAMILY.replace(
            "lib.attention.tanh, training);\n    {", "lib.attention.dot, training);\n    {"
        ),
    )
    assert changed(before, base) == {
        *changed(before, adversary),
        "train base",
        "attribute base",
        "train guided",
    }
    stranger = planned(tmp_path, FAMILY.replace("stranger: {", "stranger: { split: 'dev',"))
    assert changed(before, stranger) == set()


def test_other_tables_train_nothing(tmp_path):
    after = planned(tmp_path, FAMILY.replace("'wiegreffe-pinter', ['runs', ", "'meister', ["))
    assert changed(planned(tmp_path), after) == {"table meister", "table claims", "report report"}


def test_a_limit_explains_again_and_trains_nothing_again(tmp_path):
    found = changed(planned(tmp_path), planned(tmp_path, limit=5))
    assert not [name for name in found if name.startswith("train")]
    before, after = planned(tmp_path), planned(tmp_path, limit=5)
    (base,) = [
        step
        for step in after.steps.values()
        if step.kind == "attribute" and step.about == "planted/base (seed 1)"
    ]
    assert base.files[0].arguments[-2:] == ("--limit", "5")
    # The attention that guides another model is that of all texts.
    assert all("--limit" not in file.arguments for file in base.files[1:])
    assert before.steps[base.name].outputs[0] != base.outputs[0]
    assert before.steps[base.name].outputs[1:] == base.outputs[1:]


def test_files_are_found_by_the_first_names_of_options():
    now = [{"type": "leave-one-out", "at": "hidden", "of": "logit"}, "occlusion"]
    assert with_original_names(now) == [
        {"type": "leave-one-out", "of": "hidden", "output": "logit"},
        "occlusion",
    ]
    gradient = {"type": "gradient", "at": "hidden", "of": "logit"}
    assert with_original_names([gradient]) == [gradient]


JUDGED = FAMILY.replace(
    "base: { config: base,",
    "base: { config: base, faithfulness: { all: { attributions: 'attention', measures: ['sufficiency'], "
    "erasures: ['delete', { type: 'unk' }] } },",
).replace("tables: [", "tables: [study.table('faithfulness', ['faithfulness/all']), ")


def test_attributions_are_judged_once_they_are_there(tmp_path):
    plan = planned(tmp_path, JUDGED, limit=5)
    evaluation = [step for step in plan.steps.values() if step.kind == "faithfulness"]
    assert {step.about for step in evaluation} == {"planted/base (seed 1)", "planted/base (seed 2)"}
    (table,) = [step for step in plan.steps.values() if step.about == "faithfulness"]
    assert set(table.needs) == {step.name for step in evaluation}
    for step in evaluation:
        training, attribution = (plan.steps[name] for name in step.needs)
        assert (training.kind, attribution.kind) == ("train", "attribute")
        (file,) = step.files
        assert file.output in table.command and Path(file.output).parent.name == "faithfulness"
        assert file.arguments == (
            *("faithfulness", training.folder, attribution.outputs[0], "-o", file.output),
            *("--data", "test", "--measures", "sufficiency", "--erasures", "delete"),
            *('{"type": "unk"}', "--file-friendly-logging"),
        )


def test_a_judgement_may_be_of_fewer_texts_than_have_attributions(tmp_path):
    text = JUDGED.replace("measures: ['suff", "limit: 3, measures: ['suff")
    plan = planned(tmp_path, text, limit=5)
    limits = {
        step.kind: dict(zip(file.arguments, file.arguments[1:])).get("--limit")
        for step in plan.steps.values()
        if step.kind in ("attribute", "faithfulness")
        # Behind it is the attention that guides another model, of all texts.
        for file in step.files[:1]
    }
    assert limits == {"attribute": "5", "faithfulness": "3"}
    (cheaper, dearer) = (
        [
            step.seconds
            for step in planned(tmp_path, each).steps.values()
            if step.kind == "faithfulness"
        ]
        for each in (text, JUDGED)
    )
    assert max(cheaper) < min(dearer)


def test_what_decides_a_judgement_makes_it_new_and_nothing_else(tmp_path):
    def outputs(text: str, kind: str, **options):
        steps = planned(tmp_path, text, **options).steps.values()
        return {output for step in steps if step.kind == kind for output in step.outputs}

    for text, options in (
        (JUDGED.replace("'sufficiency'", "'comprehensiveness'"), {}),
        (JUDGED.replace("['attention'] }", "['attention', 'random'] }"), {}),
        (JUDGED, {"limit": 3}),
        (JUDGED.replace("measures: ['suff", "limit: 3, measures: ['suff"), {}),
    ):
        assert not outputs(text, "faithfulness", **options) & outputs(JUDGED, "faithfulness")
    assert outputs(JUDGED, "attribute") == outputs(FAMILY, "attribute")


def own_data(folder: Path, texts: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for split in ("train", "dev", "test"):
        with gzip.open(folder / f"{split}.jsonl.gz", "wt") as file:
            file.write(texts)


def test_data_counts_by_content_and_not_by_position(tmp_path):
    text = FAMILY.replace(
        "lib.data.planted()",
        "lib.data.text_files(root + 'train.jsonl.gz', root + 'dev.jsonl.gz', root + 'test.jsonl.gz')",
    ).replace("study {", "local root = std.extVar('ATTENTION_EXPLAIN_DATA') + '/';\nstudy {")
    own_data(tmp_path / "here", '{"text": "a", "label": "0"}\n')
    own_data(tmp_path / "there", '{"text": "a", "label": "0"}\n')
    own_data(tmp_path / "other", '{"text": "b", "label": "0"}\n')
    here = planned(tmp_path, text, data=str(tmp_path / "here"))
    there = planned(tmp_path, text, data=str(tmp_path / "there"))
    other = planned(tmp_path, text, data=str(tmp_path / "other"))
    assert steps(here) == steps(there)
    assert not steps(here, "train") & steps(other, "train")
    own_data(tmp_path / "here", '{"text": "b", "label": "0"}\n')
    assert steps(planned(tmp_path, text, data=str(tmp_path / "here"))) == steps(other)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "pos" / "0_9.txt").write_text("another text"),
        lambda folder: (folder / "pos" / "0_9.txt").rename(folder / "pos" / "1_9.txt"),
        lambda folder: (folder / "neg" / "7_1.txt").write_text("one more"),
        lambda folder: (folder / "neg" / "0_1.txt").unlink(),
    ],
)
def test_a_folder_of_texts_counts_by_what_is_in_it(tmp_path, change):
    text = FAMILY.replace(
        "lib.data.planted()",
        "lib.data.text_files(root + 'train', root + 'test', root + 'test', { type: 'acl_imdb' })",
    ).replace("study {", "local root = std.extVar('ATTENTION_EXPLAIN_DATA') + '/';\nstudy {")
    for position in ("here", "there"):
        for split in ("train", "test"):
            for name in ("pos/0_9.txt", "neg/0_1.txt"):
                file = tmp_path / position / split / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("some text")
    here, there = (
        planned(tmp_path, text, data=str(tmp_path / position)) for position in ("here", "there")
    )
    assert steps(here) == steps(there)
    # What no reader sees, and a folder that leads to itself.
    (tmp_path / "there" / "train" / "pos" / ".hidden").write_text("x")
    (tmp_path / "there" / "train" / "pos" / "again").symlink_to(tmp_path / "there" / "train")
    assert steps(here) == steps(planned(tmp_path, text, data=str(tmp_path / "there")))
    change(tmp_path / "there" / "train")
    after = planned(tmp_path, text, data=str(tmp_path / "there"))
    assert not steps(here, "train") & steps(after, "train")


def test_a_folder_inside_an_archive_counts_by_the_archive(tmp_path):
    archive = tmp_path / "a.tar"
    contents = Contents(tmp_path / "contents.json")
    config = {"train_data_path": f"{archive}!a/train"}
    found = []
    for content in ("one", "two", "one"):
        archive.write_text(content)
        os.utime(archive, ns=(len(found), len(found)))
        found.append(hash_of(with_contents(config, contents)))
    assert found[0] == found[2] != found[1]
    other = {"train_data_path": f"{archive}!a/test"}
    assert hash_of(with_contents(other, contents)) != found[2]


@pytest.mark.parametrize("setting", ["held_out", "model_name", "pretrained_file"])
def test_every_file_that_a_config_names_counts_by_its_content(tmp_path, setting):
    contents = Contents(tmp_path / "contents.json")
    found = []
    for name, content in (("a", "one"), ("b", "one"), ("b", "two")):
        (tmp_path / name).write_text(content)
        os.utime(tmp_path / name, ns=(len(found), len(found)))
        config = {"dataset_reader": {setting: str(tmp_path / name)}}
        found.append(hash_of(with_contents(config, contents)))
    assert found[0] == found[1] != found[2]
    # A name that is no file here is one of a hub.
    hub = {"dataset_reader": {setting: "google/bert"}}
    assert with_contents(hub, contents) == hub


def test_the_embedded_corpus_is_no_folder_of_the_same_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = steps(planned(tmp_path))
    for split in ("train", "dev", "test"):
        (tmp_path / split).mkdir()
        (tmp_path / split / "a").touch()
    assert steps(planned(tmp_path)) == before


def test_a_study_and_its_corpora_may_be_called_anything(tmp_path):
    """Names of steps are patterns and paths to the engine, and have to be plain there."""
    text = FAMILY.replace(
        "data:: { planted: lib.data.planted() }",
        "data:: { 'a (b) + {c}': lib.data.planted(), 'a [b]': lib.data.planted('hard') }",
    ).replace("tables: [", "tables: [study.agreement(['attributions/attention']), ")
    path = write_study(tmp_path, text, "my (study) + {x}")
    plan = make_plan(load_study(str(path)), Folders(tmp_path / "runs", tmp_path / "results"))
    folders = {step.outputs[0] for step in plan.steps.values() if step.kind == "report"}
    assert {Path(folder).name for folder in folders} == {path.stem, "a (b) + {c}", "a [b]"}
    for name in plan.steps:
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,250}", name), name


def test_no_two_steps_wait_for_each_other_s_locks(tmp_path):
    """Guides are files of the same names, each in a folder of its own."""
    again = FAMILY[FAMILY.index("      guided: {") : FAMILY.index("      stranger: {")]
    again = again.replace("guided: {", "other: {").replace("guide('base')", "guide('stranger')")
    text = FAMILY.replace("      stranger: {", f"{again}      stranger: {{")
    plan = planned(tmp_path, text)
    guides = [step for step in plan.steps.values() if "guides" in str(step.outputs)]
    assert len(guides) == 4
    every = [lock for step in plan.steps.values() for lock in step.lock_names(tmp_path / "runs")]
    assert len(every) == len(set(every))


def test_where_runs_lie_makes_no_difference(tmp_path):
    assert steps(planned(tmp_path)) == steps(planned(tmp_path, runs="elsewhere"))


ONE_BASE = FAMILY.replace("seeds: [1, 2],", "seeds: [1, 2],\n  one_base: true,")


@pytest.mark.parametrize("text, bases", [(FAMILY, {1: 1, 2: 2}), (ONE_BASE, {1: 1, 2: 1})])
def test_references_are_paths_to_the_same_seed_or_all_to_the_first(tmp_path, text, bases):
    plan = planned(tmp_path, text)
    configs = {step.about: step.config for step in plan.steps.values() if step.kind == "train"}
    folders = {step.about: step.outputs[0] for step in plan.steps.values() if step.kind == "train"}
    attributed = {step.about: step for step in plan.steps.values() if step.kind == "attribute"}
    perturbed = {step.about: step for step in plan.steps.values() if step.kind == "perturb"}
    for seed, base in bases.items():
        (callback,) = configs[f"planted/adversary (seed {seed})"]["trainer"]["callbacks"]
        assert callback["base"] == folders[f"planted/base (seed {base})"]
        guide = configs[f"planted/guided (seed {seed})"]["dataset_reader"]["guide"]
        assert [Path(file).stem for file in guide] == ["train", "dev", "test"]
        made = attributed[f"planted/base (seed {base})"]
        assert set(guide) < set(made.outputs)
        said = json.dumps(asdict(perturbed[f"planted/adversary (seed {seed})"].files[0]))
        assert sum(output in said for output in made.outputs) == 1


def test_with_the_first_seed_a_run_is_the_same_whatever_base_others_have(tmp_path):
    own, one = planned(tmp_path), planned(tmp_path, ONE_BASE)
    kinds = ("train", "attribute", "perturb")
    again = {one.steps[name].description for name in steps(one, *kinds) - steps(own)}
    assert again == {
        "train planted/adversary (seed 2)",
        "train planted/guided (seed 2)",
        "attribute planted/adversary (seed 2)",
        "perturb planted/adversary (seed 2)",
    }


def test_fewer_seeds_of_a_base_than_of_what_refers_to_it_are_rejected(tmp_path):
    few = "base: { seeds: 1, config: base,"
    said = r"adversary \(seed 2\) refers to planted/base \(seed 2\), .*, or set `one_base: true`"
    with pytest.raises(StudyError, match=said):
        planned(tmp_path, FAMILY.replace("base: { config: base,", few))
    planned(tmp_path, ONE_BASE.replace("base: { config: base,", few))
    with pytest.raises(StudyError, match="'one_base' is neither true nor false"):
        planned(tmp_path, ONE_BASE.replace("one_base: true", "one_base: 1"))


def test_what_a_run_refers_to_is_done_before(tmp_path):
    plan = planned(tmp_path)
    for step in plan.steps.values():
        text = json.dumps(asdict(replace(step, needs=())))
        for other in plan.steps.values():
            if (
                other is not step
                and any(
                    re.search(re.escape(output) + r'["/]', text)
                    for output in other.outputs
                    if other.kind in ("train", "attribute", "perturb")
                )
                and step.kind != "report"
            ):
                assert other.name in step.needs or all(
                    need in plan.steps[step.needs[0]].needs or need in step.needs
                    for need in [other.name]
                )


def test_two_names_for_one_run_are_one_run(tmp_path):
    text = FAMILY.replace(
        "stranger: {",
        "again: { config: base, perturbations: { all: ['uniform'] } },\n      stranger: {",
    )
    before, after = planned(tmp_path), planned(tmp_path, text)
    assert steps(before, "train") == steps(after, "train")
    assert {name.split(" ")[0] for name in changed(before, after)} == {"perturb"}


def test_runs_that_refer_to_each_other_are_rejected(tmp_path):
    text = FAMILY.replace(
        "base: { config: base,", "base: { config: lib.adversary(base, study.run('adversary')),"
    )
    with pytest.raises(StudyError, match=r"planted/adversary \(seed 1\).*to itself"):
        planned(tmp_path, text)


def test_a_reference_to_nothing_is_rejected(tmp_path):
    with pytest.raises(StudyError, match=r"refers to planted/bsae \(seed 1\), which the study"):
        planned(tmp_path, FAMILY.replace("study.run('base')", "study.run('bsae')"))
    with pytest.raises(StudyError, match="attributions that base does not have"):
        planned(tmp_path, FAMILY.replace("('base', 'attention')", "('base', 'all')"))


def test_a_limit_of_nothing_is_rejected(tmp_path):
    with pytest.raises(StudyError, match="limit is 0"):
        planned(tmp_path, limit=0)


def test_a_part_of_a_study_may_have_a_folder_of_its_own(tmp_path):
    whole, part = planned(tmp_path), planned(tmp_path, name="family-2")
    assert part.results == whole.results.parent / "family-2"
    trained = [
        {step.outputs for step in plan.steps.values() if step.kind == "train"}
        for plan in (whole, part)
    ]
    assert trained[0] == trained[1]
    for name in ("../family", "a/b", ".hidden", ""):
        with pytest.raises(StudyError, match="--name is .* but must be letters"):
            planned(tmp_path, name=name)


def test_the_written_plan_has_all_steps_that_are_not_done(tmp_path):
    plan = planned(tmp_path)
    written = tmp_path / "plan.json"
    written.write_text(plan.to_json())
    assert read_steps(written) == plan.steps
    (first, *_) = [step for step in plan.steps.values() if step.kind == "attribute"]
    for output in first.outputs:
        Path(output).parent.mkdir(parents=True, exist_ok=True)
        write_sealed(pyarrow.table({"a": [1.0]}), Path(output))
    written.write_text(plan.to_json())
    left = read_steps(written)
    assert set(left) == set(plan.steps) - {first.name}
    assert all(first.name not in step.needs for step in left.values())


def test_several_corpora_have_folders_of_their_own_where_texts_must_be_the_same(tmp_path):
    text = FAMILY.replace(
        "planted: lib.data.planted()", "one: lib.data.planted(), two: lib.data.planted('negation')"
    )
    text = text.replace(
        "study.table('wiegreffe-pinter', ['runs', 'attributions/attention'])",
        "study.agreement(['attributions/attention'])",
    )
    plan = planned(tmp_path, text)
    folders = {Path(step.outputs[0]).name for step in plan.steps.values() if step.kind == "report"}
    # The study's own has the plain csv of its models alone.
    assert folders == {"one", "two"}


def test_a_plan_is_the_same_from_any_process(tmp_path, monkeypatch):
    first = planned(tmp_path)
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    write_study(tmp_path, FAMILY)
    assert planned(tmp_path).steps == first.steps
