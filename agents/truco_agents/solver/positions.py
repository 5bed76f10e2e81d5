"""Positions of one hand, many at once: records without a log, stepped, hashed and paid by compiled code.

Seat 0 is the seat whose hand is fixed, the *solver's* seat; seat 1 is the rival.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from truco_env.engine.bits import spread_bits
from truco_env.engine.hand import begin_hand
from truco_env.engine.jit import JIT, entry, hot_rule
from truco_env.engine.record import GAME_DTYPE
from truco_env.engine.step import apply_action, find_decision
from truco_env.observation.encode import encode
from truco_env.rules.actions import N_ACTIONS

Records = npt.NDArray[np.void]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Keys = npt.NDArray[np.uint64]

OVER: Final = -1  #: in place of a seat to act: the hand is over

#: A game record with room for one event: a quarter of the memory, and nothing of the game depends on the log.
POSITION_DTYPE: Final = np.dtype(
    [(name, *((kind.base, kind.shape) if name != "log" else (kind.base, (1,)))) for name, (kind, *_) in GAME_DTYPE.fields.items()],  # type: ignore[union-attr]
    align=True,
)

_BYTES: Final = np.dtype((np.void, POSITION_DTYPE.itemsize))

_PRIME: Final = np.uint64(0x9FB21C651E98DF25)
_S29 = np.uint64(29)
ROOT: Final = np.uint64(0x5851F42D4C957F2D)  #: the key of the past before the first decision


def branch_off(positions: Records, rules: npt.NDArray[np.void], parents: Ints, actions: Ints) -> Records:
    """Return what ``positions[parents[k]]`` becomes by the legal ``actions[k]``, for every k."""
    children = _as_records(np.empty(len(parents), dtype=POSITION_DTYPE))
    _branch(positions, rules, parents, actions, children)
    return children


def take_positions(positions: Records, chosen: Ints) -> Records:
    """Return ``positions[chosen]``: as plain bytes, since NumPy copies records field by field, twenty times slower."""
    return _as_records(_as_bytes(positions)[chosen])


def join_positions(parts: Sequence[Records]) -> Records:
    """Return the positions of all parts, in order."""
    return _as_records(np.concatenate([_as_bytes(part) for part in parts]))


def _as_bytes(positions: Records) -> Records:
    return positions.view(np.ndarray).view(_BYTES)


def _as_records(raw: Records) -> Records:
    records = raw.view(POSITION_DTYPE)
    return records if JIT else records.view(np.recarray)


def deal_positions(
    rules: npt.NDArray[np.void],
    own: npt.NDArray[np.int8],
    rivals: npt.NDArray[np.int8],
    *,
    mano: int,
    scores: tuple[int, int] = (0, 0),
    won: tuple[int, int] = (0, 0),
) -> Records:
    """Return the first decision of the hand in which seat 0 holds ``own`` and seat 1 a row of ``rivals``.

    Args:
        rules: compiled rules of a table for two.
        own: card ids, int8 (3,).
        rivals: card ids, int8 (n, 3).
        mano: 0 or 1, who plays first.
        scores: points before the hand, of seat 0 and of seat 1.
        won: legs won before the hand, likewise.
    """
    positions = _as_records(np.zeros(len(rivals), dtype=POSITION_DTYPE))
    positions["dealer"] = 1 - mano
    positions["scores"][:, :2] = scores
    positions["won"][:, :2] = won
    positions["cards"] = -1
    positions["cards"][:, 0, :3] = own
    positions["cards"][:, 1, :3] = rivals
    _begin(positions, rules)
    return positions


@entry
def _begin(positions: Any, rules: Any) -> None:
    for k in range(len(positions)):
        begin_hand(positions[k], rules[0])
        find_decision(positions[k], rules[0])


@entry
def _branch(positions: Any, rules: Any, parents: Any, actions: Any, children: Any) -> None:
    for k in range(len(parents)):
        children[k] = positions[parents[k]]
        apply_action(children[k], rules[0], actions[k])


@entry
def look(positions: Any, chosen: Any, rules: Any, at: Any, observations: Any, masks: Any) -> None:
    """Write what the seats to act in ``positions[chosen]`` see, and may do, into rows of the flat ``observations`` and ``masks``."""
    for k in range(len(chosen)):
        g = positions[chosen[k]]
        encode(g, rules[0], at, k * at[-1], int(g.to_act), observations)
        spread_bits(g.legal, masks, k * N_ACTIONS)


@hot_rule
def chain(key: Any, word: Any) -> Any:
    """Extend a key by one word: 64 bits that stand for everything so far, up to chance collisions."""
    key = (key ^ word) * _PRIME
    return key ^ (key >> _S29)


@entry
def identify(positions: Any, chosen: Any, rules: Any, at: Any, pasts: Any, keys: Any) -> None:
    """Write to ``keys[k]`` the information set of who acts in ``positions[chosen[k]]``: its past ``pasts[k]``, what it sees."""
    words = (int(at[-1]) + 7) // 8
    seen = np.zeros(8 * words, dtype=np.int8)
    packed = seen.view(np.uint64)
    for k in range(len(chosen)):
        g = positions[chosen[k]]
        encode(g, rules[0], at, 0, int(g.to_act), seen)
        key = pasts[k]
        for i in range(words):
            key = chain(key, packed[i])
        keys[k] = key


@entry
def extend_keys(keys: Any, actions: Any, pasts: Any) -> None:
    """Write to ``pasts[k]`` the past of a seat that chose ``actions[k]`` in the information set ``keys[k]``."""
    for k in range(len(keys)):
        pasts[k] = chain(keys[k], np.uint64(actions[k] + 1))


@entry
def pay(positions: Any, chosen: Any, rules: Any, leg: Any, match: Any, before: Any, payoffs: Any) -> None:
    """Write what the finished hands ``positions[chosen]`` are worth to seat 0: points, and the chance to win the match.

    ``leg[mine, theirs]`` is the chance to win a leg by the points still needed, ``match[mine, theirs]`` the chance to win the match by the
    legs won; ``before`` the scores before the hand.
    """
    target = int(rules[0].leg_target)
    most = len(leg) - 1
    for k in range(len(chosen)):
        g = positions[chosen[k]]
        payoffs[k, 0] = (g.scores[0] - before[0]) - (g.scores[1] - before[1])
        mine, theirs = int(g.won[0]), int(g.won[1])
        if g.match_over:
            payoffs[k, 1] = 1.0 if g.winners & 1 else 0.0
        elif g.leg_over:
            payoffs[k, 1] = match[mine, theirs]
        else:
            chance = leg[min(max(target - g.scores[0], 1), most), min(max(target - g.scores[1], 1), most)]
            payoffs[k, 1] = chance * match[mine + 1, theirs] + (1.0 - chance) * match[mine, theirs + 1]


@entry
def group(keys: Any, table: Any, groups: Any) -> int:
    """Number equal ``keys`` alike, from 0 in the order of their first appearance, into ``groups``; return how many there are.

    ``table``: int64, a power of two of at least twice as many places as keys, all -1; it holds the first of each group afterwards.
    """
    count = 0
    last = len(table) - 1
    for k in range(len(keys)):
        place = np.int64(keys[k] >> _S29) & last
        while table[place] >= 0 and keys[table[place]] != keys[k]:
            place = (place + 1) & last
        if table[place] < 0:
            table[place] = k
            groups[k] = count
            count += 1
        else:
            groups[k] = groups[table[place]]
    return count


@entry
def sort_groups(groups: Any, starts: Any, order: Any) -> None:
    """Counting sort: ``order`` lists the members of group 0, then of group 1, ...; ``starts[j]`` is where group ``j`` begins.

    ``starts``: int64 (number of groups + 1,), zeros before.
    """
    for k in range(len(groups)):
        starts[groups[k] + 1] += 1
    for j in range(1, len(starts)):
        starts[j] += starts[j - 1]
    free = starts.copy()
    for k in range(len(groups)):
        order[free[groups[k]]] = k
        free[groups[k]] += 1


@entry
def open_actions(positions: Any, members: Any, groups: Any, parents: Any, actions: Any, choices: Any) -> int:
    """List every legal action of ``positions[members]``; return how many there are.

    ``choices[n]`` numbers the pairs of a group and an action in the order of ``members``, whose groups must come together.
    """
    n, first, following, current = 0, 0, 0, -1
    for i in range(len(members)):
        k = members[i]
        if groups[k] != current:
            current, first = groups[k], following
        choice = first
        for action in range(N_ACTIONS):
            if (positions[k].legal >> action) & 1:
                parents[n], actions[n], choices[n] = k, action, choice
                n += 1
                choice += 1
        following = choice
    return n


@entry
def split(probabilities: Any, weights: Any, grain: float, draws: Any, parents: Any, actions: Any, shares: Any) -> tuple[int, int]:
    """Follow each row's ``probabilities``; return the number of branches, and how many of the rows were not followed exactly.

    A branch of a weight below ``grain`` is not followed for sure: a systematic draw keeps it with weight ``grain`` as often as leaves its
    expected weight unchanged. ``draws``: float64 (rows,) in [0, 1). Branch ``n`` is ``actions[n]`` in row ``parents[n]`` with weight
    ``shares[n]``.
    """
    n, rounded = 0, 0
    for k in range(len(weights)):
        light = 0.0
        for action in range(N_ACTIONS):
            share = probabilities[k, action] * weights[k]
            if share > 0.0 and share < grain:
                light += share
        ticket = draws[k] * grain
        rounded += light > 0.0
        for action in range(N_ACTIONS):
            share = probabilities[k, action] * weights[k]
            if share <= 0.0:
                continue
            if share >= grain:
                parents[n], actions[n], shares[n] = k, action, share
                n += 1
                continue
            if ticket < share:
                parents[n], actions[n], shares[n] = k, action, grain
                n += 1
                ticket += grain
            ticket -= share
    return n, rounded


def all_hands(deck: Sequence[int] | npt.NDArray[np.integer[Any]], without: Sequence[int] = ()) -> npt.NDArray[np.int8]:
    """Return every hand of three cards of a deck that has none of the cards ``without``, int8 (n, 3), each ascending."""
    cards = np.array(sorted(set(map(int, deck)) - set(map(int, without))), dtype=np.int8)
    first, second, third = np.array([(a, b, c) for a in range(len(cards)) for b in range(a) for c in range(b)], dtype=np.int64).T
    return np.stack([cards[third], cards[second], cards[first]], axis=1)
