"""Prefetch: ask for a record's cache line before it is needed, as a numba intrinsic."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from truco_env.engine.jit import JIT

_BYTE, _INT = ir.IntType(8), ir.IntType(32)


def _prefetch(records: Any, i: int, offset: int) -> None:
    """Ask for the cache line at byte ``offset`` of ``records[i]``, which will be needed soon; ``i`` must be there."""


def _compile_prefetch(typing: Any, records: Any, i: Any, offset: Any) -> Any:
    def ask(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        records, i, offset = arguments
        array = context.make_array(signature.args[0])(context, builder, records)
        start = builder.bitcast(array.data, _BYTE.as_pointer())
        place = builder.gep(start, [builder.add(builder.mul(i, array.itemsize), offset)])
        kind = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _INT, _INT, _INT])
        to_write, into_all_caches, data = _INT(1), _INT(3), _INT(1)
        builder.call(builder.module.declare_intrinsic("llvm.prefetch", [place.type], kind), [place, to_write, into_all_caches, data])
        return context.get_dummy_value()

    return types.void(records, types.int64, types.int64), ask


prefetch = intrinsic(_compile_prefetch) if JIT else _prefetch
