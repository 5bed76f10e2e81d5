"""Batch: many matches stepped together, each to its own next decision, with observations, masks and rewards.

This is the fast face of the engine; the environments are thin layers over it.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from truco_env.batch.rewards import HAND_EPISODE, earn, restart
from truco_env.batch.rows import check_rows, seal_games, table_key, unseal_games
from truco_env.batch.terms import terms_of
from truco_env.engine.bits import spread_bits
from truco_env.engine.chance import next_match_seed
from truco_env.engine.hand import deal
from truco_env.engine.jit import entry, hot_rule, rule, with_fields
from truco_env.engine.legal import is_legal
from truco_env.engine.prefetch import prefetch
from truco_env.engine.record import GAME_DTYPE, new_games
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.step import find_decision
from truco_env.errors import IllegalActionError
from truco_env.observation.arrays import check_integers
from truco_env.observation.encode import encode
from truco_env.observation.layout import layout_of
from truco_env.rules.actions import N_ACTIONS, Action
from truco_env.rules.options import Rules

_ROWS_PER_THREAD: Final = 2048  # below that, waking a thread costs more than it saves
_NEAR_GAMES: Final = 1024  # so many stay in the cache beside a core; beyond, asking for them in time doubles the speed of a step
_CACHE_LINE: Final = 64
#: What a step tells of each match.
_OUTCOME_DTYPE: Final = np.dtype(
    [
        ("rewards", np.float32, 3),  # by account
        ("hands", np.int32),  # of the last finished episode
        ("seat", np.int8),  # to act
        ("viewer", np.int8),  # who sees the last position of an episode
        ("winners", np.int8),  # of the last finished match, as a bit mask
        ("done", np.bool_),  # the step ended an episode
    ],
    align=True,
)
#: What ``Batch._attach`` lays over other arrays.
_VIEWS: Final = frozenset({
    "seats", "done", "viewers", "winners", "hands", "rewards", "_flat_observations", "_flat_masks", "_flat_finals", "_records",
})  # fmt: skip
_LOG_START: Final = GAME_DTYPE.fields["log"][1]  # type: ignore[index]
_LOG_WIDTH: Final = GAME_DTYPE["log"].base.itemsize


@rule
def _encode_final(g: GameRecord, r: RulesRecord, at: Any, base: int, me: int, o: Any) -> None:
    """``encode`` out of line: a second copy of it in the loop over the matches would slow every step."""
    encode(g, r, at, base, me, o)


@entry
def _reset_rows(games: Any, terms: Any, rows: Any, seeds: Any) -> None:
    deck = np.empty(40, dtype=np.int8)
    for k in range(len(rows)):
        restart(games[rows[k]], terms[0].rules, seeds[k], deck)


@entry
def _observe_rows(games: Any, terms: Any, rows: Any, viewers: Any, observations: Any, masks: Any) -> None:
    """Write the view of seat ``viewers[k]`` of game ``rows[k]`` into row k; the mask is all zero off turn."""
    t = terms[0]
    for k in range(len(rows)):
        g = games[rows[k]]
        encode(g, t.rules, t.at, k * t.at[-1], int(viewers[k]), observations)
        spread_bits(g.legal if viewers[k] == g.to_act else 0, masks, k * N_ACTIONS)


@rule
def first_illegal(games: Any, rows: Any, actions: Any) -> int:
    """The first k whose ``actions[k]`` is not legal in ``games[rows[k]]``, or -1."""
    for k in range(len(rows)):
        if not is_legal(games[rows[k]], actions[k]):
            return k
    return -1


@entry
def _find_illegal(games: Any, rows: Any, actions: Any) -> int:
    return first_illegal(games, rows, actions)


@hot_rule
def _fetch_ahead(games: Any, rows: Any, k: int) -> None:
    """Have the games of the coming rows brought near: first what every action reads, then the end of the log, which is further off."""
    if k + 4 < len(rows):
        for line in range(0, _LOG_START, _CACHE_LINE):
            prefetch(games, rows[k + 4], line)
    if k + 2 < len(rows):
        i = rows[k + 2]
        prefetch(games, i, _LOG_START + _LOG_WIDTH * int(games[i].n_log))


@entry
def _step_rows(games: Any, terms: Any, rows: Any, actions: Any, outcomes: Any, observations: Any, masks: Any, finals: Any) -> int:
    """Carry out ``actions[k]`` in ``rows[k]`` and return -1; or the first k whose action is not legal, and then nothing has changed."""
    bad = first_illegal(games, rows, actions)
    if bad >= 0:
        return bad
    t = terms[0]
    r, at, episode, reward = t.rules, t.at, t.episode, t.reward
    size = at[-1]
    deck = np.empty(40, dtype=np.int8)
    start = np.zeros(3, dtype=np.float64)
    far = len(games) > _NEAR_GAMES
    for k in range(len(rows)):
        if far:
            _fetch_ahead(games, rows, k)
        i = rows[k]
        g, out = games[i], outcomes[i]
        earn(g, r, episode, reward, start, actions[k], out.rewards, 0)
        out.done = False
        if g.hand_over:
            if g.match_over or episode == HAND_EPISODE:
                out.done = True
                if len(finals):
                    _encode_final(g, r, at, i * size, int(out.viewer), finals)
                out.winners = g.winners
                out.hands = g.hand_no + 1
                restart(g, r, next_match_seed(g.seed), deck)
            else:
                deal(g, r, deck)
                find_decision(g, r)
        out.seat = g.to_act
        encode(g, r, at, i * size, int(g.to_act), observations)
        spread_bits(g.legal, masks, i * N_ACTIONS)
    return -1


class Batch:
    """``size`` matches of one table, each waiting for the decision of the seat in ``seats``.

    A finished episode restarts at once with a new match seed. The arrays below are buffers that the next step overwrites; they stay
    the same arrays as long as the batch lives.

    Args:
        rules: the table.
        size: number of matches.
        episode: ``"match"`` or ``"hand"`` (every hand a new match at 0-0).
        reward: ``"win"`` (+1 / -1 when the match ends; for a hand episode that does not end it, +1 for more points than the others got,
            -1 for fewer, 0 for equal), ``"points"`` (difference of points, zero-sum, as they are posted) or
            ``"shaped"`` (win, plus the change of a potential of scores and legs; it adds up to the win alone).
        keep_finals: keep the last observation of a finished episode in ``finals``, as seen by the seat in ``viewers``.
        threads: how many cores a step may use; it takes fewer where there are not 2,048 matches for each. Results are the same.

    Raises:
        TypeError: ``rules`` is no ``Rules``.
        ValueError: an unknown mode, or no match or thread.

    Attributes:
        observations: int8 (size, layout.size), the view of the seat to act.
        masks: int8 (size, N_ACTIONS), its legal actions.
        seats: int8 (size,), the seat to act.
        rewards: float32 (size, accounts), by account (team; seat in gallo), of the last step.
        done: bool (size,), whether the last step ended an episode.
        finals: int8 (size, layout.size) with ``keep_finals``.
        viewers: int8 (size,) seats for ``finals``.
        winners: int8 (size,), the accounts that won the last finished match, as a bit mask (0: the episode was a hand).
        hands: int32 (size,), hands played in the last finished episode.
    """

    def __init__(
        self, rules: Rules, size: int, *, episode: str = "match", reward: str = "win", keep_finals: bool = False, threads: int = 1
    ) -> None:
        if not isinstance(rules, Rules):
            raise TypeError(f"rules={rules!r} must be a Rules, such as Rules('argentino', 4)")
        for name, number in (("size", size), ("threads", threads)):
            if not isinstance(number, int | np.integer) or number < 1:
                raise ValueError(f"{name}={number!r} must be a whole number from 1 on")
        self._terms = terms_of(rules, episode=episode, reward=reward)
        self.rules = rules
        self.size = size
        self.threads = threads
        self.layout = layout_of(rules)
        self._games = new_games(size)
        self.observations = np.zeros((size, self.layout.size), dtype=np.int8)
        self.masks = np.zeros((size, N_ACTIONS), dtype=np.int8)
        self.finals = np.zeros((size if keep_finals else 0, self.layout.size), dtype=np.int8)
        self._outcomes = np.zeros(size, dtype=_OUTCOME_DTYPE)
        self._rows = np.arange(size, dtype=np.int64)
        self._seen = np.zeros(size, dtype=np.bool_)
        self._pool: ThreadPoolExecutor | None = None
        self._pool_owner = 0
        self._attach()

    def _attach(self) -> None:
        """Lay out the public columns, and flat arrays over the same memory for compiled code."""
        outcomes = self._outcomes
        self.seats, self.done, self.viewers = outcomes["seat"], outcomes["done"], outcomes["viewer"]
        self.winners, self.hands = outcomes["winners"], outcomes["hands"]
        self.rewards = outcomes["rewards"][:, : self.rules.n_accounts]
        tables = self.observations, self.masks, self.finals
        self._flat_observations, self._flat_masks, self._flat_finals = (table.reshape(-1) for table in tables)
        self._records = with_fields(outcomes)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the threads, which a copy starts anew, and second views of its arrays."""
        return {name: value for name, value in self.__dict__.items() if name not in _VIEWS} | {"_pool": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._attach()

    @property
    def games(self) -> npt.NDArray[np.void]:
        """The records of the games, ``GAME_DTYPE`` (size,), to be read only: compiled code trusts what is in them."""
        games = self._games.view()
        games.setflags(write=False)
        return games

    def reset(self, seed: int | np.random.SeedSequence) -> None:
        """Start new matches in every row; the same seed gives the same matches, whatever the size of other batches."""
        sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        self.reset_rows(self._rows, sequence.generate_state(self.size, np.uint64).astype(np.uint64))

    def reset_rows(self, rows: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64]) -> None:
        """Start the matches of ``seeds`` (uint64) in ``rows``.

        Raises:
            ValueError: there is no such row, or not one seed, an integer from 0 to 2**64 - 1, for each.
        """
        rows, seeds = check_rows(rows, self._seen), np.asarray(seeds)
        if seeds.shape != rows.shape or seeds.dtype.kind not in "iu" or (seeds < 0).any():
            raise ValueError(f"seeds are {seeds.dtype} of shape {seeds.shape}: give one integer from 0 to 2**64 - 1 per row, {rows.shape}")
        _reset_rows(self._games, self._terms, rows, np.ascontiguousarray(seeds, dtype=np.uint64))
        self.done[rows] = False
        self.rewards[rows] = 0
        self.seats[rows] = self._games["to_act"][rows]
        if len(rows) == self.size:
            self._look_everywhere()
        else:
            self.observations[rows], self.masks[rows] = self.observe(rows, self.seats[rows])

    def _look_everywhere(self) -> None:
        """Write all observations and masks in place."""
        buffers = self._flat_observations, self._flat_masks
        _observe_rows(self._games, self._terms, self._rows, np.ascontiguousarray(self.seats), *buffers)

    def observe(self, rows: npt.NDArray[np.int64], seats: npt.NDArray[np.int8]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """Return fresh observations and masks of game ``rows[k]`` as seen by ``seats[k]``; masks are zero off turn.

        Raises:
            ValueError: there is no such row or seat, or not one seat for each row.
        """
        rows, seats = check_rows(rows, self._seen), np.asarray(seats)
        if seats.shape != rows.shape or seats.dtype.kind not in "iu" or ((seats < 0) | (seats >= self.rules.players)).any():
            raise ValueError(f"seats must be one of 0..{self.rules.players - 1} for each of the {len(rows)} rows")
        seats = np.ascontiguousarray(seats, dtype=np.int8)
        observations = np.empty((len(rows), self.layout.size), dtype=np.int8)
        masks = np.empty((len(rows), N_ACTIONS), dtype=np.int8)
        _observe_rows(self._games, self._terms, rows, seats, observations.reshape(-1), masks.reshape(-1))
        return observations, masks

    def step(self, actions: npt.NDArray[np.int64]) -> None:
        """Carry out one action in every match and write the buffers.

        Raises:
            IllegalActionError: an action is not legal; no match has changed.
            ValueError: not one integer for each match, or ``viewers`` that are no seats.
        """
        self._step(self._rows, actions)

    def step_rows(self, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> None:
        """Like ``step`` for the matches in ``rows`` only; ``actions[k]`` is for ``rows[k]``. Other rows keep their buffers.

        Raises:
            IllegalActionError: an action is not legal; no match has changed.
            ValueError: there is no such row, a row comes twice, or not one action for each.
        """
        self._step(check_rows(rows, self._seen, once=True), actions)

    def _step(self, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> None:
        actions = check_integers(actions, rows.shape, "actions")
        if len(self.finals) and ((self.viewers < 0) | (self.viewers >= self.rules.players)).any():
            raise ValueError(f"viewers must be seats, 0..{self.rules.players - 1}, in every row")
        parts = min(self.threads, len(rows) // _ROWS_PER_THREAD)
        # Parts look for illegal actions too, but the first would have played before the second looked.
        bad = self._step_part(rows, actions) if parts < 2 else _find_illegal(self._games, rows, actions)
        if bad >= 0:
            self._refuse(int(rows[bad]), int(actions[bad]))
        if parts >= 2:
            self._step_parts(rows, actions, parts)

    def _step_parts(self, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64], parts: int) -> None:
        """Step so many parts of the rows at the same time."""
        if self._pool is None or self._pool_owner != os.getpid():  # threads do not survive a fork
            self._pool, self._pool_owner = ThreadPoolExecutor(self.threads), os.getpid()
        pairs = zip(np.array_split(rows, parts), np.array_split(actions, parts), strict=True)
        tasks = [self._pool.submit(self._step_part, *pair) for pair in pairs]
        try:
            for task in tasks:
                task.result()
        finally:
            wait(tasks)  # after an interrupt too, nobody writes on when the caller has gone on

    def _step_part(self, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> int:
        buffers = self._flat_observations, self._flat_masks, self._flat_finals
        return _step_rows(self._games, self._terms, rows, actions, self._records, *buffers)

    def _refuse(self, row: int, action: int) -> None:
        legal = [Action(a).name for a in np.flatnonzero(self.masks[row]).tolist()]
        named = Action(action).name if 0 <= action < N_ACTIONS else str(action)
        raise IllegalActionError(f"match {row}, seat {self.seats[row]}: {named} is not legal; legal are {', '.join(legal)}")

    def save(self) -> npt.NDArray[np.uint8]:
        """Return the whole state as bytes, uint8: a row for each match, ending in a seal by which ``restore`` knows it."""
        return seal_games(self._games, table_key(self.rules))

    def restore(self, state: npt.NDArray[np.uint8]) -> None:
        """Go back to a state that ``save`` returned, of this batch or another of its table; the rows may be mixed.

        Raises:
            ValueError: anything else, such as the state of another table or of another version; nothing has changed.
        """
        unseal_games(state, self._games, table_key(self.rules))
        self.seats[:] = self._games["to_act"]
        self._look_everywhere()
