"""What every saliency method has from its base: batches, order, targets, entries and rejections."""

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import (
    INTERPRETERS,
    Attribution,
    Interpreter,
    known_interpreters,
)
from attention_explain.passes import rows_by_length
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.builders import ENCODERS, TEXTS, instances, model, reader, vocabulary
from tests.interpret.no_trace import interpreter


class Positions(Interpreter):
    """Gives each token the number of its position in the text, and remembers what it was given."""

    signed = False
    passes = "none"

    def __init__(self, predictor):
        super().__init__(predictor)
        self.batches = []
        self.targets = []

    def attribute(self, batch, target):
        self.batches.append(batch)
        self.targets.append(target)
        positions = torch.arange(batch.length, dtype=torch.float).expand(len(batch), -1)
        return Attribution(positions.clone(), {"length": batch.mask.sum(-1)})


@pytest.fixture
def positions():
    return Positions(SaliencyPredictor(model(), reader()))


@pytest.mark.parametrize("longest_first", [False, True])
def test_groups_hold_texts_of_like_length_within_the_budget(longest_first):
    lengths = [3, 12, 1, 10, 3, 30, 2]
    groups = rows_by_length(lengths, 12, longest_first)
    assert sorted(row for group in groups for row in group) == list(range(len(lengths)))
    for group in groups:
        longest = max(lengths[row] for row in group)
        assert len(group) == 1 or len(group) * longest <= 12
    # Sorted by length, ties in the order of the data: the same groups every time.
    order = [row for group in groups for row in group]
    assert order == ([5, 1, 3, 0, 4, 6, 2] if longest_first else [2, 6, 0, 4, 3, 1, 5])
    # As many as fit.
    assert groups == (
        [[5], [1], [3], [0, 4, 6, 2]] if longest_first else [[2, 6, 0, 4], [3], [1], [5]]
    )


def test_results_are_in_the_order_of_the_instances(positions):
    for budget in (1, 13, 26, 1000):
        results = positions.saliency_interpret_instances(instances(), budget=budget)
        assert [len(result["scores"]) for result in results] == [3, 12, 1, 11]
        assert [result["length"] for result in results] == [3, 12, 1, 11]
        assert results[1]["scores"] == list(range(12))


def test_no_batch_is_over_the_budget_unless_a_text_is(positions):
    positions.saliency_interpret_instances(instances(), budget=11)
    sizes = [batch.mask.numel() for batch in positions.batches]
    assert max(sizes) == 12 and sorted(sizes)[-2] <= 11


def test_boundary_symbols_and_padding_get_no_score():
    classifier = model(vocab=vocabulary(boundary_symbols=True))
    method = Positions(SaliencyPredictor(classifier, reader(boundary_symbols=True)))
    texts = instances(boundary_symbols=True)
    for text, result in zip(texts, method.saliency_interpret_instances(texts), strict=True):
        words = text["metadata"].metadata["tokens"]
        assert result["scores"] == list(range(1, len(words) + 1))


def test_the_target_is_the_predicted_class_unless_named(positions):
    labels = positions.model.labels
    positions.saliency_interpret_instances(instances(), budget=1000)
    predicted = [
        labels.index(positions.model.forward_on_instance(text)["label"])
        for text in sorted(instances(), key=lambda text: len(text["tokens"]))
    ]
    assert positions.targets[-1].tolist() == predicted
    for index, label in enumerate(labels):
        positions.saliency_interpret_instances(instances(), target=label, budget=1000)
        assert positions.targets[-1].tolist() == [index] * 4


def test_an_unknown_target_is_rejected(positions):
    sentence = "target is 'good', which is none of the model's labels: "
    with pytest.raises(InputError, match=sentence):
        positions.saliency_interpret_instances(instances(), target="good")


def test_the_json_entry_is_the_batched_one():
    for name in ("attention", "gradient", "gradient-x-input"):
        method = interpreter(name, model())
        (expected,) = method.saliency_interpret_instances(instances(TEXTS[1:2], None))
        answer = method.saliency_interpret_from_json({"text": TEXTS[1]})
        assert answer == {"instance_1": {"grad_input_1": expected["scores"]}}


def test_only_an_attention_classifier_can_be_explained():
    predictor = SaliencyPredictor(model(), reader())
    predictor._model = torch.nn.Linear(1, 1)
    with pytest.raises(InputError, match="explains an attention_classifier, not a Linear"):
        Positions(predictor)


def test_dropout_is_off_and_the_mode_is_kept():
    classifier = model()
    classifier.encoder.add_module("noise", torch.nn.Dropout(0.9))
    method = interpreter("gradient", classifier)
    before = method.saliency_interpret_instances(instances())
    classifier.train()
    assert method.saliency_interpret_instances(instances()) == before
    assert classifier.training and classifier.encoder.noise.training


@pytest.mark.parametrize("name", known_interpreters())
def test_every_method_declares_itself_and_keeps_its_options(name):
    """What a file of scores says about a method is read from it."""
    method = on_an_encoder_that_it_takes(name)
    assert isinstance(method.signed, bool) and isinstance(method.deterministic, bool)
    assert isinstance(method.passes, str)
    assert method.sums_to is None or isinstance(method.sums_to, str)
    for option in INTERPRETERS.option_names(type(method)):
        assert hasattr(method, option)
    assert method.deterministic or "seed" in INTERPRETERS.option_names(type(method))


def on_an_encoder_that_it_takes(name: str) -> Interpreter:
    for encoder in ENCODERS:
        try:
            return interpreter(name, model(encoder))
        except (ConfigurationError, InputError):
            continue
    raise AssertionError(f"{name} rejects every encoder")
