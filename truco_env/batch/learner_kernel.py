"""The learner in each of many matches, in compiled code: who plays which seat, what follows an action, what it earned."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from truco_env.batch.batch import first_illegal
from truco_env.batch.rewards import HAND_EPISODE, earn_once, restart, result_of_hand
from truco_env.batch.terms import TERMS_DTYPE
from truco_env.engine.bits import spread_bits
from truco_env.engine.chance import GOLDEN, below, mix, next_match_seed
from truco_env.engine.hand import deal
from truco_env.engine.jit import entry, hot_rule, rule
from truco_env.engine.legal import is_legal
from truco_env.engine.record_types import GameRecord
from truco_env.engine.seats import account_of, n_accounts
from truco_env.engine.step import find_decision
from truco_env.observation.encode import encode
from truco_env.rules.actions import N_ACTIONS

_S11: Final = np.uint64(11)
#: Plays by the learner's decisions, in the place of an agent's slot.
LEARNER_SLOT: Final = -1
_NOBODY: Final = -2

#: Turns of ``advance``: the first look after a reset, answers of agents, actions of the learner.
LOOK: Final = 2
AGENTS: Final = 0
LEARNER: Final = 1

#: Blocks of the views, after that of the learners.
ASKED: Final = 1
FINALS: Final = 2
#: Rows of what is asked.
ROWS: Final = 0
IDS: Final = 1

#: What all matches of a learner have in common.
SETTING_DTYPE: Final = np.dtype(
    [
        ("terms", TERMS_DTYPE),
        ("whole_side", np.int8),  # the learner plays every seat of its account
        ("learner_seat", np.int8),  # -1 = drawn
        ("autoreset", np.int8),
        ("forfeits", np.int8),  # an illegal action of the learner loses its episode
        # Scratch space.
        ("deck", np.int8, 40),
        ("earned", np.float64, 3),
        ("start", np.float64, 3),  # scores when an episode begins: 0-0
    ],
    align=True,
)
#: Agents to draw from: the slot of each, and the cumulative weights, the last of them 1.
POOL_DTYPE: Final = np.dtype([("slot", np.int32), ("edge", np.float64)], align=True)
#: What a row knows besides its game.
TABLE_DTYPE: Final = np.dtype(
    [
        ("stream", np.uint64),  # draws of learner seat, opponent and partner
        ("opponent", np.int32),  # slot of the agent of the other side(s), LEARNER_SLOT: the learner plays them too
        ("partner", np.int32),  # slot of the agent of the learner's team-mates
        ("seat", np.int8),  # the learner's
        ("over", np.int8),  # the episode is over and waits for a reset (no autoreset)
        ("started", np.int8),  # a match has begun that agents have not been told of
        ("done", np.int8),  # an episode of the learner ended in this step
        ("decisions", np.int32),  # of the learner in this episode
        ("decided", np.int8),  # bits: accounts for which the learner has decided in this episode
        ("carried", np.float64, 3),  # by account: reward since the learner's last decision for it
        ("total", np.float64),  # reward of this episode delivered so far to the account of the learner's seat
        # The last finished episode.
        ("last_decided", np.int8),
        ("last_earned", np.float64, 3),  # by account: reward of the learner's last decision for it
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
def _draw_slot(t: Any, pool: Any) -> Any:
    u = np.float64(_draw(t) >> _S11) * (1.0 / 9007199254740992.0)
    for i in range(len(pool)):
        if u < pool[i].edge:
            return pool[i].slot
    return pool[len(pool) - 1].slot


@rule
def _seat_players(t: Any, s: Any, pool: Any, mates: Any) -> None:
    """Draw who plays a new match, always with three draws, so that a stream means the same in every setting."""
    seat = below(_draw(t), s.terms.rules.players)
    t.seat = seat if s.learner_seat < 0 else s.learner_seat
    t.opponent = _draw_slot(t, pool)
    if len(mates):
        t.partner = _draw_slot(t, mates)
    else:
        _draw(t)
        t.partner = t.opponent
    if t.opponent == LEARNER_SLOT:
        t.partner = LEARNER_SLOT
    t.decisions = 0
    t.decided = 0
    for account in range(3):
        t.carried[account] = 0.0
    t.total = 0.0
    t.over = 0
    t.started = 1


@hot_rule
def _player_of(t: Any, s: Any, seat: int) -> Any:
    """Who plays a seat: the learner, or an agent's slot."""
    if seat == t.seat:
        return LEARNER_SLOT
    r = s.terms.rules
    if account_of(r, seat) != account_of(r, int(t.seat)):
        return t.opponent
    return LEARNER_SLOT if s.whole_side else t.partner


@rule
def _finish_episode(g: GameRecord, t: Any, terms: Any, start: Any, views: Any, place: int) -> None:
    """Close the learner's episode: its last reward, its result, and its last view, in row ``place`` of ``views``."""
    r, at = terms.rules, terms.at
    account = account_of(r, int(t.seat))
    t.done = 1
    t.last_decided = t.decided
    for i in range(3):
        t.last_earned[i] = t.carried[i]
    t.last_total = t.total + t.carried[account]
    t.last_result = np.int8(result_of_hand(g, r, start, account))
    t.last_seat = t.seat
    t.last_opponent = t.opponent
    t.last_partner = t.partner
    t.last_decisions = t.decisions
    t.last_hands = g.hand_no + 1
    accounts = n_accounts(r)
    for i in range(accounts):
        other = (account + i) % 3 if r.gallo else account ^ i
        t.last_scores[i] = g.scores[other]
    encode(g, r, at, place * at[-1], int(t.seat), views)


