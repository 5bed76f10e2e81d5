"""Points: paying, the end of a leg and of the match, and what a falta is worth (rules.md 1.8, 1.10)."""

from __future__ import annotations

from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.log import record
from truco_env.engine.option_codes import (
    FALTA_HALF,
    FALTA_LOSER,
    FALTA_MATCH_IF_MALAS,
    FALTA_POINTS,
    FALTA_WINNER,
    GALLO_TIE_EXTRA_HAND,
    GALLO_TIE_SHARED,
    SCORING_TIME_END_OF_HAND,
)
from truco_env.engine.record import (
    EV_CLAMP,
    EV_GAME,
    EV_JOC_FORA,
    EV_MATCH,
    EV_POINTS,
    PICA,
)
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.seats import has, n_accounts


@hot_rule
def accounts_of(g: GameRecord, r: RulesRecord, side: int) -> int:
    """The accounts a side's points go to: its own; in gallo those of its seats (rules.md 6.2)."""
    return int(g.side_mask[side]) if r.gallo else 1 << side


@rule
def pay(g: GameRecord, r: RulesRecord, side: int, points: int, reason: int) -> None:
    """Give a side points, at once or for the end of the hand (``scoring_time``)."""
    if r.scoring_time == SCORING_TIME_END_OF_HAND:
        g.unposted[side] += points
        _note_points(g, r, side, points, reason)
        return
    _note_points(g, r, side, points, reason)
    _add(g, r, side, points)
    _settle_leg(g, r)


@rule
def _note_points(g: GameRecord, r: RulesRecord, side: int, points: int, reason: int) -> None:
    accounts = accounts_of(g, r, side)
    if not r.gallo:
        record(g, EV_POINTS, side, reason, points)
        return
    account = int(g.mano)
    for _ in range(3):
        if has(accounts, account):
            record(g, EV_POINTS, account, reason, points)
        account = (account + 1) % 3


@rule
def _add(g: GameRecord, r: RulesRecord, side: int, points: int) -> None:
    accounts = accounts_of(g, r, side)
    for account in range(3):
        if has(accounts, account):
            g.scores[account] = g.scores[account] + points


@rule
def post_hand(g: GameRecord, r: RulesRecord) -> None:
    """Post the points of a finished hand or duel, with ``scoring_time=end_of_hand``."""
    if r.scoring_time != SCORING_TIME_END_OF_HAND:
        return
    for side in range(2):
        _add(g, r, side, int(g.unposted[side]))
        g.unposted[side] = 0
    _settle_leg(g, r)


@rule
def _settle_leg(g: GameRecord, r: RulesRecord) -> None:
    """End the leg if somebody has reached T: the highest total wins (rules.md 1.8, 6.2)."""
    best = max(int(g.scores[0]), int(g.scores[1]))
    if r.gallo:
        best = max(best, int(g.scores[2]))
    if best < r.leg_target:
        return
    at_top, count = 0, 0
    for account in range(n_accounts(r)):
        if g.scores[account] == best:
            at_top |= 1 << account
            count += 1
    if count == 1:
        _win_leg(g, r, at_top)
    elif r.gallo and r.gallo_tie != GALLO_TIE_EXTRA_HAND and at_top == accounts_of(g, r, 0):
        _win_leg(g, r, at_top if r.gallo_tie == GALLO_TIE_SHARED else 1 << int(g.mano))
    elif r.scoring_time != SCORING_TIME_END_OF_HAND and not _was_tied_beyond(g, r):
        g.hand_over = 1  # another hand from these totals decides


@rule
def _was_tied_beyond(g: GameRecord, r: RulesRecord) -> bool:
    """Whether this hand began with totals already at T: an extra hand (rules.md 1.8, 6.2)."""
    best = max(int(g.start_scores[0]), int(g.start_scores[1]))
    if r.gallo:
        best = max(best, int(g.start_scores[2]))
    return best >= r.leg_target


@rule
def _win_leg(g: GameRecord, r: RulesRecord, winners: int) -> None:
    for account in range(n_accounts(r)):
        over = int(g.scores[account]) - int(r.leg_target)
        if over > 0:
            g.scores[account] = r.leg_target
            record(g, EV_CLAMP, account, 0, -over)
    g.leg_over = 1
    g.hand_over = 1
    if winners & (winners - 1):
        win_match(g, winners)
        return
    for account in range(3):
        if has(winners, account):
            g.won[account] += 1
            record(g, EV_GAME, account, 0, 0)
            if g.won[account] >= r.legs_to_win:
                win_match(g, winners)


@rule
def win_match(g: GameRecord, winners: int) -> None:
    """End the match; ``winners`` is a set of accounts, more than one only where ``gallo_tie=shared``."""
    g.match_over = 1
    g.leg_over = 1
    g.hand_over = 1
    g.winners = winners
    record(g, EV_MATCH, 0, winners, 0)


@rule
def win_joc_fora(g: GameRecord, r: RulesRecord, side: int) -> None:
    """An accepted joc fora gives the match, both camas, to who wins the truc (rules.md 3.4)."""
    record(g, EV_JOC_FORA, side, 0, 0)
    g.won[side] = r.legs_to_win
    win_match(g, 1 << side)


@hot_rule
def falta_points(g: GameRecord, r: RulesRecord, winner: int, rule_of_falta: int) -> int:
    """What a falta or al resto won by side ``winner`` is worth, from the scores at the start of the hand (rules.md 1.10).

    ``rule_of_falta`` is the record's ``falta`` (flor table ``clarin`` always uses ``half``).
    """
    if g.kind == PICA and r.pica_falta > 0:
        return int(r.pica_falta)
    target = int(r.leg_target)
    lead = max(int(g.start_scores[0]), int(g.start_scores[1]))
    if r.gallo:
        lead = max(lead, int(g.start_scores[2]))
    own, other = int(g.start_scores[winner]), int(g.start_scores[1 - winner])
    in_malas = target == 30 and lead < 15
    points = target - lead
    if rule_of_falta == FALTA_POINTS:
        points = int(r.falta_points)
    elif rule_of_falta == FALTA_LOSER:
        points = target - other
    elif rule_of_falta == FALTA_HALF and in_malas:
        points = 15 - lead
    elif rule_of_falta == FALTA_MATCH_IF_MALAS and in_malas:
        points = target - own
    elif rule_of_falta == FALTA_WINNER and in_malas:
        points = 15 - own
    if r.falta_males and own < 12 and other < 12:
        points = target - own
    return max(points, 1)
