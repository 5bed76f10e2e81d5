"""Fingerprint: a hash of all that is compiled into a function, for the key under which its machine code is kept.

Numba's own cache looks at the file of the compiled function alone, so an edited rule or a changed constant of another module would leave
stale machine code in use. Here the function is followed, by the names that its bytecode looks up, into every rule and constant behind it,
whichever package they are in. What is hashed is what is in memory, so a file that is edited while a process runs cannot mislead it.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

#: Packages that are not followed: numba keeps its own version in the key, and compiled code holds no other code of theirs.
_FOREIGN: Final = frozenset({"numba", "llvmlite", "numpy", *sys.stdlib_module_names})


def fingerprint(*functions: Callable[..., Any]) -> str:
    """Return the hash of functions with every function and constant that they use, directly or through others."""
    seen: set[FunctionType] = set()
    waiting = [_behind(function) for function in functions]
    digest = hashlib.sha256()
    while waiting:
        code = waiting.pop()
        if code not in seen:
            seen.add(code)
            text, callees = _read(code)
            digest.update(text)
            waiting += callees
    return digest.hexdigest()


def _behind(value: Any) -> Any:
    """The Python function behind a compiled one, an intrinsic or a wrapped one; any other value as it is."""
    return inspect.unwrap(getattr(value, "py_func", getattr(value, "_defn", value)))


@cache
def _read(function: FunctionType) -> tuple[bytes, tuple[FunctionType, ...]]:
    """The function's own part of a fingerprint, and the functions that it uses."""
    texts, callees = [function.__qualname__, repr(function.__defaults__)], []
    names: list[str] = []
    for code in _nested_codes(function.__code__):
        names += code.co_names
        constants = [value for value in code.co_consts if not isinstance(value, CodeType) and value != function.__doc__]
        texts += [code.co_code.hex(), repr(code.co_names), *map(_describe, constants)]
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    used = [function.__globals__[name] for name in dict.fromkeys(names) if name in function.__globals__]
    for value in _members(cells + used, names):
        callee = _behind(value)
        if isinstance(callee, FunctionType) and not _is_foreign(callee.__module__):
            texts.append(repr(getattr(value, "targetoptions", None)))
            callees.append(callee)
        else:
            texts.append(_describe(value))
    return "\n".join(texts).encode(), tuple(callees)


def _nested_codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those of the functions defined in it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _nested_codes(value)


def _members(values: list[Any], names: list[str]) -> Iterator[Any]:
    """The values; in the place of one of our modules what is taken from it by one of ``names``."""
    for value in values:
        if isinstance(value, ModuleType) and not _is_foreign(value.__name__):
            yield from _members([getattr(value, name) for name in dict.fromkeys(names) if hasattr(value, name)], names)
        elif isinstance(value, tuple | list):
            yield from _members(list(value), names)
        else:
            yield value


def _is_foreign(module: str) -> bool:
    return module.partition(".")[0] in _FOREIGN


def _describe(value: Any) -> str:
    """A value as text: equal texts for equal values, in every process (one that is not so keeps the code from being found again)."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype!r} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if isinstance(value, frozenset):
        return f"frozenset {sorted(map(repr, value))}"
    if isinstance(value, type) and issubclass(value, Enum):
        return repr(list(value))
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, FunctionType):
        return f"{value.__module__}.{value.__qualname__}"
    return f"{type(value).__name__} {value!r}"
