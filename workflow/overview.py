"""What a study is, in numbers, before it starts."""

from pathlib import Path
from typing import Dict, List, Optional

from workflow import costs
from workflow.plan import Plan
from workflow.steps import FINISHED, KINDS, TRAIN, Step, read_json


def headline(plan: Plan, cores: int) -> str:
    steps = list(plan.steps.values())
    left = [step for step in steps if not step.is_done]
    runs = [step for step in steps if step.kind == TRAIN]
    said = f"{plan.study.title}: {len(runs)} runs, {len(steps)} steps"
    if len(left) < len(steps):
        said += f", {len(steps) - len(left)} done already"
    return f"{said}; about {costs.told(time_on(left, cores, plan))} on {cores} cores"


def time_on(steps: List[Step], cores: int, plan: Plan) -> float:
    """No shorter than the longest chain, no shorter than the work shared among the cores."""
    corrected = correction(plan)
    lengths: Dict[str, float] = {}
    left = {step.name: step for step in steps}

    def length(name: str) -> float:
        if name not in left:
            return 0.0
        if name not in lengths:
            before = max((length(need) for need in left[name].needs), default=0.0)
            lengths[name] = before + left[name].seconds
        return lengths[name]

    longest = max((length(name) for name in left), default=0.0)
    return corrected * max(longest, sum(step.seconds for step in steps) / cores)


def correction(plan: Plan) -> float:
    """What trainings that are done have taken, against what was thought."""
    found = [
        read_json(step.folder / FINISHED) for step in plan.steps.values() if step.kind == TRAIN
    ]
    return costs.correction((one["estimate"], one["seconds"]) for one in found if one)


def show(plan: Plan, cores: Optional[int]) -> int:
    """Prints it, and draws the graph."""
    from workflow.picture import draw
    from workflow.run import available_cores

    cores = cores or available_cores()
    print(headline(plan, cores))
    print(f"\n{'':10} {'steps':>6} {'done':>6}  left, on one core")
    for kind in KINDS:
        steps = [step for step in plan.steps.values() if step.kind == kind]
        left = [step for step in steps if not step.is_done]
        time = costs.told(correction(plan) * sum(step.seconds for step in left))
        print(f"{kind:10} {len(steps):6} {len(steps) - len(left):6}  {time}")
    picture = draw(plan, Path(f"{plan.results}.plan.svg"))
    print(f"\nresults go to {plan.results}; the graph: {picture}")
    return 0
