"""The learner in each of many matches, in compiled code: who plays which seat, what follows an action, what it earned."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from truco_env.batch.batch import first_illegal
from truco_env.batch.rewards import HAND_EPISODE, earn_once, restart, result_of_hand
from truco_env.engine.bits import spread_bits
from truco_env.engine.chance import GOLDEN, below, mix, next_match_seed
from truco_env.engine.hand import deal
from truco_env.engine.jit import entry, hot_rule, rule
from truco_env.engine.legal import is_legal
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.seats import account_of, n_accounts
from truco_env.engine.step import find_decision
from truco_env.observation.encode import encode
from truco_env.rules.actions import N_ACTIONS

_S11: Final = np.uint64(11)
_LEARNER: Final = -1
_NOBODY: Final = -2

#: Turns of ``advance``: the first look after a reset, answers of agents, actions of the learner.
LOOK: Final = 2
AGENTS: Final = 0
LEARNER: Final = 1

#: What a row knows besides its game.
TABLE_DTYPE: Final = np.dtype(
    [
        ("stream", np.uint64),  # draws of learner seat, opponent and partner
        ("opponent", np.int32),  # slot of the agent of the other side(s)
        ("partner", np.int32),  # slot of the agent of the learner's team-mates
        ("seat", np.int8),  # the learner's
        ("over", np.int8),  # the episode is over and waits for a reset (no autoreset)
        ("done", np.int8),  # an episode of the learner ended in this step
        ("decisions", np.int32),  # of the learner in this episode
        ("carried", np.float64),  # reward since the learner's last decision
        ("total", np.float64),  # reward of this episode delivered so far
        # The last finished episode.
        ("last_reward", np.float64),  # of its last decision
        ("last_total", np.float64),
        ("last_result", np.int8),
        ("last_forfeit", np.int8),
        ("last_seat", np.int8),
        ("last_opponent", np.int32),
        ("last_partner", np.int32),
        ("last_decisions", np.int32),
        ("last_hands", np.int32),
        ("last_scores", np.int16, 3),
    ],
    align=True,
)


@rule
def _draw(t: Any) -> Any:
    t.stream = t.stream + GOLDEN
    return mix(t.stream)


@rule
def _draw_slot(t: Any, slots: Any, edges: Any) -> Any:
    """One of ``slots``; ``edges`` are the cumulative weights, the last of them 1."""
    u = np.float64(_draw(t) >> _S11) * (1.0 / 9007199254740992.0)
    for i in range(len(slots)):
        if u < edges[i]:
            return slots[i]
    return slots[len(slots) - 1]


@rule
def _seat_players(t: Any, r: RulesRecord, modes: Any, pool: Any, pool_edges: Any, mates: Any, mate_edges: Any) -> None:
    """Draw who plays a new match, always with three draws, so that a stream means the same in every setting."""
    seat = below(_draw(t), r.players)
    t.seat = seat if modes[3] < 0 else modes[3]
    t.opponent = _draw_slot(t, pool, pool_edges)
    if len(mates):
        t.partner = _draw_slot(t, mates, mate_edges)
    else:
        _draw(t)
        t.partner = t.opponent
    t.decisions = 0
    t.carried = 0.0
    t.total = 0.0
    t.over = 0


@hot_rule
def _player_of(t: Any, r: RulesRecord, modes: Any, seat: int) -> Any:
    """Who plays a seat: the learner, or an agent's slot."""
    if seat == t.seat:
        return _LEARNER
    if account_of(r, seat) != account_of(r, int(t.seat)):
        return t.opponent
    return _LEARNER if modes[2] else t.partner


@rule
def _finish_episode(g: GameRecord, r: RulesRecord, at: Any, t: Any, base: Any, finals: Any, row: int) -> None:
    """Close the learner's episode: its last reward, its result, and its last view."""
    account = account_of(r, int(t.seat))
    t.done = 1
    t.last_reward = t.carried
    t.last_total = t.total + t.carried
    t.last_result = np.int8(result_of_hand(g, r, base, account))
    t.last_seat = t.seat
    t.last_opponent = t.opponent
    t.last_partner = t.partner
    t.last_decisions = t.decisions
    t.last_hands = g.hand_no + 1
    accounts = n_accounts(r)
    for i in range(accounts):
        other = (account + i) % 3 if r.gallo else account ^ i
        t.last_scores[i] = g.scores[other]
    encode(g, r, at, row * at[-1], int(t.seat), finals)


@rule
def _follow(
    g: GameRecord, r: RulesRecord, at: Any, t: Any, modes: Any, pool: Any, pool_edges: Any, mates: Any, mate_edges: Any, finals: Any,
    row: int, forfeit: bool, base: Any, deck: Any,
) -> bool:  # fmt: skip
    """What follows a hand that is over, or a forfeit: the next hand, or the end of the episode and the next; whether a match began."""
    if not (g.match_over or modes[0] == HAND_EPISODE or forfeit):
        deal(g, r, deck)
        find_decision(g, r)
        return False
    if t.done == 0:
        _finish_episode(g, r, at, t, base, finals, row)
        t.last_forfeit = forfeit
        if forfeit:
            t.last_result = -1
        if modes[4] == 0:
            t.over = 1
            return False
    restart(g, r, next_match_seed(g.seed), deck)
    _seat_players(t, r, modes, pool, pool_edges, mates, mate_edges)
    return True


