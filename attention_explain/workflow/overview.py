"""What a study is, in numbers, before it starts."""

from pathlib import Path
from typing import Dict, List, Optional

from attention_explain.messages.durations import in_words
from attention_explain.workflow import costs
from attention_explain.workflow.kinds import KINDS, TRAIN
from attention_explain.workflow.plan import Plan
from attention_explain.workflow.steps import Step


def headline(plan: Plan, cores: int) -> str:
    steps = list(plan.steps.values())
    left = [step for step in steps if not step.is_done]
    runs = [step for step in steps if step.kind == TRAIN]
    said = f"{plan.study.title}: {len(runs)} runs, {len(steps)} steps"
    if len(left) < len(steps):
        said += f", {len(steps) - len(left)} done already"
    return f"{said}; about {in_words(time_on(left, cores, plan))} on {cores} idle cores"


def time_on(steps: List[Step], cores: int, plan: Plan) -> float:
    """No shorter than the longest chain, no shorter than the work shared among the cores."""
    corrected = corrections(plan)
    seconds = {step.name: time_of(step, corrected) for step in steps}
    needs = {step.name: step.needs for step in steps}
    lengths: Dict[str, float] = {}

    def length(name: str) -> float:
        if name not in seconds:
            return 0.0
        if name not in lengths:
            before = max((length(need) for need in needs[name]), default=0.0)
            lengths[name] = before + seconds[name]
        return lengths[name]

    longest = max((length(name) for name in seconds), default=0.0)
    return max(longest, sum(seconds.values()) / cores)


def time_of(step: Step, corrected: Dict[str, float]) -> float:
    return step.seconds * corrected[step.kind]


def corrections(plan: Plan) -> Dict[str, float]:
    """What steps that are done have taken, against what was thought, by their kind."""
    taken: Dict[str, list] = {kind: [] for kind in KINDS}
    for step in plan.steps.values():
        took = step.took
        if took is not None:
            taken[step.kind].append(took)
    of_training = costs.correction(taken[TRAIN])
    # A machine that trains faster than was thought does all else faster, too.
    return {kind: costs.correction(several, of_training) for kind, several in taken.items()}


def show(plan: Plan, cores: Optional[int]) -> int:
    """Prints it, and draws the graph."""
    from attention_explain.workflow.picture import draw
    from attention_explain.workflow.run import available_cores

    cores = cores or available_cores()
    print(headline(plan, cores))
    print(f"\n{'':10} {'steps':>6} {'done':>6}  left, on one core")
    corrected = corrections(plan)
    for kind in KINDS:
        steps = [step for step in plan.steps.values() if step.kind == kind]
        left = [step for step in steps if not step.is_done]
        time = in_words(sum(time_of(step, corrected) for step in left))
        print(f"{kind:10} {len(steps):6} {len(steps) - len(left):6}  {time}")
    picture = draw(plan, Path(f"{plan.results}.plan.svg"))
    print(f"\nresults go to {plan.results}; the graph: {picture}")
    return 0
