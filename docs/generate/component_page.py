"""The reference page of all registered components with their options, from the registries."""

import inspect
import re
from typing import Any, Dict, Iterator, List, Tuple, Type

from command_page import cell
from docstrings import parameters, summary

TITLE = """# Components

The names that configs and commands take, with their options. This page is generated from the registered
classes; a config writes `{type: NAME, option: value}`.
"""

# The registered base class, by its name, and the section that lists its subclasses; in this order.
SECTIONS = {
    "DatasetReader": "Dataset readers",
    "Model": "Models",
    "Seq2SeqEncoder": "Encoders",
    "AttentionScorer": "Attention scorers",
    "Projection": "Projections",
    "TokenEmbedder": "Token embedders",
    "SaliencyInterpreter": "Interpreters (saliency methods)",
    "Faithfulness": "Measures of faithfulness",
    "RemovalMethod": "Removal methods",
    "Measure": "Measures of agreement",
    "Perturbation": "Perturbations of attention",
    "TrainerCallback": "Training callbacks",
    "Optimizer": "Optimizers",
    "Metric": "Training metrics",
    "Predictor": "Predictors",
    "Tokenizer": "Tokenizers",
    "TokenIndexer": "Token indexers",
    "Vocabulary": "Vocabularies",
}
# Commands have their own page.
ELSEWHERE = ("Subcommand",)
OURS = ("attention_explain", "analysis")
# Arguments that AllenNLP or our own code supplies: a config does not write them.
SUPPLIED = {
    *("self", "vocab", "serialization_dir", "predictor", "model", "dataset_reader"),
    *("manual_distributed_sharding", "manual_multiprocess_sharding"),
}


def component_page() -> str:
    """The page as Markdown."""
    kinds = dict(_kinds())
    ordered = [name for name in SECTIONS if name in kinds]
    ordered += sorted(set(kinds) - set(ordered))
    sections = [TITLE]
    for kind in ordered:
        sections.append(f"## {SECTIONS.get(kind, kind)}")
        for name, component in sorted(kinds[kind].items()):
            sections.append(_section(name, component))
    return "\n\n".join(sections) + "\n"


def _kinds() -> Iterator[Tuple[str, Dict[str, Type]]]:
    """Each kind of component, by the name of its base class, with our components by name."""
    from allennlp.common import Registrable

    import attention_explain.plugin  # noqa: F401  (registers the components)
    from analysis.measures.measure import Measure

    for base, registered in Registrable._registry.items():
        ours = {
            name: component
            for name, (component, _) in registered.items()
            if component.__module__.startswith(OURS)
        }
        if ours and base.__name__ not in ELSEWHERE:
            yield base.__name__, ours
    yield "Measure", dict(Measure._registry)


def _section(name: str, component: Type) -> str:
    described = f"### `{name}`\n\n{summary(component)}"
    rows = list(_options(component))
    if not rows:
        return described + "\n\nNo options."
    lines = ["| option | type | default | meaning |", "| --- | --- | --- | --- |"]
    lines += [f"| {' | '.join(cell(each) for each in row)} |" for row in rows]
    return described + "\n\n" + "\n".join(lines)


def _options(component: Type) -> Iterator[Tuple[str, str, str, str]]:
    documented = parameters(component)
    for name, option in _signature(component).items():
        kind, meaning = documented.get(name, ("", ""))
        if not meaning and kind and "`" not in kind:
            # The short form: `name : what it is`.
            kind, meaning = "", kind
        default = "required" if option.default is option.empty else f"`{_written(option.default)}`"
        yield f"`{name}`", f"`{_type_name(option.annotation)}`", default, meaning


def _signature(component: Type) -> Dict[str, inspect.Parameter]:
    from allennlp.common.from_params import infer_constructor_params

    if component.__init__ is object.__init__:
        return {}
    return {
        name: option
        for name, option in infer_constructor_params(component).items()
        if name not in SUPPLIED
        and option.kind not in (option.VAR_POSITIONAL, option.VAR_KEYWORD)
        and not name.startswith("_")
    }


def _written(default: Any) -> str:
    """A default as a config writes it; the class for an object."""
    words = {None: "null", True: "true", False: "false"}
    if default is None or isinstance(default, bool):
        return words[default]
    if isinstance(default, tuple):
        default = list(default)
    if isinstance(default, (int, float, str, list, dict)):
        return repr(default)
    return type(default).__name__


def _type_name(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return "any"
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text)
    return re.sub(r"^Optional\[(.*)\]$", r"\1", text)


def component_names() -> List[str]:
    """All names on the page, for tests."""
    return [name for _, components in _kinds() for name in components]
