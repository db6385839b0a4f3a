"""Estimates come from what methods declare, and the methods say the same of themselves."""

import inspect
from pathlib import Path

import pytest

from attention_explain import costs as passes
from attention_explain import defaults
from attention_explain.counterfactual.perturbation import PERTURBATIONS as PERTURBATION_KIND
from attention_explain.interpret.interpreter import INTERPRETERS
from attention_explain.workflow import costs
from attention_explain.workflow.identity import Contents, Lines
from attention_explain.workflow.resolve import OutputFile
from attention_explain.workflow.study import ATTRIBUTIONS, FAITHFULNESS, SPLITS, Evaluation

TOKENS = 30
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


def cost(*methods, kind="interpreters", tokens=TOKENS, apart=False):
    """In units of the time of a text in training."""
    return passes.FORWARD * passes.passes_of_components(kind, methods, tokens, apart)


def judging_cost(*measures, erasures=1, methods=("gradient",) * 8, tokens=TOKENS, apart=False):
    return passes.FORWARD * passes.passes_of_measures(measures, erasures, methods, tokens, apart)


def test_more_steps_cost_more_and_hidden_states_cost_less():
    many_steps = {"type": "integrated-gradients", "steps": 50}
    assert cost(many_steps) == pytest.approx(52 * 0.3 + 50 * 0.4)
    auto = cost({"type": "integrated-gradients", "steps": "auto"})
    assert auto == cost("integrated-gradients") < cost(many_steps)
    assert cost({"type": "leave-one-out", "at": "hidden"}) == pytest.approx(passes.FORWARD)
    assert cost({"type": "leave-one-out", "at": "input"}) == cost("leave-one-out")
    assert cost("leave-one-out") < cost("leave-one-out", apart=True)
    assert cost("leave-one-out", apart=True) == pytest.approx((TOKENS + 1) * passes.FORWARD)
    # A method of the user's own, whose cost is not declared.
    assert cost("mine") == pytest.approx(passes.FORWARD + passes.BACKWARD)
    assert cost("random") == 0 < cost("random", kind="perturbations")


def test_a_judgement_costs_more_with_more_methods_and_measures_of_more_sizes():
    few, many = (judging_cost("sufficiency", methods=["lrp"] * number) for number in (1, 10))
    assert 0 < few < many
    bins, curve = "comprehensiveness", "deletion_curve"
    # The number of sizes of long texts is that of points or bins; a curve has more of them.
    assert judging_cost(bins, tokens=500) == judging_cost(bins, tokens=100) > 0
    assert judging_cost(curve, tokens=500) == judging_cost(curve, tokens=50)
    assert judging_cost(curve, tokens=50) == pytest.approx(2 * judging_cost(curve, tokens=25))
    assert judging_cost(curve, "sufficiency", tokens=500) == judging_cost(curve, tokens=500)
    assert judging_cost(curve, tokens=500) > judging_cost(bins, tokens=500)
    # The search goes token by token in short texts.
    assert judging_cost(bins, tokens=40) > judging_cost(bins, tokens=100)


def test_what_a_measure_applies_again_counts():
    again = {"type": "parameter_randomization", "intermediate": False}
    methods = ["gradient", {"type": "integrated-gradients", "steps": 50}]
    assert judging_cost(again, erasures=0, methods=methods) == pytest.approx(cost(*methods))
    assert judging_cost("deletion_curve", erasures=0, methods=methods) == 0


def test_measures_of_the_effects_of_words_share_permutations():
    alone = judging_cost({"type": "relevance", "permutations": 32})
    assert alone == pytest.approx(2 * judging_cost({"type": "relevance", "permutations": 16}))
    assert judging_cost({"type": "relevance", "permutations": 32}, "direction") == alone
    assert judging_cost("relevance", erasures=3) == pytest.approx(3 * judging_cost("relevance"))
    both = judging_cost("relevance", "sufficiency")
    assert both == pytest.approx(judging_cost("relevance") + judging_cost("sufficiency"))


def test_a_file_without_named_measures_costs_what_the_defaults_do():
    methods = ("gradient", "lrp")
    file = OutputFile(Path("f"), "a", (), methods, "test", evaluation=Evaluation("all"))
    expected = judging_cost(*defaults.MEASURES, erasures=3, methods=methods)
    assert costs.passes(file, FAITHFULNESS, TOKENS) == pytest.approx(expected)
    file = OutputFile(Path("f"), "a", (), methods, "test")
    assert costs.passes(file, ATTRIBUTIONS, TOKENS) == pytest.approx(cost(*methods))


def test_products_count_all_steps_of_all_sets():
    adversary = {"type": "instance-adversary", "sets": 2, "steps": 10}
    expected = passes.FORWARD + 20 * passes.DECODE
    assert cost(adversary, kind="perturbations") == pytest.approx(expected)


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
    assert judging_cost("sufficiency", apart=True) > judging_cost("sufficiency")
    assert cost("lime", apart=True) == cost("lime")


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
    short, long = (cost("leave-one-out", tokens=length, apart=True) for length in (20, 400))
    assert long / short == pytest.approx(401 / 21)
