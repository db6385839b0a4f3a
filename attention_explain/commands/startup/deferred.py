"""
Deferred imports.

AllenNLP imports everything that any of its components may need: image models, spaCy, scikit-learn, all of
transformers. Within `imports_deferred` its modules get a `Promise` instead, which loads the package when it is first
used. A promise can be called, indexed, compared, printed, derived from, pickled, and used in annotations and in
`isinstance`: everything that AllenNLP does with its imports.
"""

import builtins
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union


class Promise:
    """
    A placeholder for an object that is imported later.

    # Parameters

    path : `str`
        The dotted name of a module, or of an object in one.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._real: Any = None

    def _kept(self) -> Any:
        if self._real is None:
            real = pkgutil.resolve_name(self._path)
            # A package may itself have only a promise of the object.
            self._real = real._kept() if isinstance(real, Promise) else real
        return self._real

    def _is_loaded(self) -> bool:
        return self._path.split(".")[0] in sys.modules

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__typing_") or name == "__parameters__":
            # `typing` asks for these attributes of annotations; plain classes do not have them.
            raise AttributeError(name)
        if self._real is not None or name.startswith("__"):
            return getattr(self._kept(), name)
        inner = self.__dict__[name] = Promise(f"{self._path}.{name}")
        return inner

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._kept()(*arguments, **options)

    def __getitem__(self, key: Any) -> Any:
        return self._kept()[key]

    def __iter__(self) -> Iterator:
        return iter(self._kept())

    def __bool__(self) -> bool:
        return bool(self._kept())

    def __eq__(self, other: Any) -> bool:
        # `typing` compares annotations with its own objects; only values need to be loaded.
        if isinstance(other, (str, bytes, int, float, tuple, list, set, dict)):
            return self._kept() == other
        return self is other

    __hash__ = object.__hash__

    def __or__(self, other: Any) -> Any:
        # In annotations: `Model | None`.
        return Union[self, other]

    def __ror__(self, other: Any) -> Any:
        return Union[other, self]

    def __mro_entries__(self, bases: tuple) -> tuple[type]:
        return (self._kept(),)

    def __instancecheck__(self, instance: Any) -> bool:
        # A class that was never loaded has no instances.
        return self._is_loaded() and isinstance(instance, self._kept())

    def __subclasscheck__(self, subclass: type) -> bool:
        return self._is_loaded() and issubclass(subclass, self._kept())

    def __reduce__(self) -> tuple:
        return pkgutil.resolve_name, (self._path,)

    def __str__(self) -> str:
        return str(self._kept())

    def __repr__(self) -> str:
        return f"<promise of {self._path}>"


@contextmanager
def imports_deferred(deferred: Callable[[str, str], bool]) -> Iterator[None]:
    """
    Within this context, modules get promises for their top-level imports. Imports within functions are not deferred,
    and a package that is not installed still raises at once.

    # Parameters

    deferred : `Callable[[str, str], bool]`
        Whether an import can wait, given the names of the importing and of the imported module.
    """
    original = builtins.__import__

    def import_or_promise(name, globals=None, locals=None, fromlist=(), level=0):
        package = name.split(".")[0]
        if (
            level == 0
            and globals is not None
            and globals is locals
            and deferred(globals.get("__name__", ""), name)
            and importlib.util.find_spec(package) is not None
        ):
            return Promise(name if fromlist else package)
        return original(name, globals, locals, fromlist, level)

    builtins.__import__ = import_or_promise
    try:
        yield
    finally:
        builtins.__import__ = original
