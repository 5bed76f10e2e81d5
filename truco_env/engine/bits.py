"""Bit sets and bytes: sets of actions as rows of a mask and back, counting bits, as numba intrinsics."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from truco_env.engine.jit import JIT
from truco_env.rules.actions import N_ACTIONS

_BIT, _BYTE, _INT, _LONG = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64)
_PARTS = (0, 32), (32, N_ACTIONS - 32)  # a mask is a whole vector register, and the rest


def _is_flat(kind: Any) -> bool:
    """Whether a type is that of a flat array of bytes: a length is not looked at, so callers answer for it."""
    return isinstance(kind, types.Array) and kind.dtype == types.int8 and kind.ndim == 1 and kind.layout == "C"


def _count_bits(bits: int) -> int:
    """Count the bits of a set."""
    return bits.bit_count()


def _compile_count_bits(typing: Any, bits: Any) -> Any:
    def count(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), count


def _spread_bits(bits: int, out: Any, start: int) -> None:
    """Write bit ``i`` of a set of actions to ``out[start + i]``, int8, for all actions; a loop does it too, at 6 % of a batched step."""
    for i in range(N_ACTIONS):
        out[start + i] = (bits >> i) & 1


def _compile_spread_bits(typing: Any, bits: Any, out: Any, start: Any) -> Any:
    if not _is_flat(out) or not out.mutable:
        return None

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits, out, start = arguments
        lanes = builder.zext(builder.bitcast(bits, ir.VectorType(_BIT, 64)), ir.VectorType(_BYTE, 64))
        for first, width in _PARTS:
            chosen = ir.Constant(ir.VectorType(_INT, width), [_INT(first + i) for i in range(width)])
            part = builder.shuffle_vector(lanes, ir.Constant(lanes.type, ir.Undefined), chosen)
            builder.store(part, _part_of(context, builder, signature.args[1], out, start, first, width)).align = 1
        return context.get_dummy_value()

    return types.void(types.int64, out, types.int64), write


def _gather_bits(masks: Any, start: int) -> int:
    """Return the set of actions whose ``masks[start + i]``, int8, are not 0."""
    return sum(1 << i for i in range(N_ACTIONS) if masks[start + i])


def _compile_gather_bits(typing: Any, masks: Any, start: Any) -> Any:
    if not _is_flat(masks):
        return None

    def read(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        masks, start = arguments
        bits = _LONG(0)
        for first, width in _PARTS:
            load = builder.load(_part_of(context, builder, signature.args[0], masks, start, first, width))
            load.align = 1
            some = builder.icmp_signed("!=", load, ir.Constant(load.type, None))
            part = builder.zext(builder.bitcast(some, ir.IntType(width)), _LONG)
            bits = builder.or_(bits, builder.shl(part, _LONG(first)))
        return bits

    return types.int64(masks, types.int64), read


def _part_of(context: Any, builder: Any, kind: Any, array: Any, start: Any, first: int, width: int) -> Any:
    """A pointer to ``width`` bytes of an array of bytes, from ``start + first`` on."""
    data = context.make_array(kind)(context, builder, array).data
    place = builder.gep(data, [builder.add(start, _LONG(first))])
    return builder.bitcast(place, ir.VectorType(_BYTE, width).as_pointer())


count_bits = intrinsic(_compile_count_bits) if JIT else _count_bits
spread_bits = intrinsic(_compile_spread_bits) if JIT else _spread_bits
gather_bits = intrinsic(_compile_gather_bits) if JIT else _gather_bits
