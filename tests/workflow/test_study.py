"""A study file says what it means, and a slip in one is answered by a sentence."""

import pytest

from analysis.commands.table import find_exhibits
from attention_explain.workflow.plan import Folders, make_plan
from attention_explain.workflow.study import RunKey, StudyError
from attention_explain.workflow.study_file import SIZES, STUDIES, load_study
from tests.workflow.studies import FAMILY, NAMES, write_study


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_every_study_of_the_project_can_be_planned(name, size, tmp_path):
    # Two seeds: the first is referred to by all.
    study = load_study(name, size=size, data="nowhere", seeds=2)
    plan = make_plan(study, Folders(tmp_path / "runs", tmp_path / "results"))
    made = {step.kind for step in plan.steps.values()}
    assert {"train", "table", "report"} <= made
    # Nothing is trained or explained that no table asks for.
    needed = {need for step in plan.steps.values() for need in step.needs}
    ends = {name for name, step in plan.steps.items() if step.kind in ("table", "report")}
    assert set(plan.steps) - ends <= needed
    # The quick size needs no data.
    assert size == "full" or {key.corpus for key in study.runs} == {"planted"}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_no_table_of_a_study_takes_the_position_of_another(name, size):
    """What a command writes replaces what is in its section of the results."""
    tables = load_study(name, size=size, data="nowhere", seeds=1).tables
    sections = [
        find_exhibits(table.name).title if table.command == "table" else table.command
        for table in tables
    ]
    assert len(set(sections)) == len(sections)
    # Nor does an entry of one section have the name of another's.
    exhibits = [
        exhibit.name
        for table in tables
        if table.command == "table"
        for exhibit in find_exhibits(table.name).exhibits
    ]
    assert len(set(exhibits)) == len(exhibits)


@pytest.mark.parametrize("name", NAMES)
def test_a_study_is_a_short_file(name):
    assert len((STUDIES / f"{name}.jsonnet").read_text().splitlines()) <= 90


def seeds_of(study, name):
    return [key.seed for key in study.runs if key.name == name]


def test_more_seeds_than_a_study_names_go_on_with_the_next_numbers(tmp_path):
    path = str(write_study(tmp_path, FAMILY.replace("seeds: [1, 2]", "seeds: [10, 2]")))
    assert seeds_of(load_study(path), "base") == [10, 2]
    assert seeds_of(load_study(path, seeds=1), "base") == [10]
    assert seeds_of(load_study(path, seeds=4), "base") == [10, 2, 1, 3]


def test_each_seed_reaches_the_config(tmp_path):
    study = load_study(str(write_study(tmp_path, FAMILY)))
    for key, run in study.runs.items():
        assert run.config["pytorch_seed"] == run.config["random_seed"] == key.seed


def test_a_run_may_have_fewer_seeds_than_the_study(tmp_path):
    text = FAMILY.replace("stranger: {", "stranger: { seeds: 1,")
    study = load_study(str(write_study(tmp_path, text)))
    assert seeds_of(study, "stranger") == [1]
    assert seeds_of(study, "base") == [1, 2]


def test_models_have_five_seeds_and_what_takes_long_has_three():
    study = load_study("attention_debate", corpora=["sst"], data="nowhere")
    for name in ("bilstm", "bilstm_uniform", "affine"):
        assert seeds_of(study, name) == [1, 2, 3, 4, 5]
    for name in ("adversary_0.002", "frozen", "affine_guided"):
        assert seeds_of(study, name) == [1, 2, 3]
    pairs = load_study("jain_wallace_2019", corpora=["snli"], data="nowhere")
    assert seeds_of(pairs, "bilstm_tanh") == [1, 2, 3]


def test_corpora_can_be_chosen():
    study = load_study("jain_wallace_2019", corpora=["newsgroups"])
    assert {key.corpus for key in study.runs} == {"newsgroups"}


def test_a_corpus_may_lack_what_a_table_is_made_from(tmp_path):
    study = load_study("planted", corpora=["negation"], seeds=1)
    plan = make_plan(study, Folders(tmp_path / "runs", tmp_path / "results"))
    tables = {step.about for step in plan.steps.values() if step.kind == "table"}
    assert tables == {"models", "causes", "agreement", "claims"}


