"""LearnerBatch: many matches in which one learner decides and agents play everybody else.

This is the core under every environment with opponents inside: the Gymnasium ones here, and the trainer's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import cycle
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from truco_env.batch.learner_kernel import (
    AGENTS,
    ASKED,
    FINALS,
    IDS,
    LEARNER,
    LEARNER_SLOT,
    LOOK,
    POOL_DTYPE,
    ROWS,
    SETTING_DTYPE,
    TABLE_DTYPE,
    advance,
    collect,
    open_rows,
)  # fmt: skip
from truco_env.batch.rows import check_rows, table_key
from truco_env.batch.terms import terms_of
from truco_env.engine.jit import with_fields
from truco_env.engine.record import GAME_DTYPE, new_games
from truco_env.errors import IllegalActionError, choose, show
from truco_env.observation.arrays import check_integers
from truco_env.observation.layout import layout_of
from truco_env.players.opponents import PoolError, check_weights
from truco_env.players.protocol import Agent, AgentError
from truco_env.players.registry import make_agent
from truco_env.rules.actions import N_ACTIONS, Action
from truco_env.rules.options import Rules

LEARNERS: Final = ("seat", "side")
#: The learner in the place of an agent's id.
ITSELF: Final = -1
ILLEGAL: Final = ("raise", "forfeit")


class Episodes(NamedTuple):
    """The episodes that ended in a step; every array has one entry per ended episode.

    Attributes:
        rows: int64 (k,), ascending.
        results: int8 (k,), 1 = the learner's account won, -1 = it lost, 0 = a hand with equal points.
        rewards: float32 (k,), the sum of the episode's rewards.
        decisions: int32 (k,), the learner's decisions.
        hands: int32 (k,), hands played.
        seats: int8 (k,), the learner's seat.
        opponents: int64 (k,), id of the opponent (see ``LearnerBatch.agents``), ``ITSELF`` where the learner met itself.
        partners: int64 (k,), id of the agent in the team-mates' seats, or ``ITSELF``.
        scores: int16 (k, accounts), points of the last leg, the learner's account first.
        observations: int8 (k, layout.size), the last position as the learner's seat sees it.
        forfeits: bool (k,), whether an illegal action of the learner ended it.
    """

    rows: npt.NDArray[np.int64]
    results: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.float32]
    decisions: npt.NDArray[np.int32]
    hands: npt.NDArray[np.int32]
    seats: npt.NDArray[np.int8]
    opponents: npt.NDArray[np.int64]
    partners: npt.NDArray[np.int64]
    scores: npt.NDArray[np.int16]
    observations: npt.NDArray[np.int8]
    forfeits: npt.NDArray[np.bool_]


def check_learner_seat(seat: int | str, rules: Rules) -> int | None:
    """Return a learner's fixed seat, ``None`` for ``"random"``.

    Raises:
        ValueError: the seat is not at the table.
    """
    if seat == "random":
        return None
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < rules.players:
        raise ValueError(f"learner_seat={seat!r} is not at this table: choose 'random' or 0..{rules.players - 1}")
    return int(seat)


class LearnerStep(NamedTuple):
    """What a step returns; all arrays are fresh.

    Attributes:
        observations: int8 (size, layout.size), the view of the learner's seat that decides next (in the next episode where ``dones``).
        masks: int8 (size, N_ACTIONS), its legal actions.
        rewards: float32 (size,), summed from the learner's decision to its next, or to the end of the episode. In a match of the
            learner against itself: what is delivered to the account of ``learner_seats`` in this step, to learn from by ``earned``.
        dones: bool (size,), whether the episode of the decision ended.
        earned: float32 (size, accounts), rewards by the account whose decision they belong to. Where an episode ended: of the last decision
            for each account; else of the last decision for the account that decides next, if it decided before; 0 elsewhere.
        episodes: the episodes that ended.
    """

    observations: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.float32]
    dones: npt.NDArray[np.bool_]
    earned: npt.NDArray[np.float32]
    episodes: Episodes


def _draw_by(count: int, weights: Sequence[float] | None, mirror: float = 0.0) -> npt.NDArray[np.void]:
    """Return a ``POOL_DTYPE`` array: ``count`` agents, in slots still to be filled in, drawn by their weights (None: equal).

    With ``mirror`` above 0 the learner itself follows, drawn with that probability.

    Raises:
        PoolError: wrong weights.
    """
    shares = np.ones(count) if weights is None else np.array(check_weights(weights, count))
    if count:
        shares = np.cumsum(shares) / shares.sum()
    pool = np.zeros(count + (mirror > 0), dtype=POOL_DTYPE)
    pool["edge"][:count] = shares if mirror == 0 else shares * (1.0 - mirror)
    if mirror > 0:
        pool["edge"][-1] = 1.0
        pool["slot"][-1] = LEARNER_SLOT
    return with_fields(pool)


def _check_seeds(seeds: Sequence[int | None], count: int) -> None:
    shape = np.asarray(seeds, dtype=object).shape
    if shape != (count,):
        raise ValueError(f"seeds have shape {shape}: give one per row, ({count},)")
    for seed in seeds:
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0):
            raise ValueError(f"seed={show(seed)} is not possible: give None or an integer from 0 on")


class LearnerBatch:
    """``size`` matches of one table, each waiting for a decision of its learner; agents play the other seats.

    Each match has a learner seat, an opponent (the agent of all seats that do not share the learner's account) and, in team games, a
    partner (the agent of its team-mates), all fixed for the whole match. A finished episode restarts at once. An episode that ends
    before its learner decided anything is not delivered: another one follows. What is earned before an episode's first decision is
    added to the reward of that decision, so that the rewards of an episode sum to its outcome.

    In a *mirror* match the learner plays every seat, and all of its decisions are learned from: each account's decisions are a stream of
    their own (``earned``, ``accounts``). ``learner_seats`` is then only the side from which the episode is reported.

    Agents are told ``start`` and asked ``act`` with row numbers ``account * size + row``, so that an agent that sits on both sides of a
    match keeps two memories.

    Args:
        rules: the table.
        size: number of matches.
        opponents: agents to draw from, one per match; see also ``set_opponents``.
        weights: their weights (None: equal).
        mirror: share of matches in which the learner plays every seat, 0..1; with 1 there may be no opponents.
        partners: agents to draw the team-mates from (None: the match's opponent plays them too). Not used where there are none.
        partner_weights: their weights.
        learner: ``"seat"``: the learner plays one seat; ``"side"``: every seat of its account.
        learner_seat: a seat, or ``"random"``: each seat equally likely, drawn per match.
        episode: ``"match"`` or ``"hand"`` (every hand a new match at 0-0).
        reward: ``"win"``, ``"points"`` or ``"shaped"``, as in ``Batch``. In a hand episode that did not end the match, *win* is +1 for more
            points than the others got, -1 for fewer, 0 for equal.
        autoreset: whether a finished episode restarts at once; if not, its row shows the last position with an empty mask until
            ``reset_rows``.
        illegal: what an illegal action of the learner does: ``"raise"`` an error and nothing else, or ``"forfeit"``: its episode is lost
            at once, with a reward of -1 besides what was carried.
        seed: everything that is random follows from it; None draws one.

    Attributes:
        rules, size, layout: the table, the number of rows, the layout of observations.
        agents: the agents by id: all that may be drawn and all that still play. Ids are 0, 1, ... in the order of first
            use and never reused.
        rng: what agents draw from.

    Raises:
        AgentError: an agent that was made for another table.
        PoolError: no opponents, or wrong weights.
        ValueError: an unknown mode, a learner seat that is not at the table, or a share that is none; mirror matches with ``"forfeit"``.
    """

    def __init__(
        self,
        rules: Rules,
        size: int,
        opponents: Sequence[Agent],
        weights: Sequence[float] | None = None,
        *,
        mirror: float = 0.0,
        partners: Sequence[Agent] = (),
        partner_weights: Sequence[float] | None = None,
        learner: str = "seat",
        learner_seat: int | str = "random",
        episode: str = "match",
        reward: str = "win",
        autoreset: bool = True,
        illegal: str = "raise",
        seed: int | None = None,
    ) -> None:
        for name, value, known in (("learner", learner, LEARNERS), ("illegal", illegal, ILLEGAL)):
            choose(name, value, known)
        terms = terms_of(rules, episode=episode, reward=reward)
        fixed_seat = check_learner_seat(learner_seat, rules)
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
            raise ValueError(f"size={show(size)} is not possible: there must be at least one match")
        self.rules = rules
        self.size = size
        self.layout = layout_of(rules)
        self.agents: dict[int, Agent] = {}
        self._games = new_games(size)
        self._tables = with_fields(np.zeros(size, dtype=TABLE_DTYPE))
        self._tables["over"] = 1
        self._setting = with_fields(np.zeros(1, dtype=SETTING_DTYPE))
        self._setting["terms"], self._setting["whole_side"] = terms, learner == "side"
        self._setting["learner_seat"] = -1 if fixed_seat is None else fixed_seat
        self._setting["autoreset"], self._setting["forfeits"] = autoreset, illegal == "forfeit"
        self._slots: list[int] = []  # id of the agent in each slot, -1 = free
        self._next_id = 0
        self._views = np.zeros((3 * size, self.layout.size), dtype=np.int8)  # the learners', what agents are asked, ended episodes
        self._masks = np.zeros((2 * size, N_ACTIONS), dtype=np.int8)
        self._seen = np.zeros(size, dtype=np.bool_)
        self._asked = np.zeros((2, 2, size), dtype=np.int64)  # of this round and of the one before: rows, and the agents' numbers of them
        self._answers = np.zeros(size, dtype=np.int64)
        self._everywhere = np.arange(size)
        self._pool = self._mates = _draw_by(0, None)
        self.set_partners(partners, partner_weights)
        self.set_opponents(opponents, weights, mirror=mirror)
        self._seeds = np.random.SeedSequence(seed)
        self.rng = np.random.default_rng(self._seeds.spawn(1)[0])

    @property
    def learner_seats(self) -> npt.NDArray[np.int8]:
        """The learner's seat in each row, int8 (size,), a copy."""
        return np.array(self._tables["seat"])

    @property
    def has_partners(self) -> bool:
        """Whether agents sit beside the learner: it has team-mates and does not play them itself."""
        return self.rules.seats_per_account > 1 and not self._setting["whole_side"][0]

    @property
    def seats(self) -> npt.NDArray[np.int8]:
        """The seat that decides in each row, int8 (size,), a copy: the learner's, with ``learner="side"`` any seat of its account."""
        return np.array(self._games["to_act"])

    @property
    def accounts(self) -> npt.NDArray[np.int8]:
        """The account for which the learner decides in each row, int8 (size,): the team, in gallo the seat."""
        seats = self.seats
        return seats if self.rules.gallo else seats & np.int8(1)

    @property
    def masks(self) -> npt.NDArray[np.int8]:
        """The legal actions of the seat that decides in each row, int8 (size, N_ACTIONS), a copy; all zero where a reset is needed."""
        return self._masks[: self.size].copy()

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Whether each row needs a reset before its next step, bool (size,): it has ended without autoreset, or never begun."""
        over: npt.NDArray[np.bool_] = self._tables["over"] == 1
        return over

    @property
    def opponents(self) -> npt.NDArray[np.int64]:
        """The id of the opponent in each row, int64 (size,); ``ITSELF`` in mirror matches."""
        return self._ids(self._tables["opponent"])

    def _ids(self, slots: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        ids: npt.NDArray[np.int64] = np.array([*self._slots, ITSELF], dtype=np.int64)[slots]  # LEARNER_SLOT is the last
        return ids

    def set_opponents(self, opponents: Sequence[Agent], weights: Sequence[float] | None = None, *, mirror: float = 0.0) -> list[int]:
        """Replace the pool that new matches draw from, and return the ids of its agents; a share ``mirror`` is against the learner itself.

        Running matches keep their opponent. An agent that is still known keeps its id.
        """
        if isinstance(mirror, bool) or not isinstance(mirror, int | float | np.number) or not 0 <= mirror <= 1:
            raise ValueError(f"mirror={show(mirror)} is not possible: give the share of matches against itself, 0 to 1")
        if mirror and self._setting["forfeits"][0]:
            raise ValueError("mirror matches need illegal='raise': it would not be clear who forfeits")
        if not opponents and mirror < 1:
            raise PoolError("there are no opponents: give at least one agent, or mirror=1")
        shares = _draw_by(len(opponents), weights, float(mirror))
        self._drop_unused(keep=self._mates["slot"].tolist())
        self._pool, ids = self._fill(opponents, shares)
        return ids

    def set_partners(self, partners: Sequence[Agent], weights: Sequence[float] | None = None) -> list[int]:
        """Replace the pool that the team-mates of new matches are drawn from (empty: the opponent plays them), and return its ids."""
        shares = _draw_by(len(partners), weights)
        self._drop_unused(keep=self._pool["slot"].tolist())
        self._mates, ids = self._fill(partners, shares)
        return ids

    def _fill(self, agents: Sequence[Agent], shares: npt.NDArray[np.void]) -> tuple[npt.NDArray[np.void], list[int]]:
        ids = [self._register(make_agent(agent, self.rules)) for agent in agents]
        shares["slot"][: len(ids)] = [self._slots.index(i) for i in ids]
        return shares, ids

    def _register(self, agent: Agent) -> int:
        for i, known in self.agents.items():
            if known is agent:
                return i
        i = self._next_id
        self._next_id += 1
        self.agents[i] = agent
        if -1 in self._slots:
            self._slots[self._slots.index(-1)] = i
        else:
            self._slots.append(i)
        return i

    def _drop_unused(self, keep: Sequence[int]) -> None:
        """Forget agents that play no match and are in no pool but the one about to be replaced."""
        used = {*keep, *np.unique(self._tables["opponent"]).tolist(), *np.unique(self._tables["partner"]).tolist()}
        for slot, i in enumerate(self._slots):
            if i >= 0 and slot not in used:
                del self.agents[i]
                self._slots[slot] = -1

    def reset(self, seed: int | None = None) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """Start new matches everywhere and play to the learner's first decisions.

        Args:
            seed: makes everything that follows a function of it; None goes on with the batch's own stream.

        Returns:
            Fresh observations, int8 (size, layout.size), and masks, int8 (size, N_ACTIONS).
        """
        if seed is not None:
            self.reseed(seed)
        return self.reset_rows(np.arange(self.size))

    def reseed(self, seed: int) -> None:
        """Let all that follows a ``reset`` or ``reset_rows`` be a function of ``seed``."""
        self._seeds = np.random.SeedSequence(seed)
        self.rng = np.random.default_rng(self._seeds.spawn(1)[0])

    def reset_rows(
        self, rows: npt.NDArray[np.int64], seeds: Sequence[int | None] | None = None
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """Start new matches in ``rows`` (int64 (k,)).

        With ``seeds``, one per row, their deals and seating follow from them (``None``: from the batch's own stream).

        Returns:
            Observations and masks of all rows, as from ``reset``.

        Raises:
            ValueError: there is no such row, a row comes twice, or not one seed (None or an integer from 0 on) for each.
        """
        rows = check_rows(rows, self._seen, once=True)
        if seeds is not None:
            _check_seeds(seeds, len(rows))
        if seeds is None:
            words = self._seeds.spawn(1)[0].generate_state(2 * len(rows), np.uint64).reshape(-1, 2)
        else:
            own = self._seeds.spawn(len(rows))
            chosen = [own[k] if s is None else np.random.SeedSequence(s) for k, s in enumerate(seeds)]
            words = np.array([sequence.generate_state(2, np.uint64) for sequence in chosen]).reshape(-1, 2)
        open_rows(self._games, self._tables, self._setting, self._pool, self._mates, rows, words)
        self._tell_starts()
        self._run(self._everywhere, self._answers, turn=LOOK)
        return self._copy_views()

    def step(self, actions: npt.NDArray[np.int64]) -> LearnerStep:
        """Carry out the learner's action in every row, and let the agents play to its next decision.

        Args:
            actions: int64 (size,).

        Raises:
            IllegalActionError: an action is not legal; nothing has changed (not with ``illegal="forfeit"``).
            ValueError: ``actions`` are not integers of this shape, or a row needs a reset.
        """
        return self._step(self._everywhere, actions)

    def step_rows(self, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> LearnerStep:
        """Carry out the learner's action in some rows, as ``step`` does in all; the others stay as they are.

        Args:
            rows: int64 (k,), each once.
            actions: int64 (k,).

        Returns:
            As ``step``; in rows that are not in ``rows`` the reward is 0, and nothing is done.

        Raises:
            IllegalActionError, ValueError: as ``step``; also where there is no such row, or a row comes twice.
        """
        return self._step(check_rows(rows, self._seen, once=True), actions)

    def _step(self, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> LearnerStep:
        actions = check_integers(actions, rows.shape, "actions")
        over = rows[self._tables["over"][rows] == 1]
        if len(over):
            raise ValueError(f"row {over[0]} has ended or not begun: reset it before the next step")
        self._run(rows, actions, turn=LEARNER)
        earned = np.zeros((self.size, self.rules.n_accounts), dtype=np.float32)
        dones = np.empty(self.size, dtype=np.bool_)
        collect(self._games, self._tables, self._setting, earned, dones)
        if rows is not self._everywhere:
            rest = np.ones(self.size, dtype=np.bool_)
            rest[rows] = False
            earned[rest], dones[rest] = 0.0, False
        seats = np.where(dones, self._tables["last_seat"], self._tables["seat"])
        rewards = earned[self._everywhere, seats if self.rules.gallo else seats & 1]
        return LearnerStep(*self._copy_views(), rewards, dones, earned, self._ended(np.flatnonzero(dones)))

    def _copy_views(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        return self._views[: self.size].copy(), self._masks[: self.size].copy()

    def _run(self, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64], *, turn: int) -> None:
        """Carry out the actions, then those of the agents, until every row waits for its learner."""
        counts = np.zeros(len(self._slots), dtype=np.int64)
        matches = self._games, self._tables, self._setting, self._pool, self._mates
        buffers = self._views.reshape(-1), self._masks.reshape(-1)
        for spare in cycle((0, 1)):
            asked = advance(*matches, turn, rows, actions, *buffers, self._asked[spare], counts)
            if asked < 0:
                self._refuse(int(rows[-1 - asked]), int(actions[-1 - asked]), learner=turn == LEARNER)
            self._tell_starts()
            if asked == 0:
                return
            turn = AGENTS
            self._ask(counts, self._asked[spare, IDS])
            rows, actions = self._asked[spare, ROWS, :asked], self._answers[:asked]

    def _ask(self, counts: npt.NDArray[np.int64], ids: npt.NDArray[np.int64]) -> None:
        """Let each agent answer for its rows, which it knows by ``ids``."""
        views, masks = self._views[ASKED * self.size :], self._masks[ASKED * self.size :]
        start = 0
        for slot, count in enumerate(counts.tolist()):
            if count == 0:
                continue
            end = start + count
            agent = self.agents[self._slots[slot]]
            answers = agent.act(views[start:end], masks[start:end], self.rng, ids[start:end])
            try:
                self._answers[start:end] = check_integers(answers, (count,), "actions")
            except ValueError as error:
                raise AgentError(f"{agent.name}: its {error}") from None
            start = end

    def _tell_starts(self) -> None:
        """Tell agents that matches have begun in their rows."""
        rows = np.flatnonzero(self._tables["started"])
        if not len(rows):
            return
        self._tables["started"] = 0
        seats = self._tables["seat"][rows].astype(np.int64)
        own = seats if self.rules.gallo else seats & 1
        accounts = self.rules.n_accounts
        others = [(own + i) % accounts * self.size + rows for i in range(1, accounts)]
        self._start(self._tables["opponent"][rows], others)
        if self.has_partners:
            self._start(self._tables["partner"][rows], [own * self.size + rows])

    def _start(self, slots: npt.NDArray[np.int32], numbers: list[npt.NDArray[np.int64]]) -> None:
        """Tell the agent of each slot its row numbers."""
        for slot in set(slots.tolist()) - {LEARNER_SLOT}:
            chosen = slots == slot
            self.agents[self._slots[slot]].start(np.concatenate([some[chosen] for some in numbers]))

    def _refuse(self, row: int, action: int, *, learner: bool) -> None:
        game = self._games[row]
        legal = [Action(a).name for a in range(N_ACTIONS) if int(game["legal"]) >> a & 1]
        named = Action(action).name if 0 <= action < N_ACTIONS else str(action)
        who = "the learner"
        if not learner:
            t = self._tables[row]
            mate = not self.rules.gallo and int(t["seat"]) & 1 == int(game["to_act"]) & 1
            who = self.agents[self._slots[int(t["partner" if mate else "opponent"])]].name
        raise IllegalActionError(f"row {row}, seat {game['to_act']}, {who}: {named} is not legal; legal are {', '.join(legal)}")

    def _ended(self, rows: npt.NDArray[np.int64]) -> Episodes:
        last = self._tables[rows]
        return Episodes(
            rows=rows,
            results=np.array(last["last_result"]),
            rewards=last["last_total"].astype(np.float32),
            decisions=np.array(last["last_decisions"]),
            hands=np.array(last["last_hands"]),
            seats=np.array(last["last_seat"]),
            opponents=self._ids(last["last_opponent"]),
            partners=self._ids(last["last_partner"]),
            scores=np.array(last["last_scores"][:, : self.rules.n_accounts]),
            observations=self._views[FINALS * self.size + rows],
            forfeits=last["last_forfeit"] == 1,
        )

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """Return the complete state as plain arrays; agents are named by their ids, and what they remember is not included."""
        seeds = {"entropy": self._seeds.entropy, "spawn_key": list(self._seeds.spawn_key), "spawned": self._seeds.n_children_spawned}
        chance = json.dumps({"seeds": seeds, "rng": self.rng.bit_generator.state}).encode()
        state: dict[str, npt.NDArray[Any]] = {
            "games": self._games.view(np.uint8).reshape(self.size, GAME_DTYPE.itemsize).copy(),
            "tables": self._tables.view(np.uint8).reshape(self.size, TABLE_DTYPE.itemsize).copy(),
            "slots": np.array(self._slots, dtype=np.int64),
            "next_id": np.array(self._next_id),
            "pool": self._pool["slot"].copy(),
            "pool_edges": self._pool["edge"].copy(),
            "mates": self._mates["slot"].copy(),
            "mate_edges": self._mates["edge"].copy(),
            "chance": np.frombuffer(chance, dtype=np.uint8).copy(),
        }
        return {**state, "seal": self._seal_of(state)}

    def _seal_of(self, state: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.uint8]:
        """What tells whether a saved state is whole and of this kind of batch: compiled code trusts what is in it."""
        digest = blake2b(f"{table_key(self.rules)} {TABLE_DTYPE.descr} {self.size}".encode())
        for name in sorted(state):
            array = state[name]
            digest.update(f"{name} {array.dtype} {array.shape} ".encode() + array.tobytes())
        return np.frombuffer(digest.digest(), dtype=np.uint8)

    def restore(
        self, state: Mapping[str, npt.NDArray[Any]], agents: Mapping[int, Agent]
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """Go back to a state that ``save`` returned, in a batch of the same table, size and modes.

        Args:
            state: what ``save`` returned.
            agents: the agent of every id in ``state["slots"]`` that is not -1.

        Returns:
            Observations and masks, as from ``reset``.

        Raises:
            PoolError: an agent is missing.
            ValueError: the state is damaged, or of another kind of batch.
        """
        sealed = {name: value for name, value in state.items() if name != "seal"}
        whole = "seal" in state and all(isinstance(value, np.ndarray) for value in state.values())
        if not whole or not np.array_equal(state["seal"], self._seal_of(sealed)):
            raise ValueError(f"the saved state is damaged, or not of {self.size} matches of this table and version")
        needed = [i for i in state["slots"].tolist() if i >= 0]
        missing = [i for i in needed if i not in agents]
        if missing:
            raise PoolError(f"the saved matches need the agents {needed}, {missing} are missing")
        self.agents = {i: agents[i] for i in needed}
        self._slots = state["slots"].tolist()
        self._next_id = int(state["next_id"])
        self._pool, self._mates = _draw_by(len(state["pool"]), None), _draw_by(len(state["mates"]), None)
        self._pool["slot"], self._pool["edge"] = state["pool"], state["pool_edges"]
        self._mates["slot"], self._mates["edge"] = state["mates"], state["mate_edges"]
        chance = json.loads(state["chance"].tobytes())
        seeds = chance["seeds"]
        self._seeds = np.random.SeedSequence(seeds["entropy"], spawn_key=tuple(seeds["spawn_key"]), n_children_spawned=seeds["spawned"])
        self.rng.bit_generator.state = chance["rng"]
        self._games.view(np.uint8).reshape(self.size, GAME_DTYPE.itemsize)[:] = state["games"]
        self._tables.view(np.uint8).reshape(self.size, TABLE_DTYPE.itemsize)[:] = state["tables"]
        self._run(self._everywhere, self._answers, turn=LOOK)
        return self._copy_views()
