"""TrucoEnv: the game as a PettingZoo environment, one agent per seat, each acting when the rules ask it."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import repeat
from typing import Any, ClassVar, Final, SupportsIndex

import gymnasium
import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv

from truco_env.batch.terms import terms_of
from truco_env.engine.jit import engine_version, with_fields
from truco_env.envs.aec_kernel import DESK_DTYPE, EARNED, HELD, MAX_VIEW, OVER, begin_one, look_one, play_one, write_hidden
from truco_env.envs.arguments import check_keywords, check_render_mode
from truco_env.envs.opening import DEALS, check_deals, check_reset_options
from truco_env.errors import ActionError, IllegalActionError
from truco_env.game.events import Event
from truco_env.game.game import Game
from truco_env.game.position import AS_RULED
from truco_env.game.table import SIZE, Table
from truco_env.game.view import View
from truco_env.observation.layout import Layout, layout_of
from truco_env.observation.state import StateLayout, state_layout_of
from truco_env.render.ansi import render_ansi
from truco_env.rules.actions import N_ACTIONS, Action, check_action
from truco_env.rules.options import Rules

Observation = dict[str, npt.NDArray[np.int8]]

_SEAT: Final = 15
_NUMBERS: Final = ("hold", "before", "earned", "result")  # what a desk keeps besides game and rules
_MATCH: Final = ("seed", "hand_no", "scores", "won", "winners", "match_over")  # of the game, looked at in every match
_PETTINGZOOS_OWN: Final = ("options",)  # a key of reset that PettingZoo's api_test passes, as {"options": 1}
_BOOLEANS: Final = (bool, np.bool_)  # which Python counts among the integers
RENDER_MODES: Final = ("ansi", "human")
#: What a copy builds anew: buffers and what is bound to them, and layouts.
_REBUILT: Final = frozenset({
    "_desk", "_table", "_fields", "_view", "_looked", "_observation", "_mask", "_copy_observation", "_copy_mask",
    "_begin", "_look", "_play", "_game", "layout", "state_layout",
})  # fmt: skip


@cache
def _entry_points() -> tuple[Any, Any, Any]:
    """Return the machine code of ``begin_one``, ``play_one`` and ``look_one``, compiled for the types with which this module calls them.

    Calling machine code directly spares numba's look at the type of every argument, which takes as long as the rest of a step.
    """
    desk = _lay_desk(Rules(), episode="match", reward="win")
    begin_one(desk)
    play_one(desk, 0)
    look_one(desk, 0)
    return _machine_code(begin_one), _machine_code(play_one), _machine_code(look_one)


def _lay_desk(rules: Rules, *, episode: str, reward: str) -> npt.NDArray[np.void]:
    """Return a ``DESK_DTYPE`` array of one entry with the terms on it.

    Raises:
        ValueError: an unknown episode or reward.
    """
    assert layout_of(rules).size + N_ACTIONS <= MAX_VIEW
    desk = np.zeros(1, dtype=DESK_DTYPE)
    desk["terms"] = terms_of(rules, episode=episode, reward=reward)
    return with_fields(desk)


def _before_reset() -> AttributeError:
    return AttributeError("there is no position before reset(): call reset() first")


def _machine_code(function: Any) -> Any:
    overloads = list(getattr(function, "overloads", {}).values())
    return overloads[0].entry_point if len(overloads) == 1 else function


class TrucoEnv(AECEnv):  # type: ignore[misc]
    """Truco, one agent per seat; ``truco_env.truco_v0.raw_env`` is this class.

    Args:
        ruleset: ``argentino``, ``reglamento``, ``truc_valencia`` or ``trucomano``; or a finished ``Rules``, and nothing else.
        players: seats at the table; 3 is the gallo.
        episode: ``"match"``, or ``"hand"``: one deal.
        reward: ``"win"``: +1 for every agent of the winning account, -1 for every other, when the match is over (in a hand episode that
            does not end the match: for more or fewer points than the others, 0 for equal); ``"points"``: points as they are posted, less
            the mean of the other accounts; ``"shaped"``: the change of a potential of scores and legs, which adds up to *win*.
        render_mode: ``"ansi"``: ``render()`` returns text; ``"human"``: every position is written to the standard output.
        perspective: a seat, or ``"all"``: whose cards a rendering shows.
        **options: options of the rule book (rules.md 7).

    Attributes:
        possible_agents: ``player_0`` to ``player_(n-1)``, by seat. Even seats are side A, odd ones B; in gallo everybody has an account.
        rules: the rules of the table.
        layout: the layout of an observation's ``"observation"``.
        state_layout: the layout of ``state()``.
        state_space: the space of ``state()``.

    Raises:
        RulesError: unknown rule set, player count or value of an option.
        ArgumentError: an unknown keyword or render mode; it is a ``TypeError`` too.
        ValueError: an unknown episode, reward or perspective.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "truco_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        ruleset: str | Rules = "argentino",
        players: int = 2,
        *,
        episode: str = "match",
        reward: str = "win",
        render_mode: str | None = None,
        perspective: int | str = "all",
        **options: object,
    ) -> None:
        super().__init__()
        check_keywords(TrucoEnv, options)
        self.rules = Game(ruleset, players, **options).rules
        self._episode, self._reward = episode, reward
        desk = _lay_desk(self.rules, episode=episode, reward=reward)
        n = self.rules.players
        if perspective != "all" and (isinstance(perspective, bool | str) or perspective not in range(n)):
            raise ValueError(f"perspective={perspective!r} is not known: choose a seat from 0 to {n - 1}, or 'all'")
        self.render_mode = check_render_mode(render_mode, RENDER_MODES)
        self._shows = render_mode == "human"
        self.perspective = perspective
        self.layout: Layout = layout_of(self.rules)
        self.state_layout: StateLayout = state_layout_of(self.rules)
        self.possible_agents: list[str] = [f"player_{seat}" for seat in range(n)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._account_of = {agent: self.rules.account_of(seat) for agent, seat in self._seat_of.items()}
        self._spaces: dict[str, tuple[gymnasium.spaces.Dict, gymnasium.spaces.Discrete]] = {}
        self._rng: np.random.Generator | None = None
        self._written = ""
        self._attach(desk)

    def _attach(self, desk: npt.NDArray[np.void]) -> None:
        """Set the buffers: the game with all that belongs to it, and the view of the seat to act."""
        size = self.layout.size + N_ACTIONS
        view: npt.NDArray[np.int8] = desk["seen"][0, :size]
        self._desk, self._view, self._looked = desk, view, desk["looked"][0, :size]
        self._table = Table(self.rules, desk.view(np.uint8)[:SIZE])
        self._fields = {name: self._table.games[name] for name in _MATCH} | {name: desk[name] for name in _NUMBERS}
        self._observation, self._mask = view[: self.layout.size], view[self.layout.size :]
        self._copy_observation, self._copy_mask = self._observation.copy, self._mask.copy
        self._begin, self._play, self._look = (partial(entry_point, desk) for entry_point in _entry_points())

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        """Return the space of ``observe(agent)``, always the same object."""
        return self._spaces_of(agent)[0]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        """Return the action space of an agent, always the same object: ``Discrete(N_ACTIONS)``, see ``truco_env.Action``."""
        return self._spaces_of(agent)[1]

    def _spaces_of(self, agent: str) -> tuple[gymnasium.spaces.Dict, gymnasium.spaces.Discrete]:
        """The spaces of an agent, built when they are first asked for, so that copies are cheap."""
        if agent not in self._spaces:
            seat = self._seat_of[agent]
            view = gymnasium.spaces.Box(self.layout.low, self.layout.high, dtype=np.int8)
            mask = gymnasium.spaces.Box(0, 1, (N_ACTIONS,), dtype=np.int8)
            spaces = gymnasium.spaces.Dict({"observation": view, "action_mask": mask}), gymnasium.spaces.Discrete(N_ACTIONS)
            self._spaces[self.possible_agents[seat]] = spaces
        return self._spaces[agent]

    @cached_property
    def state_space(self) -> gymnasium.spaces.Box:
        """The space of ``state()``."""
        return gymnasium.spaces.Box(self.state_layout.low, self.state_layout.high, dtype=np.int8)

    # Beginning.

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a new episode.

        Args:
            seed: makes all that follows, in this episode and the next ones, a function of it. ``None`` goes on with the environment's own
                stream, which begins from fresh entropy.
            options: may set up the position: ``deals`` (list of deals, the first hands of the match; a deal is a list of hands by seat,
                ``"7O 6O 4C"`` or a list of cards), ``dealer`` (of the first hand; with ``deals`` by default the last seat, so that seat 0
                is mano), ``scores`` and ``won`` (points and legs before, by side, in gallo by seat), ``kind`` (``"redonda"`` or
                ``"pica"``, with ``pica_pica``). A key ``options``, which PettingZoo's ``api_test`` passes, is ignored.

        Raises:
            CardError: a wrong card or deal.
            PositionError: an unknown key, or another value that cannot be. The environment is unchanged, as after any error.
        """
        position = check_reset_options(options, ignored=_PETTINGZOOS_OWN)
        deals = check_deals(self.rules, position.pop(DEALS, None), position.get("dealer"), episode=self._episode)
        rng = np.random.default_rng(seed) if self._rng is None or seed is not None else self._rng
        before = dict(rng.bit_generator.state) if position or deals else {}
        match_seed = rng.bit_generator.random_raw()
        game = None
        if position or deals:
            game = Game(self.rules)
            try:
                game.deal(deals[0] if deals else None, seed=match_seed, **position)
            except ValueError:
                rng.bit_generator.state = before
                raise
            self._table.raw[:] = game.table.raw
            self._fields["before"][0] = self._fields["scores"][0]
            seat = int(game.to_act or 0)
        else:
            self._table.raw.fill(0)
            self._fields["seed"][0] = match_seed
            seat = self._begin()
        self._show(seat)
        self._rng = rng
        self._opening: dict[str, Any] = {"seed": match_seed, **position}
        self._deals = deals
        self._fields["hold"][0] = len(deals) > 1
        self._moves = bytearray()
        self._game = game
        self._told = 0
        self._last_hand: Sequence[Event] = ()
        self._paid = False
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self._viewer = self.possible_agents[seat]
        if self._shows:
            self.render()

    # Playing.

    def observe(self, agent: str) -> Observation:
        """Return what an agent may see now, and its legal actions (all zero off turn); asking changes nothing.

        Returns:
            ``observation``: int8 (layout.size,); ``action_mask``: int8 (N_ACTIONS,). The arrays are the caller's.
        """
        try:
            if agent == self._viewer:
                return {"observation": self._copy_observation(), "action_mask": self._copy_mask()}
        except AttributeError:
            raise _before_reset() from None
        view, size = self._see(self._seat_of[agent]), self.layout.size
        return {"observation": view[:size], "action_mask": view[size:]}

    def _see(self, seat: int) -> npt.NDArray[np.int8]:
        """Return what a seat may see now, observation and mask behind one another."""
        self._look(seat)
        return self._looked.copy()

    def _show(self, seat: int) -> None:
        """Let ``seat``, which is to act, see the position."""
        self._look(seat)
        self._view[:] = self._looked

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last step, terminated, truncated and info of the agent to act."""
        try:
            agent = self.agent_selection
        except AttributeError:
            raise _before_reset() from None
        observation = None
        if observe:
            if agent == self._viewer:
                observation = {"observation": self._copy_observation(), "action_mask": self._copy_mask()}
            else:
                observation = self.observe(agent)
        return observation, self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], self.infos[agent]

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Yield ``agent_selection`` until no agent is left, at most ``max_iter`` times."""
        if self._rng is None:
            raise _before_reset()
        for _ in repeat(None, int(min(max_iter, sys.maxsize))):
            if not self.agents:
                return
            yield self.agent_selection

    def step(self, action: SupportsIndex | None) -> None:
        """Carry out an action of ``agent_selection``; a terminated agent takes ``None``.

        Raises:
            ActionError: it is anything but an integer from 0 to 35.
            IllegalActionError: it is not legal. The game is unchanged, as after any error.
        """
        try:
            agent = self.agent_selection
        except AttributeError:
            raise _before_reset() from None
        if agent != self._viewer or action is None:  # else nobody has ended the episode
            if self.terminations[agent] or self.truncations[agent]:
                self._was_dead_step(action)
                return
        try:
            index = operator.index(action)  # type: ignore[arg-type]
            status = -1 if index < 2 and isinstance(action, _BOOLEANS) else self._play(index)
        except (TypeError, OverflowError):
            status = -1
        if status < 0:
            raise self._refusal(agent, action)
        self._moves.append(index)
        self._cumulative_rewards[agent] = 0.0
        if self._paid:
            self._clear_rewards()
            self._paid = False
        if status > _SEAT:
            self._settle(status)
        else:
            self.agent_selection = self._viewer = self.possible_agents[status]
        if self._shows:
            self.render()

    def _dealt(self) -> int:
        """Hands dealt in this episode."""
        return int(self._fields["hand_no"][0]) + 1

    def _settle(self, status: int) -> None:
        """Pay rewards, deal a given hand, end the episode: what happens less often."""
        if status & EARNED:
            earned = self._fields["earned"][0].tolist()
            for agent, account in self._account_of.items():
                self.rewards[agent] = earned[account]
            self._accumulate_rewards()
            self._paid = True
        if status & OVER:
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = self._outcomes()
            self._viewer = ""
            self.agent_selection = self.agents[0]
            return
        if status & HELD:
            status = self._deal_given()
        self.agent_selection = self._viewer = self.possible_agents[status & _SEAT]

    def _deal_given(self) -> int:
        """Deal the next of the given hands and return the seat to act."""
        self._table.deal_on(AS_RULED, self._deals[self._dealt()])
        seat = int(self._table.to_act[0])
        self._show(seat)
        self._fields["hold"][0] = self._dealt() < len(self._deals)
        return seat

    def _outcomes(self) -> dict[str, dict[str, Any]]:
        """How the episode ended, for each agent its own to keep."""
        outcome = self.outcome()
        scores, won, winners, hands = outcome["scores"], outcome["won"], outcome["winners"], outcome["hands"]
        return {agent: {"scores": scores[:], "won": won[:], "winners": winners[:], "hands": hands} for agent in self.agents}

    def outcome(self) -> dict[str, Any]:
        """Return how the episode stands: by account ``scores``, ``won`` (legs) and ``winners`` (who has won the match); ``hands`` dealt."""
        accounts = self.rules.n_accounts
        scores, won = self._fields["scores"][0, :accounts].tolist(), self._fields["won"][0, :accounts].tolist()
        bits = self._fields["winners"].item() if self._fields["match_over"].item() else 0
        winners = [bool(bits >> account & 1) for account in range(accounts)]
        return {"scores": scores, "won": won, "winners": winners, "hands": self._dealt()}

    def result_of(self, account: int) -> int:
        """Return how the finished episode ended for an account: 1 won, -1 lost, 0 a hand with equal points."""
        return int(self._fields["result"][0, account])

    def _refusal(self, agent: str, action: SupportsIndex | None) -> IllegalActionError | ActionError:
        try:
            index = check_action(action)  # type: ignore[arg-type]
        except ActionError as error:
            return error
        game = self._current()
        legal = ", ".join(f"{int(a)} ({game.action_name(a)})" for a in game.legal_actions)
        name = Action(index).name.lower()
        return IllegalActionError(f"{agent}: action {index} ({name}) is not legal in phase {game.phase}; legal are {legal}")

    def end_illegal(self, reward: float) -> None:
        """End the episode for all agents, terminated and truncated, because ``agent_selection`` chose an illegal action.

        Args:
            reward: what that agent gets; the others get 0.
        """
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[self.agent_selection] = reward
        self._accumulate_rewards()
        self._deads_step_first()

    # Looking.

    @property
    def game(self) -> Game:
        """An independent ``Game`` in this position, with the whole match: to search in, to sample hidden cards, to save as text."""
        return self._current().copy()

    def view(self, agent: str) -> View:
        """Return what an agent may know, as readable values (``View.to_text`` for language models)."""
        return self._current().view(self._seat_of[agent])

    def _current(self) -> Game:
        """The game by name, brought up to date with the moves made since it was last needed."""
        if self._rng is None:
            raise _before_reset()
        game = self._game
        if game is None:
            game = Game(self.rules)
            game.deal(self._deals[0] if self._deals else None, **self._opening)
            self._game = game
        for action in self._moves[self._told :]:
            game.play(action)
            if game.hand_over and not game.match_over and self._episode == "match":
                self._last_hand = game.events
                k = game.hand_number
                game.next_hand(self._deals[k] if k < len(self._deals) else None)
        self._told = len(self._moves)
        return game

    def state(self) -> npt.NDArray[np.int8]:
        """Return the state of the whole table, for central critics: int8 (state_layout.size,), the caller's."""
        if self._rng is None:
            raise _before_reset()
        state = np.empty(self.state_layout.size, dtype=np.int8)
        state[: self.layout.size] = self._see(0)[: self.layout.size]
        write_hidden(self._desk, self.state_layout.hidden_offsets, state)
        return state

    def _shown_seat(self) -> int | str:
        """The seat whose cards a rendering shows now, or ``"all"``."""
        return self.perspective

    def render(self) -> str | None:
        """Return the position as text in mode ``"ansi"``, write it to the standard output in mode ``"human"`` if it has changed."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode: make the environment with 'ansi' or 'human'")
            return None
        game = self._current()
        text = render_ansi(game, self._shown_seat(), previous=self._last_hand)
        if self.render_mode == "ansi":
            return text
        if text != self._written:  # of a seña that the viewer did not see there is nothing to be seen
            self._written = text
            sys.stdout.write(text + "\n\n")
            sys.stdout.flush()
        return None

    def close(self) -> None:
        """Nothing is held open."""

    # Copying.

    def __getstate__(self) -> dict[str, Any]:
        """Everything that copies and pickles need: the game's record as bytes, the moves, the environment's own stream."""
        state = {name: value for name, value in self.__dict__.items() if name not in _REBUILT}
        numbers = {name: self._fields[name][0].tolist() for name in _NUMBERS}
        return {**state, "_told": 0, "_last_hand": (), "record": self._table.raw.tobytes(), "numbers": numbers, "engine": engine_version()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy or a pickle; one of another version of the engine is played again from its moves."""
        record, numbers, version = state.pop("record"), state.pop("numbers"), state.pop("engine")
        self.__dict__.update(state)
        self.layout, self.state_layout = layout_of(self.rules), state_layout_of(self.rules)
        self._game = None
        self._attach(_lay_desk(self.rules, episode=self._episode, reward=self._reward))
        for name, values in numbers.items():
            self._fields[name][0] = values
        if version == engine_version():
            self._table.raw[:] = np.frombuffer(record, dtype=np.uint8)
        elif self._rng is not None:
            self._table.raw[:] = self._current().table.raw
        if self._rng is not None and self._viewer:
            self._show(self._seat_of[self._viewer])
