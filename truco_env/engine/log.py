"""The log of a hand: what happened, in order, as packed integers in the record."""

from __future__ import annotations

from typing import Any

from truco_env.engine.jit import hot_rule
from truco_env.engine.record import EV_FOLD, MAX_LOG


@hot_rule
def record(g: Any, kind: int, who: int, extra: int, value: int) -> None:
    """Append an event: a kind (``EV_*``), a seat or account 0..15, a code 0..63 and a number -1024..3071.

    Cards, calls, answers and folds are public; they advance the hand's clock, by which observations order them.
    """
    if kind <= EV_FOLD:
        g.clock += 1
    if g.n_log < MAX_LOG:
        g.log[g.n_log] = (kind << 22) + (who << 18) + (extra << 12) + value + 1024
        g.n_log += 1
