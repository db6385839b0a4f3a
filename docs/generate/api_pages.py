"""The API reference: one page per package, rendered by mkdocstrings; and the check of docstrings."""

import inspect
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Dict, Iterator, List, Tuple

PUBLIC_API = "attention_explain"
# What the reference shows, and where every public name needs a docstring.
PACKAGES = {
    "attention_explain.errors": "The errors that commands and functions raise.",
    "attention_explain.files": "The files that commands write and analyses read.",
    "attention_explain.data": "Dataset readers, tokenizers and vocabularies.",
    "attention_explain.modules": "Projections, attention scorers and encoders.",
    "attention_explain.models": "The classifiers.",
    "attention_explain.training": "Training callbacks, metrics and checkpoints.",
    "attention_explain.interpret": "Saliency methods.",
    "attention_explain.faithfulness": "Measures of faithfulness and removal methods.",
    "attention_explain.counterfactual": "Changes to the attention of a trained model.",
    "analysis.measures": "Measures of agreement between two sets of scores.",
}


def api_pages() -> Dict[str, str]:
    """The Markdown of each page, by its name."""
    pages = {f"{PUBLIC_API}.md": _public_api()}
    for package, description in PACKAGES.items():
        modules = [name for name in module_names(package) if _defines_names(import_module(name))]
        # A module is named relative to its package; the package by its own last name.
        last = package.rpartition(".")[2]
        directives = [
            _directive(name, name.removeprefix(f"{package}.") if name != package else last)
            for name in modules
        ]
        pages[f"{package}.md"] = "\n\n".join([f"# {package}\n\n{description}", *directives]) + "\n"
    return pages


def module_names(package: str) -> List[str]:
    """The package and all its public modules, by dotted name."""
    names = [package]
    for found in iter_modules(getattr(import_module(package), "__path__", [])):
        if not found.name.startswith("_"):
            names += module_names(f"{package}.{found.name}")
    return names


def undocumented() -> List[str]:
    """The public names of the reference without a docstring, as `file: name`."""
    missing = []
    for package in PACKAGES:
        for name in module_names(package):
            missing += undocumented_in(import_module(name))
    return missing


def undocumented_in(module: ModuleType) -> List[str]:
    """
    The public modules, classes, functions and methods without a docstring. A method that overrides a
    documented one inherits its docstring.
    """
    path = module.__name__.replace(".", "/")
    missing = [] if module.__doc__ else [f"{path}: the module"]
    for name, value in _defined(module):
        if not _documented(value):
            missing.append(f"{path}: {name}")
        if inspect.isclass(value):
            missing += [
                f"{path}: {name}.{method}"
                for method, function in vars(value).items()
                if not method.startswith("_")
                and _is_method(function)
                and not inspect.getdoc(getattr(value, method))
            ]
    return missing


def _documented(value: Any) -> bool:
    if inspect.isclass(value):
        # A dataclass without a docstring gets its signature as one.
        text = value.__dict__.get("__doc__") or ""
        return bool(text) and not text.startswith(f"{value.__name__}(")
    return bool(inspect.getdoc(value))


def _is_method(value: Any) -> bool:
    return inspect.isfunction(value) or isinstance(value, (classmethod, staticmethod, property))


def _defined(module: ModuleType) -> Iterator[Tuple[str, Any]]:
    """The public classes and functions that this module itself defines."""
    for name, value in vars(module).items():
        ours = getattr(value, "__module__", None) == module.__name__
        if (
            ours
            and not name.startswith("_")
            and (inspect.isclass(value) or inspect.isroutine(value))
        ):
            yield name, value


def _defines_names(module: ModuleType) -> bool:
    return any(True for _ in _defined(module))


def _public_api() -> str:
    package = import_module(PUBLIC_API)
    sections = [f"# {PUBLIC_API}\n\n{inspect.getdoc(package)}"]
    for name in package.__all__:
        value = getattr(package, name)
        if value.__module__ in PACKAGES:
            sections.append(
                f"## {name}\n\n[{name}][{value.__module__}.{name}] is on a page of its own."
            )
        else:
            sections.append(_directive(f"{value.__module__}.{value.__qualname__}", name))
    return "\n\n".join(sections) + "\n"


def _directive(path: str, heading: str) -> str:
    return (
        f"::: {path}\n    options:\n"
        f"      heading_level: 2\n      heading: {heading}\n      toc_label: {heading}"
    )
