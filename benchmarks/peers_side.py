"""
What ferret and transformers-interpret make of a folder and its texts, in an environment of their own:
`benchmarks.peers` runs this file there. Reads {"folder", "texts", "target", "steps"} as JSON, and prints
scores, measures and seconds of processor time.
"""

import json
import sys
import time

import torch
from ferret.evaluators.faithfulness_measures import (
    AOPC_Comprehensiveness_Evaluation,
    AOPC_Sufficiency_Evaluation,
)
from ferret.explainers.gradient import GradientExplainer, IntegratedGradientExplainer
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from transformers_interpret import SequenceClassificationExplainer


class OfOneText(SequenceClassificationExplainer):
    """As it is, the last separator is read as one of a second text, which changes all scores."""

    def _make_input_reference_token_type_pair(self, input_ids, sep_idx=0):
        return torch.zeros_like(input_ids), torch.zeros_like(input_ids)


def main() -> None:
    asked = json.load(sys.stdin)
    torch.set_num_threads(1)
    model = AutoModelForSequenceClassification.from_pretrained(asked["folder"]).eval()
    tokenizer = AutoTokenizer.from_pretrained(asked["folder"])
    target = asked["target"]
    integrated = IntegratedGradientExplainer(model, tokenizer)
    explainers = [
        integrated,
        IntegratedGradientExplainer(model, tokenizer, multiply_by_inputs=False),
        GradientExplainer(model, tokenizer),
        GradientExplainer(model, tokenizer, multiply_by_inputs=False),
    ]
    # The first pass of a process is slower than all others.
    integrated(asked["texts"][0], target)
    start = time.process_time()
    explained = [[integrated(text, target)] for text in asked["texts"]]
    seconds = {"integrated gradients": time.process_time() - start}
    interpret = OfOneText(model, tokenizer)
    interpret(asked["texts"][0], index=target)
    start = time.process_time()
    interpreted = [
        [score for _, score in interpret(text, index=target, n_steps=asked["steps"])]
        for text in asked["texts"]
    ]
    seconds["normed"] = time.process_time() - start
    for text, several in zip(asked["texts"], explained):
        several += [explainer(text, target) for explainer in explainers[1:]]
    evaluators = [
        kind(model, tokenizer)
        for kind in (AOPC_Comprehensiveness_Evaluation, AOPC_Sufficiency_Evaluation)
    ]
    start = time.process_time()
    measured = [
        [
            [float(each.compute_evaluation(one, target).score) for each in evaluators]
            for one in several
        ]
        for several in explained
    ]
    seconds["evaluation"] = time.process_time() - start
    scores = [[one.scores.tolist() for one in several] for several in explained]
    print(
        json.dumps(
            {
                "scores": scores,
                "normed": interpreted,
                "measured": measured,
                "seconds": seconds,
            }
        )
    )


if __name__ == "__main__":
    main()