def test_without_test_data_dev_is_explained(tmp_path):
    text = FAMILY.replace("lib.data.planted()", "lib.data.text_files('train.jsonl', 'dev.jsonl')")
    study = load_study(str(write_study(tmp_path, text)))
    assert study.runs[RunKey("planted", "base", 1)].split == "dev"


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("seeds: [1, 2],", "seeds: [1, 2], sedes: 3,", "unknown key 'sedes'; known are title"),
        (
            "attributions: { attention: ['attention'] } },\n      adv",
            "atributions: {} },\n      adv",
            "run 'base' of planted: unknown key 'atributions'",
        ),
        (
            "{ config: lib.experiment(data, lib.encoders.affine",
            "{ confg: lib.experiment(data, lib.encoders.affine",
            "run 'stranger' of planted: unknown key 'confg'",
        ),
        ("seeds: [1, 2]", "seeds: ['one']", "'seeds' is not a list of whole numbers"),
        (
            "'attributions/attention'])",
            "'attributions/all'])",
            "uses 'attributions/all', which no run has",
        ),
        ("study.table('wieg", "study.tables('wieg", "RUNTIME ERROR"),
        ("title: 'A family',", "", "a study needs a title"),
        ("title: 'A family',", "title: '', corpora: [1],", "'corpora': is not an object"),
        ("title: 'A family',", "title: '', corpora: { a: 1 },", "the corpus 'a': is not an object"),
        ("{ attention: ['attention'] }", "['attention']", "must map names to lists of methods"),
        (
            "stranger: {",
            "stranger: { faithfulness: { all: ['sufficiency'] },",
            "'faithfulness' of the run 'stranger' of planted must map names to objects",
        ),
        (
            "stranger: {",
            "stranger: { faithfulness: { all: { attributions: 'all' } },",
            "attributions 'all', which the run does not have",
        ),
        (
            "stranger: {",
            "stranger: { faithfulness: { all: { attributes: 'all' } },",
            "faithfulness 'all' of the run 'stranger' of planted: unknown key 'attributes'; "
            "known are attributions, measures, erasures, limit",
        ),
        (
            "stranger: {",
            "stranger: { faithfulness: { all: { attributions: 'attention', limit: 0 } },",
            "the run 'stranger' of planted has the limit 0, but it must be a whole number of at least 1",
        ),
    ],
)
def test_a_slip_is_answered_by_one_sentence(old, new, said, tmp_path):
    assert old in FAMILY
    path = write_study(tmp_path, FAMILY.replace(old, new))
    with pytest.raises(StudyError, match=said) as caught:
        load_study(str(path))
    assert "family.jsonnet" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"name": "no_such_study"}, "no such study; there are attention_debate, "),
        ({"size": "huge"}, "no size 'huge'; there are quick, full"),
        ({"corpora": ["sst", "moon"]}, "no corpus 'moon' in this study; there are"),
        ({"seeds": 0}, "number of seeds is 0"),
    ],
)
def test_what_is_asked_for_and_not_there_is_named(options, said):
    with pytest.raises(StudyError, match=said):
        load_study(**{"name": "jain_wallace_2019", **options})


def test_models_can_be_chosen_and_bring_what_they_refer_to(tmp_path):
    path = str(write_study(tmp_path, FAMILY))
    study = load_study(path, models=["guided"])
    assert {key.name for key in study.runs} == {"guided", "base"}
    study = load_study(path, models=["stranger", "adversary"])
    assert {key.name for key in study.runs} == {"stranger", "adversary", "base"}
    # Tables are made of what there is.
    plan = make_plan(load_study(path, models=["stranger"]), Folders(tmp_path / "runs", tmp_path))
    assert {step.kind for step in plan.steps.values()} == {"train", "table", "report"}
    with pytest.raises(
        StudyError, match="no model 'bass' in this study; there are adversary, base"
    ):
        load_study(path, models=["bass"])
