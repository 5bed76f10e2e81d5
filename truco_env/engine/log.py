"""The log of a hand: what happened, in order, as packed integers in the record.

An entry is a kind (``EV_*``), a seat or account 0..15, a code 0..63 and a number -1024..3071.
"""

from __future__ import annotations

from typing import Final

from truco_env.engine.jit import hot_rule
from truco_env.engine.record import EV_FOLD
from truco_env.engine.record_types import GameRecord

_KIND, _WHO, _CODE, _BIAS = 22, 18, 12, 1024
_VALUE: Final = (1 << _CODE) - 1


def pack_event(kind: int, who: int, code: int, value: int) -> int:
    """Return a log entry."""
    return (kind << _KIND) + (who << _WHO) + (code << _CODE) + value + _BIAS


def unpack_event(packed: int) -> tuple[int, int, int, int]:
    """Split a log entry into kind, who, code and value."""
    return packed >> _KIND, packed >> _WHO & 15, packed >> _CODE & 63, (packed & _VALUE) - _BIAS


def with_value(packed: int, value: int) -> int:
    """Return a log entry with another value."""
    return (packed & ~_VALUE) + value + _BIAS


#: The same for rules.
pack, unpack, change_value = hot_rule(pack_event), hot_rule(unpack_event), hot_rule(with_value)


@hot_rule
def record(g: GameRecord, kind: int, who: int, code: int, value: int) -> None:
    """Append an event. Cards, calls, answers and folds are public; they advance the hand's clock, by which observations order them."""
    if kind <= EV_FOLD:
        g.clock += 1
    if g.n_log < len(g.log):  # the room of this record: the solver keeps records without a log
        g.log[g.n_log] = pack(kind, who, code, value)
        g.n_log += 1
