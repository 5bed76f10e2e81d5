"""Rewards: what an action of a match or of a single hand earns each account, and how the next match begins."""

from __future__ import annotations

from typing import Any, Final

from truco_env.engine.hand import deal, start_match
from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.seats import n_accounts
from truco_env.engine.step import apply_action, find_decision
from truco_env.observation.encode import put

EPISODES: Final = ("match", "hand")
REWARDS: Final = ("win", "points", "shaped")
HAND_EPISODE: Final = 1
_POINTS, _SHAPED = 1, 2


@rule
def _potential(g: GameRecord, r: RulesRecord, account: int) -> float:
    """How far an account is ahead, -1..1: points of the leg and legs won, against the mean of the others."""
    accounts = n_accounts(r)
    total = 0.0
    for other in range(accounts):
        share = 1.0 if other == account else -1.0 / (accounts - 1)
        points = 0 if g.leg_over else int(g.scores[other])
        total += share * (min(points, int(r.leg_target)) / r.leg_target + g.won[other]) / r.legs_to_win
    return total


@hot_rule
def _measure(g: GameRecord, r: RulesRecord, kind: int, sign: float, rewards: Any, base: int) -> None:
    """Add what the position is worth to ``rewards[base:]``, by account: with sign 1 after an action, with -1 before it."""
    accounts = n_accounts(r)
    if kind == _POINTS:
        for account in range(accounts):
            for other in range(accounts):
                share = 1.0 if other == account else -1.0 / (accounts - 1)
                rewards[base + account] += sign * share * g.scores[other]
    elif kind == _SHAPED and not g.match_over:
        for account in range(accounts):
            rewards[base + account] += sign * _potential(g, r, account)


@rule
def result_of_hand(g: GameRecord, r: RulesRecord, start: Any, account: int) -> float:
    """Who did better in a hand that began with the scores ``start``: 1, -1, or 0 for equal points; the match's winner if it ended that."""
    accounts = n_accounts(r)
    if g.match_over:
        return 1.0 if (int(g.winners) >> account) & 1 else -1.0
    ahead = 0.0
    for other in range(accounts):
        ahead += (g.scores[other] - start[other]) * (1.0 if other == account else -1.0 / (accounts - 1))
    return 1.0 if ahead > 0.01 else (-1.0 if ahead < -0.01 else 0.0)


@rule
def _pay_result(g: GameRecord, r: RulesRecord, kind: int, start: Any, rewards: Any, base: int) -> None:
    """Add the result of an episode that is over to ``rewards[base:]``, in place of the potential of its last position."""
    _measure(g, r, kind, -1.0, rewards, base)
    for account in range(n_accounts(r)):
        rewards[base + account] += result_of_hand(g, r, start, account)


@hot_rule
def earn(g: GameRecord, r: RulesRecord, episode: int, kind: int, start: Any, action: int, rewards: Any, base: int) -> None:
    """Carry out an action and write what each account earns by it into ``rewards[base:]``; ``start``: scores when the episode began."""
    for account in range(n_accounts(r)):
        put(rewards, base + account, 0.0)
    _measure(g, r, kind, -1.0, rewards, base)
    apply_action(g, r, action)
    _measure(g, r, kind, 1.0, rewards, base)
    if g.hand_over and kind != _POINTS and (g.match_over or episode == HAND_EPISODE):
        _pay_result(g, r, kind, start, rewards, base)


@rule
def restart(g: GameRecord, r: RulesRecord, seed: int, deck: Any) -> None:
    """Start the match of ``seed`` and deal its first hand; ``deck`` is scratch space, int8 of at least 40."""
    start_match(g, r, seed)
    deal(g, r, deck)
    find_decision(g, r)


@rule
def earn_once(g: GameRecord, r: RulesRecord, episode: int, kind: int, start: Any, action: int, earned: Any) -> None:
    """``earn`` out of line, compiled once for all callers that have one place for the result."""
    earn(g, r, episode, kind, start, action, earned, 0)
