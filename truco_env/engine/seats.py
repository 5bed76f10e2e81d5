"""Seats and sides: who sits where, who is pie, who answers (rules.md 0.2, 1.9)."""

from __future__ import annotations

from truco_env.engine.jit import hot_rule
from truco_env.engine.record import NOBODY, PICA
from truco_env.engine.record_types import GameRecord, RulesRecord


@hot_rule
def side_of(g: GameRecord, seat: int) -> int:
    """The side of a seat: 0 (A) or 1 (B); in gallo the dealer is B (rules.md 6.2)."""
    return (int(g.side_mask[1]) >> seat) & 1


@hot_rule
def n_accounts(r: RulesRecord) -> int:
    """The number of running scores: one for each side, in gallo one for each seat (rules.md 0.2)."""
    return 3 if r.gallo else 2


@hot_rule
def account_of(r: RulesRecord, seat: int) -> int:
    """The running score that a seat's points go to."""
    return seat if r.gallo else seat & 1


@hot_rule
def has(mask: int, seat: int) -> bool:
    """Whether a set of seats contains ``seat``."""
    return (mask >> seat) & 1 == 1


@hot_rule
def first_from(mask: int, seat: int, players: int) -> int:
    """The first seat of ``mask`` in play order, ``seat`` itself included; nobody if the set is empty."""
    if mask == 0:
        return NOBODY
    while (mask >> seat) & 1 == 0:
        seat = seat + 1
        if seat == players:
            seat = 0
    return seat


@hot_rule
def first_after(mask: int, seat: int, players: int) -> int:
    """The first seat of ``mask`` after ``seat`` in play order; nobody if the set is empty."""
    seat = seat + 1
    return first_from(mask, 0 if seat == players else seat, players)


@hot_rule
def steps(start: int, seat: int, players: int) -> int:
    """Steps in play order from ``start`` to ``seat``."""
    away = seat - start
    return away + players if away < 0 else away


@hot_rule
def active_of(g: GameRecord, side: int) -> int:
    """The active seats of a side."""
    return int(g.active) & int(g.side_mask[side])


@hot_rule
def pie_of(g: GameRecord, r: RulesRecord, side: int) -> int:
    """The pie: the last active seat of a side in play order from mano (rules.md 0.2)."""
    mask = active_of(g, side)
    players = int(r.players)
    seat = int(g.mano)
    for _ in range(players):
        seat = players - 1 if seat == 0 else seat - 1
        if (mask >> seat) & 1:
            return seat
    return NOBODY


@hot_rule
def has_mate(g: GameRecord, seat: int) -> bool:
    """Whether the seat's side has another active player."""
    return active_of(g, side_of(g, seat)) & ~(1 << seat) != 0


@hot_rule
def responder(g: GameRecord, r: RulesRecord, caller: int, by_pie: int) -> int:
    """Who answers ``caller``: the pie of the other side, or its first active seat after the caller (rules.md 1.9)."""
    rival = 1 - side_of(g, caller)
    if by_pie:
        return pie_of(g, r, rival)
    return first_after(active_of(g, rival), caller, int(r.players))


@hot_rule
def owes_first_card(g: GameRecord) -> int:
    """Active seats without a card in trick 1."""
    return int(g.owes) & int(g.active) if g.trick == 0 else 0


@hot_rule
def played_no_card(g: GameRecord, seat: int) -> bool:
    """Whether a seat has no card on the table in this hand."""
    return g.table[0, seat] < 0


@hot_rule
def seats_in(g: GameRecord, r: RulesRecord) -> int:
    """The seats that take part in this hand: all, or the two of a duel."""
    if g.kind == PICA:
        return (1 << int(g.mano)) | (1 << ((int(g.mano) + 3) % 6))
    return (1 << int(r.players)) - 1