@rule
def _carry_out(
    games: Any, r: RulesRecord, at: Any, tables: Any, modes: Any, pool: Any, pool_edges: Any, mates: Any, mate_edges: Any, rows: Any,
    actions: Any, finals: Any, players: Any, started: Any, deck: Any, earned: Any, base: Any,
) -> None:  # fmt: skip
    """First half of ``advance``: act, go on to the next hand or match, and note in ``players`` who decides next in each row."""
    episode, kind, turn = modes[0], modes[1], modes[5]
    for k in range(len(rows)):
        row = rows[k]
        g, t = games[row], tables[row]
        if t.over:
            players[k] = _NOBODY
            continue
        forfeit = False
        if turn == LEARNER:
            t.done = 0
            t.decisions += 1
            forfeit = not is_legal(g, actions[k])
        if forfeit:
            t.carried -= 1.0
        elif turn != LOOK:
            earn_once(g, r, episode, kind, base, actions[k], earned)
            t.carried += earned[account_of(r, int(t.seat))]
        if g.hand_over or forfeit:
            started[row] |= _follow(g, r, at, t, modes, pool, pool_edges, mates, mate_edges, finals, row, forfeit, base, deck)
        players[k] = _NOBODY if t.over else _player_of(t, r, modes, int(g.to_act))


@entry
def advance(
    games: Any, rules: Any, at: Any, tables: Any, modes: Any, pool: Any, pool_edges: Any, mates: Any, mate_edges: Any, rows: Any,
    actions: Any, views: Any, masks: Any, finals: Any, asked_rows: Any, asked_ids: Any, counts: Any, started: Any,
) -> int:  # fmt: skip
    """Carry out ``actions[k]`` in ``rows[k]`` and say who decides next.

    Args:
        games: the games, like all arrays that follow one entry or row for each match, unless said otherwise.
        rules: their rules.
        at: offsets of the layout.
        tables: ``TABLE_DTYPE``.
        modes: episode, reward, whole side, fixed learner seat (-1: drawn), autoreset, turn (LOOK carries nothing out), forfeits (an
            illegal action of the learner loses its episode).
        pool: slots of the opponents to draw from; with ``pool_edges``, their cumulative weights.
        pool_edges: see ``pool``.
        mates: likewise the team-mates.
        mate_edges: see ``mates``.
        rows: the matches to act in.
        actions: what to do there.
        views: int8, flat. Where the learner decides next, its view goes to row ``row``; what agents are asked follows, agent by agent,
            from row ``len(games)``.
        masks: int8, flat: the legal actions, at the same places.
        finals: int8, flat: last views of ended episodes.
        asked_rows: the rows asked, agent by agent.
        asked_ids: the numbers by which the agents know them.
        counts: by slot, how many.
        started: set where a match began.

    Returns:
        The number of rows asked, or -1 - k when ``actions[k]`` is not legal; then nothing has changed.
    """
    r = rules[0]
    if modes[5] == AGENTS or (modes[5] == LEARNER and modes[6] == 0):
        bad = first_illegal(games, rows, actions)
        if bad >= 0:
            return -1 - bad
    players = np.empty(len(rows), dtype=np.int32)
    deck = np.empty(40, dtype=np.int8)
    earned, base = np.zeros(3, dtype=np.float64), np.zeros(3, dtype=np.float64)
    _carry_out(
        games, r, at, tables, modes, pool, pool_edges, mates, mate_edges, rows, actions, finals, players, started, deck, earned, base
    )  # fmt: skip
    places = np.zeros(len(counts), dtype=np.int64)
    for k in range(len(rows)):
        if players[k] >= 0:
            places[players[k]] += 1
    total, size = 0, at[-1]
    for slot in range(len(counts)):
        counts[slot] = places[slot]
        places[slot] = total
        total += counts[slot]
    for k in range(len(rows)):
        row = rows[k]
        player = players[k]
        if player == _NOBODY:
            views[row * size : (row + 1) * size] = finals[row * size : (row + 1) * size]
            spread_bits(0, masks, row * N_ACTIONS)
            continue
        g = games[row]
        seat = int(g.to_act)
        place = row
        if player >= 0:
            place = places[player]
            places[player] += 1
            asked_rows[place] = row
            asked_ids[place] = row + len(games) * account_of(r, seat)
            place += len(games)
        encode(g, r, at, place * size, seat, views)
        spread_bits(g.legal, masks, place * N_ACTIONS)
    return total


@entry
def collect(tables: Any, rewards: Any, dones: Any) -> None:
    """Hand out the rewards of a step."""
    for i in range(len(tables)):
        t = tables[i]
        dones[i] = t.done == 1
        if t.done:
            rewards[i] = t.last_reward
            continue
        rewards[i] = t.carried
        t.total += t.carried
        t.carried = 0.0


@entry
def open_rows(
    games: Any, rules: Any, tables: Any, modes: Any, pool: Any, pool_edges: Any, mates: Any, mate_edges: Any, rows: Any, seeds: Any
) -> None:
    """Start new matches in ``rows``; ``seeds[k]`` are those of the deals and of the seating."""
    deck = np.empty(40, dtype=np.int8)
    for k in range(len(rows)):
        t = tables[rows[k]]
        restart(games[rows[k]], rules[0], seeds[k, 0], deck)
        t.stream = seeds[k, 1]
        _seat_players(t, rules[0], modes, pool, pool_edges, mates, mate_edges)
        t.done = 1  # an episode that ends before the learner has decided is not delivered