@rule
def _follow(g: GameRecord, t: Any, s: Any, pool: Any, mates: Any, views: Any, place: int, forfeit: bool) -> None:
    """What follows a hand that is over, or a forfeit: the next hand, or the end of the episode and the next."""
    r = s.terms.rules
    if not (g.match_over or s.terms.episode == HAND_EPISODE or forfeit):
        deal(g, r, s.deck)
        find_decision(g, r)
        return
    if t.done == 0:
        _finish_episode(g, t, s.terms, s.start, views, place)
        t.last_forfeit = forfeit
        if forfeit:
            t.last_result = -1
        if s.autoreset == 0:
            t.over = 1
            return
    restart(g, r, next_match_seed(g.seed), s.deck)
    _seat_players(t, s, pool, mates)


@rule
def _carry_out(
    games: Any, tables: Any, s: Any, pool: Any, mates: Any, turn: int, rows: Any, actions: Any, views: Any, players: Any
) -> None:
    """First half of ``advance``: act, go on to the next hand or match, and note in ``players`` who decides next in each row."""
    terms = s.terms
    r = terms.rules
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
            t.decided |= np.int8(1 << account_of(r, int(g.to_act)))
            forfeit = not is_legal(g, actions[k])
        if forfeit:
            t.carried[account_of(r, int(t.seat))] -= 1.0
        elif turn != LOOK:
            earn_once(g, r, terms.episode, terms.reward, s.start, actions[k], s.earned)
            for account in range(n_accounts(r)):
                t.carried[account] += s.earned[account]
        if g.hand_over or forfeit:
            _follow(g, t, s, pool, mates, views, FINALS * len(games) + row, forfeit)
        players[k] = _NOBODY if t.over else _player_of(t, s, int(g.to_act))


@entry
def advance(
    games: Any, tables: Any, setting: Any, pool: Any, mates: Any, turn: int, rows: Any, actions: Any, views: Any, masks: Any, asked: Any,
    counts: Any,
) -> int:  # fmt: skip
    """Carry out ``actions[k]`` in ``rows[k]`` and say who decides next.

    Args:
        games: the games.
        tables: ``TABLE_DTYPE``, one for each game.
        setting: ``SETTING_DTYPE``, one entry.
        pool: ``POOL_DTYPE``, the opponents to draw from.
        mates: likewise the team-mates; may be empty.
        turn: whose actions these are: LEARNER, AGENTS, or LOOK, which carries nothing out.
        rows: the matches to act in.
        actions: what to do there.
        views: int8, flat, three blocks of one row for each game. Where the learner decides next, its view goes to row ``row``; what
            agents are asked follows in the second block, agent by agent; the third has the last views of ended episodes.
        masks: int8, flat: the legal actions, at the same places; there is no third block.
        asked: int64 (2, games): the rows asked, agent by agent, and the numbers by which the agents know them.
        counts: by slot, how many are asked.

    Returns:
        The number of rows asked, or -1 - k when ``actions[k]`` is not legal; then nothing has changed.
    """
    s, n = setting[0], len(games)
    r, at = s.terms.rules, s.terms.at
    if turn == AGENTS or (turn == LEARNER and s.forfeits == 0):
        bad = first_illegal(games, rows, actions)
        if bad >= 0:
            return -1 - bad
    players = np.empty(len(rows), dtype=np.int32)
    _carry_out(games, tables, s, pool, mates, turn, rows, actions, views, players)
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
            last = (FINALS * n + row) * size
            views[row * size : (row + 1) * size] = views[last : last + size]
            spread_bits(0, masks, row * N_ACTIONS)
            continue
        g = games[row]
        seat = int(g.to_act)
        place = row
        if player >= 0:
            place = places[player]
            places[player] += 1
            asked[ROWS, place] = row
            asked[IDS, place] = row + n * account_of(r, seat)
            place += ASKED * n
        encode(g, r, at, place * size, seat, views)
        spread_bits(g.legal, masks, place * N_ACTIONS)
    return total


@entry
def collect(games: Any, tables: Any, setting: Any, earned: Any, dones: Any) -> None:
    """Hand out what decisions earned: every account's last one where an episode ended, else the last one of the account that decides next.

    Args:
        games: the games.
        tables: ``TABLE_DTYPE``, one for each game.
        setting: ``SETTING_DTYPE``, one entry.
        earned: float32 (games, accounts), zeros; what each account's last decision has earned, where that is known now.
        dones: bool (games,), whether an episode ended.
    """
    r = setting[0].terms.rules
    for i in range(len(tables)):
        t = tables[i]
        dones[i] = t.done == 1
        if t.done:
            for account in range(n_accounts(r)):
                if (t.last_decided >> account) & 1:
                    earned[i, account] = t.last_earned[account]
            continue
        account = account_of(r, int(games[i].to_act))
        if (t.decided >> account) & 1:
            earned[i, account] = t.carried[account]
            if account == account_of(r, int(t.seat)):
                t.total += t.carried[account]
            t.carried[account] = 0.0


@entry
def open_rows(games: Any, tables: Any, setting: Any, pool: Any, mates: Any, rows: Any, seeds: Any) -> None:
    """Start new matches in ``rows``; ``seeds[k]`` are those of the deals and of the seating."""
    s = setting[0]
    for k in range(len(rows)):
        t = tables[rows[k]]
        restart(games[rows[k]], s.terms.rules, seeds[k, 0], s.deck)
        t.stream = seeds[k, 1]
        _seat_players(t, s, pool, mates)
        t.done = 1  # an episode that ends before the learner has decided is not delivered
