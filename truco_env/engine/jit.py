"""How compiled code is made: three decorators, and a cache that knows all that is compiled into an entry point."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

import numba
import numpy as np
import numpy.typing as npt
from numba import types
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder

from truco_env.engine.fingerprint import fingerprint

Function = TypeVar("Function", bound=Callable[..., Any])

JIT: Final = not bool(numba.config.DISABLE_JIT)


def with_fields(records: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """Return an array of records as rules can read it: without the compiler only the records of a recarray have attributes."""
    return records if JIT else records.view(np.recarray)


@cache
def engine_version() -> str:
    """Return a hash of the sources of ``rules`` and ``engine``: records of two versions do not mix."""
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for source in sorted((*package.glob("rules/*.py"), *package.glob("engine/*.py"))):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()


@cache
def _say_once(sentence: str) -> None:
    """Say something of compiling, which takes seconds, once per process."""
    print(f"truco_env: {sentence}", file=sys.stderr, flush=True)


class _EntryCache(FunctionCache):  # type: ignore[misc]
    """Numba's on-disk cache, with the fingerprint of all that is compiled into the function in the key."""

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint(self._py_func, _compile_rule, entry)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), self._fingerprint)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load the machine code of a signature, or announce that it has to be compiled."""
        loaded = super().load_overload(sig, target_context)
        if loaded is None:
            _say_once("compiling the engine, once after an install or a change (10-40 s, by what is used) ...")
        return loaded


def _widen(kind: types.Type) -> types.Type:
    """Signed integers of any width, and literals, cross a call as int64."""
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


class _NoEngine:
    """What numba hands a function's environment to after compiling; only code that handles Python objects would read it."""

    @staticmethod
    def set_env(name: str, env: Any) -> None:
        """Do nothing: there is no machine code of a rule to hold it."""


class _RuleLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a rule, linked into entry points and optimised there: optimising each rule alone too took a third of a first start."""

    codegen = _NoEngine

    def _optimize_final_module(self) -> None:
        """Leave it to the entry point."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0 (no function) since nothing calls a rule from outside."""
        self._ensure_finalized()
        return 0


class _RuleCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler for functions that are only linked into others."""

    def define_pipelines(self) -> list[Any]:
        """Return numba's passes, which keep a library that is already set."""
        self.state.library = _RuleLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]


def _compile_rule(function: Function, *, inlined: bool) -> Function:
    # Rules allocate nothing, so they need no reference counts: counting arrays at each call cost a tenth of a step.
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False, "pipeline_class": _RuleCompiler}
    dispatcher = numba.njit(error_model="numpy", nogil=True, forceinline=inlined, **options)(function)
    if JIT:
        specialise = dispatcher.get_call_template
        dispatcher.get_call_template = lambda args, kws: specialise(tuple(_widen(kind) for kind in args), kws)
    return dispatcher


def rule(function: Function) -> Function:
    """Compile a rule. Rules are called by other rules and linked into the entry points; Python calls them as ``rule.py_func``.

    Their integer arguments are widened to int64, so each rule is compiled once and not once per mix of int8 fields and constants:
    that halves the time of a first start.
    """
    return _compile_rule(function, inlined=False)


def hot_rule(function: Function) -> Function:
    """Compile a rule that nearly every action passes through: it is inlined into its callers, which doubles their speed."""
    return _compile_rule(function, inlined=True)


def entry(function: Function) -> Function:
    """Compile a function that Python calls. Its machine code is kept between runs: beside the sources, else in the user's cache folder.

    Whatever is compiled into it may be anywhere: in this package, or in one built on it.
    """
    if not JIT:
        return np.errstate(over="ignore")(function)  # random numbers wrap around, of which NumPy warns
    dispatcher = numba.njit(error_model="numpy", nogil=True)(function)
    try:
        dispatcher._cache = _EntryCache(function)
    except RuntimeError:
        _say_once("no folder can be written to keep machine code in, so every start compiles (10-40 s): set NUMBA_CACHE_DIR")
    return dispatcher
