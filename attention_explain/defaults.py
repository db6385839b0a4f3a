"""The default components of the commands. Loads no torch, so that help and plans are quick."""

from typing import Any

# The methods that the debate compares, and the random control; those that a model does not support are left out.
INTERPRETERS: tuple[str, ...] = (
    "attention",
    "signed-attention",
    "gradient",
    "gradient-x-input",
    "integrated-gradients",
    "lrp",
    "occlusion",
    "leave-one-out",
    "random",
)
# Other forms of the attention of a transformer, which a verdict compares with the default one, too.
ATTENTION_VARIANTS: tuple[dict[str, Any], ...] = (
    {"type": "attention", "layer": "mean", "name": "attention-all-layers"},
    {"type": "attention", "value_norms": True, "name": "attention-value-norms"},
    {"type": "attention-rollout", "name": "attention-rollout"},
    {"type": "attention-x-gradient", "name": "attention-x-gradient"},
)
# The methods of `allennlp predict`: one forward and one backward pass more per text.
QUICK_INTERPRETERS = ("attention", "gradient-x-input")

# All perturbations that need no other file.
PERTURBATIONS = (
    "permutation",
    "instance-adversary",
    "uniform",
    "random",
    "drop-top",
    "removal-order",
)
# For models without attention over hidden states that have layers of self-attention.
HEAD_PERTURBATIONS = ("uniform-heads", "heads-off", "permuted-heads", "each-head")

# The measures that need only the scores; they take seconds per text.
MEASURES = (
    "comprehensiveness",
    "sufficiency",
    "deletion_curve",
    "insertion_curve",
    "decision_flip",
    "leave_one_out_correlation",
)
# All other measures, for the help text.
OTHER_MEASURES = (
    "relevance",
    "direction",
    "violation",
    "edit_effect",
    "infidelity",
    "input_shift",
    "parameter_randomization",
    "sensitivity",
    "soft_comprehensiveness",
    "soft_sufficiency",
)
# The removal methods that every model supports, and one for models that were trained with it.
COMMON_ERASURES = ("delete", "zero", "unk")
ERASURES = (*COMMON_ERASURES, "mask")
ALL_ERASURES = (*ERASURES, "marginal", "attention-mask")
