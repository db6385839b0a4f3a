"""Estimates come from what methods declare, and the methods say the same of themselves."""

import inspect

import pytest

from attention_explain.commands import cost_model as passes
from attention_explain.counterfactual.registry import PERTURBATIONS as PERTURBATION_KIND
from attention_explain.interpret.interpreter import INTERPRETERS
from attention_explain.workflow import costs
from attention_explain.workflow.contents import Contents, Lines
from attention_explain.workflow.resolve import APPLIED_AGAIN, MEASURES
from attention_explain.workflow.study import ATTRIBUTIONS, FAITHFULNESS, PERTURBATIONS, SPLITS

DECLARED = {
    "interpreters": INTERPRETERS,
    "perturbations": PERTURBATION_KIND,
}


@pytest.mark.parametrize("section", DECLARED)
def test_every_method_has_declared_its_passes_with_its_own_defaults(section):
    kind = DECLARED[section]
    declared = passes._file()[section]
    assert set(declared) == {name for name in kind.known() if _is_ours(kind.registry.by_name(name))}
    for name, cost in declared.items():
        defaults = inspect.signature(kind.registry.by_name(name)).parameters
        for option, value in cost.get("usual", {}).items():
            assert defaults[option].default in (value, "auto"), name


def _is_ours(method: type) -> bool:
    return method.__module__.startswith("attention_explain.")


def test_more_steps_cost_more_and_hidden_states_cost_less():
    def cost(**method):
        return costs.passes(ATTRIBUTIONS, method)

    assert cost(type="integrated-gradients", steps=50) == pytest.approx(52 * 0.3 + 50 * 0.4)
    auto = cost(type="integrated-gradients", steps="auto")
    assert (
        auto
        == costs.passes(ATTRIBUTIONS, "integrated-gradients")
        < cost(type="integrated-gradients", steps=50)
    )
    assert cost(type="leave-one-out", at="hidden") == passes.FORWARD
    assert cost(type="leave-one-out", at="input") == cost(type="leave-one-out")
    assert cost(type="leave-one-out") < costs.passes(ATTRIBUTIONS, "leave-one-out", True)
    assert costs.passes(ATTRIBUTIONS, "leave-one-out", True) == pytest.approx(
        (costs.WORDS_A_TEXT + 1) * passes.FORWARD
    )
    # Somebody's own, of which nothing is known.
    assert cost(type="mine") == pytest.approx(passes.FORWARD + passes.BACKWARD)
    assert costs.passes(ATTRIBUTIONS, "random") == 0 < costs.passes(PERTURBATIONS, "random")


def test_a_judgement_costs_more_with_more_methods():
    few, many = ({"type": "erasure", "methods": number} for number in (1, 10))
    assert 0 < costs.passes(FAITHFULNESS, few) < costs.passes(FAITHFULNESS, many)


def test_a_judgement_costs_what_its_measures_look_at():
    def cost(tokens, *measures):
        erasure = {"type": "erasure", "methods": 8, MEASURES: [{"type": each} for each in measures]}
        return costs.passes(FAITHFULNESS, erasure, length=tokens)

    # Sizes of long texts are no more than points or bins; a curve has more of them.
    assert cost(500, "comprehensiveness") == cost(100, "comprehensiveness") > 0
    assert (
        cost(500, "deletion_curve") == cost(50, "deletion_curve") == 2 * cost(25, "deletion_curve")
    )
    assert cost(500, "deletion_curve", "sufficiency") == cost(500, "deletion_curve")
    assert cost(500, "deletion_curve") > cost(500, "comprehensiveness")
    # A search for few tokens goes one by one.
    assert cost(40, "comprehensiveness") > cost(100, "comprehensiveness")
    assert cost(40, "sensitivity") == 0


def test_what_a_measure_applies_again_counts():
    again = {"type": "parameter_randomization", "intermediate": False}
    methods = ["gradient", {"type": "integrated-gradients", "steps": 50}]
    expected = sum(costs.passes(ATTRIBUTIONS, each) for each in methods)
    assert costs.passes(FAITHFULNESS, {**again, APPLIED_AGAIN: methods}) == pytest.approx(expected)
    curve = {"type": "deletion_curve", APPLIED_AGAIN: methods}
    assert costs.passes(FAITHFULNESS, curve) == 0


def test_products_count_all_steps_of_all_sets():
    adversary = {"type": "instance-adversary", "sets": 2, "steps": 10}
    expected = passes.FORWARD + 20 * passes.DECODE
    assert costs.passes(PERTURBATIONS, adversary) == pytest.approx(expected)


def test_a_pretrained_transformer_costs_more_and_less_where_it_is_not_trained(tmp_path):
    (tmp_path / "texts.jsonl").write_text("word " * 10000)
    contents = Contents(tmp_path / "cache")
    data = {setting: str(tmp_path / "texts.jsonl") for setting in SPLITS.values()}
    data["dataset_reader"] = {"type": "attention_text"}
    trainer = {"num_epochs": 8}

    def above(**options):
        part = {"type": "transformer_words", **options}
        embedder = {"token_embedders": {"tokens": part}}
        return {**data, "trainer": trainer, "model": {"text_field_embedder": embedder}}

    lstm = {**data, "trainer": trainer, "model": {"encoder": {"type": "lstm"}}}
    whole = {**data, "trainer": trainer, "model": {"type": "transformer_classifier"}}
    configs = [lstm, above(train_parameters=False), above(), whole]
    taken = [costs.training(config, contents) for config in configs]
    assert taken[0] < taken[1] < taken[2] / 4 and taken[2] == taken[3]
    # A mix of its layers is learned, so that each epoch reads all texts again.
    mixed = above(train_parameters=False, last_layer_only=False)
    assert costs.training(mixed, contents) == taken[2]
    judged = {"type": "erasure", "methods": 8}
    once, apart = (costs.passes(FAITHFULNESS, judged, apart) for apart in (False, True))
    assert apart > once
    assert costs.passes(ATTRIBUTIONS, "lime", True) == costs.passes(ATTRIBUTIONS, "lime")


def test_what_the_reader_drops_costs_nothing_and_long_texts_cost_more(tmp_path):
    texts = ["short " * 20] * 30 + ["long " * 400] * 10
    (tmp_path / "texts.jsonl").write_text("\n".join(texts))
    contents = Contents(tmp_path / "cache")

    def read(**reader):
        config = {
            "dataset_reader": {"type": "attention_text", **reader},
            "test_data_path": str(tmp_path / "texts.jsonl"),
        }
        return costs.texts(config, "test", contents)

    assert read() == Lines(40, 30 * 20 + 10 * 400) == read(max_tokens=400)
    assert read(max_tokens=100) == Lines(30, 30 * 20)
    # Texts that are cut are all read.
    assert read(max_tokens=100, too_long="cut").number == 40
    short, long = (
        costs.passes(ATTRIBUTIONS, "leave-one-out", True, length) for length in (20, 400)
    )
    assert long / short == pytest.approx(401 / 21)
