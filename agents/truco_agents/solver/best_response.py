"""The best response to an agent in one hand, for one own hand and seat.

What the best responder does with one hand does not touch what it does with another. So its own hand is fixed and all hands that the
rival may hold are walked together: at the rival's decisions the agent's probabilities split the weights, at its own decisions the
positions are grouped by information set, and the action with the best sum is taken. The walk is breadth first in batches, so that the
agent is asked for many decisions at once, and depth first over parts of the tree, which bounds the memory: information sets that are
apart stay apart, so each part is summed up and forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from truco_agents.rule_based.mesa import mesa_of
from truco_agents.solver.positions import (
    OVER,
    ROOT,
    Floats,
    Ints,
    Keys,
    Records,
    all_hands,
    branch_off,
    deal_positions,
    extend_keys,
    group,
    identify,
    join_positions,
    look,
    open_actions,
    pay,
    sort_groups,
    split,
    take_positions,
)
from truco_env.engine.rules_record import record_of
from truco_env.errors import TrucoError
from truco_env.observation.layout import layout_of
from truco_env.players.protocol import Agent, Askable
from truco_env.rules.actions import N_ACTIONS
from truco_env.rules.cards import DECKS
from truco_env.rules.options import Rules

_PART: Final = 16384  #: positions that are opened together
PAYOFFS: Final = ("points", "win")
_OWN, _RIVAL = 0, 1

Hands: TypeAlias = npt.NDArray[np.int8]
Learned: TypeAlias = list[tuple[Keys, npt.NDArray[np.int8]]]  #: information sets, and the best action in each by payoff


class SolverError(TrucoError):
    """A table that cannot be solved, or a hand that cannot be held at it."""


class Value(NamedTuple):
    """What a hand is worth, by payoff, and whether that is exact.

    Attributes:
        payoffs: float64 (2,), as named in ``PAYOFFS``: points of this hand more than the rival's, and the chance to win the match.
        rounded: decisions of agents at which branches were drawn; 0 if the value is exact.
    """

    payoffs: Floats
    rounded: int


@dataclass
class Reply:
    """A strategy for one own hand and seat: what a best response does in each information set.

    Attributes:
        keys: information sets, uint64 (n,), ascending.
        actions: int8 (n, 2), the best action for each payoff.
    """

    keys: Keys
    actions: npt.NDArray[np.int8]

    def look_up(self, keys: Keys, payoff: int) -> Ints:
        """Return the action for each key, -1 where the strategy has none."""
        if not len(self.keys):
            return np.full(len(keys), -1, dtype=np.int64)
        places = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.actions[places, payoff], -1).astype(np.int64)


class _Frontier(NamedTuple):
    """Positions on the way, with the weight of each, and the choice (a number of the caller) or the past that led to it."""

    positions: Records
    weights: Floats
    origins: npt.NDArray[Any]

    def take(self, chosen: Ints) -> _Frontier:
        if len(chosen) == len(self.weights):
            return self
        return _Frontier(take_positions(self.positions, chosen), self.weights[chosen], self.origins[chosen])

    @staticmethod
    def join(parts: Sequence[_Frontier]) -> _Frontier:
        if len(parts) == 1:
            return parts[0]
        positions = join_positions([part.positions for part in parts])
        return _Frontier(positions, np.concatenate([part.weights for part in parts]), np.concatenate([part.origins for part in parts]))


class HandSolver:
    """Best responses to one agent at a table for two.

    Args:
        rules: the table; señas must be off.
        agent: whoever is to be exploited. Its policy is asked by ``probabilities`` if it has them (see ``Askable``); else what it does is
            drawn once for each decision.
        scores: points before the hand, of the best responder and of the rival.
        grain: a line of play that the rival follows with less than this share of one hand is drawn instead of followed, with its expected
            weight unchanged; 0 follows everything. Nothing is ever drawn of a deterministic agent.
        seed: of what is drawn.

    Raises:
        SolverError: a table of more than two or with señas, a negative grain.
        AgentError: the agent cannot play at this table.
    """

    def __init__(self, rules: Rules, agent: Agent, *, scores: tuple[int, int] = (0, 0), grain: float = 1.0, seed: int = 0) -> None:
        if rules.players != 2 or rules.senas != "off":
            raise SolverError(f"best responses need a table for two without señas, not players={rules.players}, senas={rules.senas}")
        if not 0 <= grain <= 1:
            raise SolverError(f"grain={grain} is not possible: it is a share of a hand, from 0 (follow everything) to 1")
        most = rules.leg_target - 1
        if not all(0 <= score <= most for score in scores):
            raise SolverError(f"scores={scores} are not possible before a hand: each is 0 to {most}")
        check_table = getattr(agent, "check_table", None)
        if check_table is not None:
            check_table(rules)
        self.rules = rules
        self.agent = agent
        self.scores = scores
        self.grain = grain
        self.deck = DECKS[rules.deck]
        self._record = record_of(rules)
        self._offsets = layout_of(rules).offsets
        self._before = np.array(scores, dtype=np.int64)
        mesa = mesa_of(rules)
        self._leg, self._match = np.ascontiguousarray(mesa["leg"][0]), np.ascontiguousarray(mesa["match"][0])
        self._rng = np.random.default_rng(seed)
        self._lightest = 0.0
        self._rounded = 0

    # What is asked for.

    def best_response(self, own: Sequence[int], *, mano: bool, rivals: Hands | None = None) -> tuple[Value, Reply]:
        """Return what the best response earns with a hand, and the strategy that does.

        Args:
            own: three card ids.
            mano: whether the best responder plays first.
            rivals: card ids of the hands that the rival may hold, all equally likely, int8 (n, 3); by default all of the deck.

        Both payoffs are maximised, each by a strategy of its own. Where branches of the agent were drawn (``rounded``), the value is an
        upper bound of the best response in expectation: the strategy knows what was drawn.
        """
        frontier = self._deal(own, rivals, mano=mano)
        self._rounded = 0
        learned: Learned = []
        origins = np.zeros(len(frontier.positions), dtype=np.int64)
        values = self._descend(frontier._replace(origins=origins), np.array([ROOT], dtype=np.uint64), learned)
        keys = np.concatenate([part for part, _ in learned]) if learned else np.zeros(0, dtype=np.uint64)
        actions = np.concatenate([part for _, part in learned]) if learned else np.zeros((0, len(PAYOFFS)), dtype=np.int8)
        order = np.argsort(keys)
        return Value(values[0], self._rounded), Reply(keys[order], actions[order])

    def reply_value(self, own: Sequence[int], reply: Reply, payoff: str, *, mano: bool, rivals: Hands | None = None) -> Value:
        """Return what ``reply`` earns with the hand ``own``, measured against fresh draws of what the agent does.

        This never exceeds the best response in expectation. In information sets that the reply has not met, the agent plays for it.
        """
        index = PAYOFFS.index(payoff)

        def choose(positions: Records, chosen: Ints, keys: Keys) -> Floats:
            actions = reply.look_up(keys, index)
            probabilities = np.zeros((len(actions), N_ACTIONS))
            known, unknown = np.flatnonzero(actions >= 0), np.flatnonzero(actions < 0)
            probabilities[known, actions[known]] = 1.0
            if len(unknown):
                probabilities[unknown] = self._ask(positions, chosen[unknown])
            return probabilities

        return self._play(self._deal(own, rivals, mano=mano), choose)

    def agent_value(self, own: Sequence[int], *, mano: bool, rivals: Hands | None = None) -> Value:
        """Return what the agent itself earns with the hand ``own`` in the best responder's place."""
        return self._play(self._deal(own, rivals, mano=mano), lambda positions, chosen, keys: self._ask(positions, chosen))

    # How it is found.

    def _deal(self, own: Sequence[int], rivals: Hands | None, *, mano: bool) -> _Frontier:
        cards = sorted(set(map(int, own)))
        if len(cards) != 3 or not set(cards) <= set(self.deck.tolist()):
            raise SolverError(f"own={list(own)} is no hand of this table: it is three card ids of {self.deck.tolist()}")
        if rivals is None:
            rivals = all_hands(self.deck, without=cards)
        hand = np.array(cards, dtype=np.int8)
        positions = deal_positions(self._record, hand, rivals, mano=_OWN if mano else _RIVAL, scores=self.scores)
        count = len(positions)
        self._lightest = self.grain / count
        return _Frontier(positions, np.full(count, 1 / count), np.full(count, ROOT, dtype=np.uint64))

    def _ask(self, positions: Records, chosen: Ints) -> Floats:
        """The agent's probabilities in ``positions[chosen]``, float64 (n, N_ACTIONS); drawn where it cannot tell them."""
        count, size = len(chosen), int(self._offsets[-1])
        observations, masks = np.empty((count, size), dtype=np.int8), np.empty((count, N_ACTIONS), dtype=np.int8)
        look(positions, chosen, self._record, self._offsets, observations.reshape(-1), masks.reshape(-1))
        rows = np.arange(count, dtype=np.int64)
        if isinstance(self.agent, Askable):
            return self.agent.probabilities(observations, masks, rows)
        actions = self.agent.act(observations, masks, self._rng, rows)
        self._rounded += count
        probabilities = np.zeros((count, N_ACTIONS))
        probabilities[rows, actions] = 1.0
        return probabilities

    def _follow(self, frontier: _Frontier, chosen: Ints, probabilities: Floats, *, pasts: Keys | None = None) -> _Frontier:
        """Move ``chosen`` positions on by their ``probabilities``; with ``pasts`` the origins become them, extended by the action."""
        branches = int(np.count_nonzero(probabilities))
        parents, actions = np.empty(branches, dtype=np.int64), np.empty(branches, dtype=np.int64)
        weights = np.empty(branches)
        draws = self._rng.random(len(chosen))
        count, rounded = split(probabilities, frontier.weights[chosen], self._lightest, draws, parents, actions, weights)
        self._rounded += rounded
        parents, actions, weights = parents[:count], actions[:count], weights[:count]
        if pasts is None:
            origins = frontier.origins[chosen[parents]]
        else:
            origins = np.empty(count, dtype=np.uint64)
            extend_keys(pasts[parents], actions, origins)
        return _Frontier(branch_off(frontier.positions, self._record, chosen[parents], actions), weights, origins)

    def _pay(self, positions: Records, chosen: Ints) -> Floats:
        payoffs = np.empty((len(chosen), len(PAYOFFS)))
        pay(positions, chosen, self._record, self._leg, self._match, self._before, payoffs)
        return payoffs

    def _identify(self, positions: Records, chosen: Ints, pasts: Keys) -> Keys:
        keys = np.empty(len(chosen), dtype=np.uint64)
        identify(positions, chosen, self._record, self._offsets, pasts, keys)
        return keys

    def _descend(self, frontier: _Frontier, pasts: Keys, learned: Learned) -> Floats:
        """What follows from each choice, float64 (choices, payoffs): ``origins`` number the choices, ``pasts`` are their keys."""
        values = np.zeros((len(pasts), len(PAYOFFS)))
        waiting: list[_Frontier] = []
        while len(frontier.weights):
            to_act = frontier.positions["to_act"]
            over, rival = np.flatnonzero(to_act == OVER), np.flatnonzero(to_act == _RIVAL)
            for payoff, earned in enumerate((frontier.weights[over, None] * self._pay(frontier.positions, over)).T):
                values[:, payoff] += np.bincount(frontier.origins[over], earned, len(pasts))
            waiting.append(frontier.take(np.flatnonzero(to_act == _OWN)))
            frontier = self._follow(frontier, rival, self._ask(frontier.positions, rival)) if len(rival) else frontier.take(rival)
        own = _Frontier.join(waiting)
        if len(own.weights):
            self._decide(own, pasts, values, learned)
        return values

    def _decide(self, own: _Frontier, pasts: Keys, values: Floats, learned: Learned) -> None:
        """Add what the best choices at ``own`` decisions are worth to ``values``, by the choice that led to each."""
        keys = self._identify(own.positions, np.arange(len(own.weights)), pasts[own.origins])
        groups = np.empty(len(keys), dtype=np.int64)
        table = np.full(1 << (2 * len(keys)).bit_length(), -1, dtype=np.int64)
        count = group(keys, table, groups)
        starts, order = np.zeros(count + 1, dtype=np.int64), np.empty(len(keys), dtype=np.int64)
        sort_groups(groups, starts, order)
        first = 0
        while first < count:
            last = max(int(np.searchsorted(starts, starts[first] + _PART, side="right")) - 1, first + 1)
            members = order[starts[first] : starts[last]]
            heads = order[starts[first:last]]
            best = self._open(own, keys, groups, members, heads, learned)
            np.add.at(values, own.origins[heads], best)
            first = last

    def _open(self, own: _Frontier, keys: Keys, groups: Ints, members: Ints, heads: Ints, learned: Learned) -> Floats:
        """Try every action of the information sets whose first positions are ``heads``; return what the best of each is worth."""
        room = int(_count_actions(own.positions["legal"][members]).sum())
        parents, actions, choices = (np.empty(room, dtype=np.int64) for _ in range(3))
        open_actions(own.positions, members, groups, parents, actions, choices)
        widths = _count_actions(own.positions["legal"][heads])
        firsts = np.cumsum(widths) - widths
        taken = np.empty(int(widths.sum()), dtype=np.int64)
        taken[choices] = actions
        pasts = np.empty(len(taken), dtype=np.uint64)
        extend_keys(np.repeat(keys[heads], widths), taken, pasts)
        children = branch_off(own.positions, self._record, parents, actions)
        values = self._descend(_Frontier(children, own.weights[parents], choices), pasts, learned)
        best = np.maximum.reduceat(values, firsts)
        reply = np.empty((len(heads), len(PAYOFFS)), dtype=np.int8)
        for payoff in range(len(PAYOFFS)):
            hits = np.flatnonzero(values[:, payoff] == np.repeat(best[:, payoff], widths))
            reply[:, payoff] = taken[hits[np.searchsorted(hits, firsts)]]
        learned.append((keys[heads], reply))
        return best

    def _play(self, frontier: _Frontier, choose: Callable[[Records, Ints, Keys], Floats]) -> Value:
        """What seat 0 earns if it plays by ``choose(positions, chosen, keys)`` and seat 1 is the agent."""
        self._rounded = 0
        total = np.zeros(len(PAYOFFS))
        parts = [frontier]
        while parts:
            part = parts.pop()
            if len(part.weights) > 4 * _PART:
                half = len(part.weights) // 2
                parts += [part.take(np.arange(half)), part.take(np.arange(half, len(part.weights)))]
                continue
            to_act = part.positions["to_act"]
            over, own, rival = (np.flatnonzero(to_act == who) for who in (OVER, _OWN, _RIVAL))
            total += part.weights[over] @ self._pay(part.positions, over)
            moved: list[_Frontier] = []
            if len(own):
                keys = self._identify(part.positions, own, part.origins[own])
                moved.append(self._follow(part, own, choose(part.positions, own, keys), pasts=keys))
            if len(rival):
                moved.append(self._follow(part, rival, self._ask(part.positions, rival)))
            if moved:
                parts.append(_Frontier.join(moved))
        return Value(total, self._rounded)


def _count_actions(legal: Ints) -> Ints:
    """The number of actions in each set of a few dozen bits."""
    return np.asarray(np.unpackbits(legal.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=1), dtype=np.int64)
