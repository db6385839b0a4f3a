"""
Imports that wait until they are needed.

AllenNLP imports at once whatever any part of it may ever need: image models, spaCy, scikit-learn,
the whole of transformers. Within `imports_deferred` its modules get a `Promise` instead, which is
kept, by loading the package, when it is first used. A promise can be called, indexed, compared,
printed, derived from and pickled, and stands in annotations and in `isinstance`: all that AllenNLP
does with what it imports.
"""

import builtins
import importlib.util
import pkgutil
import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Tuple


class Promise:
    """
    What a dotted name will stand for.

    # Parameters

    path : `str`
        Of a module, or of something in one.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._real: Any = None

    def _kept(self) -> Any:
        if self._real is None:
            real = pkgutil.resolve_name(self._path)
            # A package may have had it from another module, and only a promise of it.
            self._real = real._kept() if isinstance(real, Promise) else real
        return self._real

    def _is_loaded(self) -> bool:
        return self._path.split(".")[0] in sys.modules

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__typing_") or name == "__parameters__":
            # Asked of whatever stands in an annotation; plain classes have none of them.
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
        # `typing` compares what stands in annotations with its own; only values need be loaded.
        if isinstance(other, (str, bytes, int, float, tuple, list, set, dict)):
            return self._kept() == other
        return self is other

    __hash__ = object.__hash__

    def __mro_entries__(self, bases: Tuple) -> Tuple[type]:
        return (self._kept(),)

    def __instancecheck__(self, instance: Any) -> bool:
        # What was never loaded has no instances.
        return self._is_loaded() and isinstance(instance, self._kept())

    def __subclasscheck__(self, subclass: type) -> bool:
        return self._is_loaded() and issubclass(subclass, self._kept())

    def __reduce__(self) -> Tuple:
        return pkgutil.resolve_name, (self._path,)

    def __str__(self) -> str:
        return str(self._kept())

    def __repr__(self) -> str:
        return f"<promise of {self._path}>"


@contextmanager
def imports_deferred(deferred: Callable[[str, str], bool]) -> Iterator[None]:
    """
    Within it modules get promises of what they import while they are themselves imported; an import
    within a function is about to be used. What is not installed is still missed at once.

    # Parameters

    deferred : `Callable[[str, str], bool]`
        Of the names of the module that imports and of the one that is imported, whether it can wait.
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
