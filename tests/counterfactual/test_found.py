"""What each perturbation says that it found, from numbers written down by hand."""

import numpy
import pytest

from tests.counterfactual.fixed import perturbation

NAN = numpy.nan


@pytest.mark.parametrize(
    "name, results, sentence",
    [
        (
            "uniform",
            {"tvd": [0.1, 0.2, 0.3, 0.0], "jsd": [0.5] * 4, "flip": [1, 0, 0, 0]},
            "With uniform weights the model predicts another label for 25 % of the texts; its "
            "output moves by 0.15 on average (total variation).",
        ),
        (
            "random",
            {"tvd": [0.5], "jsd": [0.5], "flip": [1]},
            "With random weights the model predicts another label for 100 % of the texts; its "
            "output moves by 0.50 on average (total variation).",
        ),
        (
            "heads-off",
            {"tvd": [0.1, 0.3], "flip": [1, 0]},
            "With every head of all layers switched off the model predicts another label for 50 % of "
            "the texts; its output moves by 0.20 on average (total variation).",
        ),
        (
            "each-head",
            {"all": [0.1, 0.3]},
            "With every head switched off the output of a text moves by 0.20 on average (total "
            "variation); what each does alone is in the columns, and a figure: python -m analysis "
            "table heads.",
        ),
        (
            "permutation",
            {"median_tvd": [0.1, 0.3], "mean_tvd": [0, 0], "max_tvd": [0.5, 0.7]},
            "With its weights in another order the output of a text moves by 0.20 in the median "
            "permutation and by 0.60 in the worst of 100 (total variation, mean over the texts).",
        ),
        (
            # A text without success has a JSD of 0, which is not the distance of anything.
            "instance-adversary",
            {"success": [1, 0, 1, 1], "max_jsd": [0.6, 0.0, 0.5, 0.4]},
            "For 75 % of the texts other weights give the same output (to within 0.05), 0.50 away "
            "from the attention on average (Jensen-Shannon divergence, at most 0.69).",
        ),
        (
            "instance-adversary",
            {"success": [0, 0], "max_jsd": [0.0, 0.0]},
            "For no text other weights give the same output (to within 0.05).",
        ),
        (
            "drop-top",
            {"top_flip": [1, 0, NAN, 1, 0], "random_flip": [0, 0, NAN, 1, 0]},
            "Without its largest weight the model predicts another label for 50 % of the texts, "
            "without another weight at random for 25 %.",
        ),
        (
            "removal-order",
            {
                "attention_fraction": [0.2, 0.4],
                "gradient_fraction": [0.1, 0.1],
                "gradient_x_attention_fraction": [0.1, 0.3],
                "random_fraction": [1.0, 0.5],
            },
            "Until it predicts another label, 30 % of a text's tokens must go in the order of "
            "attention, 10 % by gradient, 20 % by gradient x attention, 75 % at random (means; "
            "100 % where it never does).",
        ),
    ],
)
def test_the_sentence_is_made_from_the_numbers(name, results, sentence):
    given = {field: numpy.array(values, dtype=float) for field, values in results.items()}
    assert perturbation(name).found(given) == sentence
