"""
A plan for people: the number of steps, the expected time, and the graph as an svg file, in which all seeds of a
run share one box and the done fraction is filled.
"""

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from analysis.written import one_line
from attention_explain.files.atomic import write_atomic
from attention_explain.messages import in_words
from attention_explain.workflow import costs
from attention_explain.workflow.kinds import KINDS, TRAIN
from attention_explain.workflow.plan import Plan
from attention_explain.workflow.steps import Step
from attention_explain.workflow.study import StudyError

WIDTH, HEIGHT, ACROSS, DOWN, MARGIN, TOP = 230, 26, 110, 10, 20, 64


def headline(plan: Plan, cores: int) -> str:
    """Title, number of runs and steps, and expected time."""
    steps = list(plan.steps.values())
    left = [step for step in steps if not step.is_done]
    runs = [step for step in steps if step.kind == TRAIN]
    line = f"{plan.study.title}: {len(runs)} runs, {len(steps)} steps"
    if len(left) < len(steps):
        line += f", {len(steps) - len(left)} done already"
    return f"{line}; about {in_words(time_on(left, cores, plan))} on {cores} idle cores"


def time_on(steps: list[Step], cores: int, plan: Plan) -> float:
    """The time of the longest chain, or of all work shared by the cores, whichever is longer."""
    corrected = corrections(plan)
    seconds = {step.name: time_of(step, corrected) for step in steps}
    needs = {step.name: step.needs for step in steps}
    lengths: dict[str, float] = {}

    def length(name: str) -> float:
        if name not in seconds:
            return 0.0
        if name not in lengths:
            before = max((length(need) for need in needs[name]), default=0.0)
            lengths[name] = before + seconds[name]
        return lengths[name]

    longest = max((length(name) for name in seconds), default=0.0)
    return max(longest, sum(seconds.values()) / cores)


def time_of(step: Step, corrected: dict[str, float]) -> float:
    """The corrected estimate for a step."""
    return step.seconds * corrected[step.kind]


def corrections(plan: Plan) -> dict[str, float]:
    """The ratio of measured to estimated time of the steps that are done, by kind."""
    measured: dict[str, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
    for step in plan.steps.values():
        times = step.times
        if times is not None:
            measured[step.kind].append(times)
    of_training = costs.correction(measured[TRAIN])
    # A machine that trains faster than expected does everything else faster, too.
    return {kind: costs.correction(times, of_training) for kind, times in measured.items()}


def show(plan: Plan, cores: int | None) -> int:
    """Print the plan and draw its graph."""
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


@dataclass
class Box:
    """Steps that differ only in the seed."""

    kind: str
    title: str
    steps: list[Step] = field(default_factory=list)
    before: set[str] = field(default_factory=set)
    column: int = 0
    row: float = 0.0

    @property
    def x(self) -> float:
        """The left edge."""
        return MARGIN + self.column * (WIDTH + ACROSS)

    @property
    def y(self) -> float:
        """The upper edge."""
        return TOP + self.row * (HEIGHT + DOWN)


def draw(plan: Plan, path: Path) -> Path:
    """Write the graph of a plan."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, svg(plan))
    except OSError as error:
        raise StudyError(f"{path}: cannot be written ({error.strerror})") from error
    return path


def svg(plan: Plan) -> str:
    """The graph of a plan."""
    boxes = layout(plan)
    width = max(box.x for box in boxes.values()) + WIDTH + MARGIN
    height = max(box.y for box in boxes.values()) + HEIGHT + MARGIN
    lines = [_line(boxes[one], box) for box in boxes.values() for one in sorted(box.before)]
    title = f"{plan.study.title}: {len(plan.steps)} steps"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-family="sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n'
        f'<text x="{MARGIN}" y="24" font-size="16">{escape(one_line(title))}</text>\n'
        + _legend()
        + "".join(lines)
        + "".join(map(_draw_box, boxes.values()))
        + "</svg>\n"
    )


def layout(plan: Plan) -> dict[str, Box]:
    """Boxes in the column after all their inputs, close to these."""
    boxes: dict[str, Box] = {}
    names: dict[str, str] = {}
    for name, step in plan.steps.items():
        names[name] = f"{step.kind} {step.group}"
        box = boxes.setdefault(names[name], Box(step.kind, step.group))
        box.steps.append(step)
    for name, step in plan.steps.items():
        boxes[names[name]].before |= {names[need] for need in step.needs} - {names[name]}
    columns: dict[int, list[Box]] = {}
    for name, box in boxes.items():
        box.column = _depth(name, boxes)
        columns.setdefault(box.column, []).append(box)
    for column in sorted(columns):
        columns[column].sort(key=lambda box: _height_of_parents(box, boxes))
        for row, box in enumerate(columns[column]):
            box.row = row
    return boxes


def _depth(name: str, boxes: dict[str, Box]) -> int:
    return max((1 + _depth(one, boxes) for one in boxes[name].before), default=0)


def _height_of_parents(box: Box, boxes: dict[str, Box]) -> float:
    rows = [boxes[one].row for one in box.before]
    return sum(rows) / len(rows) if rows else 0.0


def _line(start: Box, end: Box) -> str:
    x, y = start.x + WIDTH, start.y + HEIGHT / 2
    to_x, to_y = end.x, end.y + HEIGHT / 2
    middle = (x + to_x) / 2
    return (
        f'<path d="M{x:g},{y:g} C{middle:g},{y:g} {middle:g},{to_y:g} {to_x:g},{to_y:g}" '
        'fill="none" stroke="#999" stroke-width="0.8" stroke-opacity="0.6"/>\n'
    )


def _draw_box(box: Box) -> str:
    colour = KINDS[box.kind].colour
    done = sum(step.is_done for step in box.steps) / len(box.steps)
    number = f" x{len(box.steps)}" if len(box.steps) > 1 else ""
    return (
        f'<rect x="{box.x:g}" y="{box.y:g}" width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n'
        f'<rect x="{box.x:g}" y="{box.y:g}" width="{WIDTH * done:g}" height="{HEIGHT}" '
        f'fill="{colour}" fill-opacity="0.25"/>\n'
        f'<rect x="{box.x:g}" y="{box.y:g}" width="{WIDTH}" height="{HEIGHT}" fill="none" '
        f'stroke="{colour}"/>\n'
        f'<text x="{box.x + 8:g}" y="{box.y + 17:g}">{escape(one_line(box.title + number))}</text>\n'
    )


def _legend() -> str:
    return "".join(
        f'<rect x="{MARGIN + index * 100}" y="36" width="12" height="12" fill="none" '
        f'stroke="{kind.colour}"/>'
        f'<text x="{MARGIN + index * 100 + 17}" y="46">{name}</text>\n'
        for index, (name, kind) in enumerate(KINDS.items())
    )
