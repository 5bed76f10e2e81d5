"""Two things that processors do in one or two instructions and Python has no words for."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from truco_env.actions import N_ACTIONS
from truco_env.engine.compile import JIT

_BYTE, _INT, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)


def _spread_bits(bits: int, out: Any, start: int) -> None:
    """Write bit ``i`` of a set of actions to ``out[start + i]``, int8, for all actions; a loop does it too, at 6 % of a batched step."""
    for i in range(N_ACTIONS):
        out[start + i] = (bits >> i) & 1


def _compile_spread_bits(typing: Any, bits: Any, out: Any, start: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits, out, start = arguments
        target = builder.gep(context.make_array(signature.args[1])(context, builder, out).data, [start])
        lanes = builder.bitcast(bits, ir.VectorType(ir.IntType(1), 64))
        spread = builder.zext(lanes, ir.VectorType(_BYTE, 64))
        low = N_ACTIONS & ~31  # a whole vector register, and the rest
        for first, width in ((0, low), (low, N_ACTIONS - low)):
            chosen = ir.Constant(ir.VectorType(_INT, width), [_INT(first + i) for i in range(width)])
            part = builder.shuffle_vector(spread, ir.Constant(spread.type, ir.Undefined), chosen)
            place = builder.bitcast(builder.gep(target, [_LONG(first)]), part.type.as_pointer())
            builder.store(part, place).align = 1
        return context.get_dummy_value()

    return types.void(types.int64, out, types.int64), write


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


spread_bits = intrinsic(_compile_spread_bits) if JIT else _spread_bits
prefetch = intrinsic(_compile_prefetch) if JIT else _prefetch
