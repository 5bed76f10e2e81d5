"""TrucoGym: the game as a Gymnasium environment, one learner at the table and agents in the other seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, SupportsIndex

import gymnasium
import numpy as np
import numpy.typing as npt

from truco_env.batch.learner import LEARNERS, check_learner_seat
from truco_env.envs.aec import RENDER_MODES, TrucoEnv
from truco_env.envs.arguments import check_keywords
from truco_env.envs.opening import check_opening
from truco_env.errors import ActionError, IllegalActionError, PositionError, choose
from truco_env.game.game import Game
from truco_env.game.view import View
from truco_env.observation.arrays import check_integers
from truco_env.observation.layout import Layout
from truco_env.players.opponents import NOBODY, Opponents, Pool, make_pool
from truco_env.players.protocol import Agent
from truco_env.rules.actions import N_ACTIONS, Action, check_action
from truco_env.rules.options import Rules

ILLEGAL_ACTIONS: Final = ("terminate", "resample", "raise")
_MAX_TRIES: Final = 1000
_FORFEIT: Final = -1.0  # reward of an episode that an illegal action ends, besides what was earned
_NONE: Final = -1  # in the place of an illegal action

_Observation = npt.NDArray[np.int8]


class _Table(TrucoEnv):
    """The table of a learner: ``learner`` are the seats it may play in this episode, the one it was seated by first.

    With ``shows_learner`` a rendering shows what the seat that decides may know, and that of the first while others decide.
    """

    learner: tuple[int, ...] = ()
    shows_learner = False

    def _shown_seat(self) -> int | str:
        if not self.shows_learner:
            return super()._shown_seat()
        to_act = self._current().to_act
        return to_act if to_act in self.learner else self.learner[0]


class TrucoGym(gymnasium.Env[_Observation, np.int64]):
    """``gymnasium.make("truco_env/Truco-v0")``: the learner decides whenever its seat is asked, everybody else is played by agents.

    The reward of a step is what the learner's account earned up to its next decision or to the end; what it earned before its first
    decision is added to that decision's. An episode that ends before the learner was asked at all is skipped: another is dealt.

    Args:
        ruleset: ``argentino``, ``reglamento``, ``truc_valencia`` or ``trucomano``; or a finished ``Rules``, and nothing else.
        players: seats at the table; 3 is the gallo.
        opponents: who plays the seats of the other accounts, drawn per episode: a name, an agent, a list of them, or a mapping from names
            to weights.
        partners: who plays the learner's team-mates, likewise; ``None``: the episode's opponent.
        learner: ``"seat"``: the learner plays one seat; ``"side"``: every seat of its account, each decision from that seat's view.
        learner_seat: a seat, or ``"random"``: each equally likely, drawn per episode.
        episode: ``"match"`` or ``"hand"``.
        reward: ``"win"``, ``"points"`` or ``"shaped"``, as in ``truco_v0``.
        illegal_action: what an action does that exists but is not legal now. ``"terminate"``: it ends the episode with a reward of -1;
            ``"resample"``: a legal one is drawn instead; ``"raise"``: it is an ``IllegalActionError``, and nothing has changed.
        render_mode: ``"ansi"`` or ``"human"``.
        perspective: ``"learner"``: a rendering shows what the learner's seat may know, with ``learner="side"`` the seat of it that
            decides; a seat; or ``"all"``.
        **options: options of the rule book (rules.md 7).

    Attributes:
        observation_space: int8 vector, the fields of ``layout``; the legal actions are in ``info["action_mask"]``.
        action_space: ``Discrete(N_ACTIONS)``, see ``truco_env.Action``.
        rules: the rules of the table.
        layout: the layout of an observation.
        seat: the learner's seat in this episode.

    Raises:
        RulesError: unknown rule set, player count or value of an option.
        ArgumentError: an unknown keyword or render mode; it is a ``TypeError`` too.
        AgentError: an unknown name.
        PoolError: no opponents, or wrong weights.
        ValueError: an unknown value of another argument.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 - as the base class has it

    def __init__(
        self,
        ruleset: str | Rules = "argentino",
        players: int = 2,
        *,
        opponents: Opponents = "random",
        partners: Opponents | None = None,
        learner: str = "seat",
        learner_seat: int | str = "random",
        episode: str = "match",
        reward: str = "win",
        illegal_action: str = "terminate",
        render_mode: str | None = None,
        perspective: int | str = "learner",
        **options: object,
    ) -> None:
        check_keywords(TrucoGym, options)
        shown = "all" if perspective == "learner" else perspective
        self._env = _Table(ruleset, players, episode=episode, reward=reward, render_mode=render_mode, perspective=shown, **options)
        self.render_mode = render_mode
        self.rules: Rules = self._env.rules
        self.layout: Layout = self._env.layout
        self._whole_side = choose("learner", learner, LEARNERS) == LEARNERS.index("side")
        self._illegal_action = ILLEGAL_ACTIONS[choose("illegal_action", illegal_action, ILLEGAL_ACTIONS)]
        self._learner_seat = check_learner_seat(learner_seat, self.rules)
        self._env.shows_learner = perspective == "learner"
        self._episode = episode
        self._opponents = make_pool(opponents, self.rules)
        self._has_partners = self.rules.seats_per_account > 1 and not self._whole_side
        self._partners = NOBODY if partners is None else make_pool(partners, self.rules, "partners")
        self.observation_space = gymnasium.spaces.Box(self.layout.low, self.layout.high, dtype=np.int8)
        self.action_space = gymnasium.spaces.Discrete(N_ACTIONS)
        self._over = True
        self._has_begun = False

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[_Observation, dict[str, Any]]:
        """Begin an episode and play to the learner's first decision.

        Args:
            seed: makes all that follows a function of it; ``None`` goes on with the environment's own stream.
            options: may set up the position: ``deals``, ``dealer``, ``scores``, ``won``, ``kind`` as in ``TrucoEnv.reset``.

        Returns:
            Observation, int8 (layout.size,), and info as ``step`` returns it.

        Raises:
            CardError: a wrong card or deal.
            PositionError: an unknown key or another value that cannot be, and the environment is unchanged; or a position in which the
                learner is never asked, and the environment needs another reset.
        """
        position = check_opening(self.rules, options, episode=self._episode)
        super().reset(seed=seed)
        for _ in range(_MAX_TRIES):
            self._begin(position)
            self._play_on()
            if not self._over:
                return self._observe(), self._info()
        raise PositionError(f"the learner was not asked in any of {_MAX_TRIES} episodes from this position")

    def _begin(self, position: Mapping[str, Any]) -> None:
        """Seat everybody and deal. Cards and agents have streams of their own, so that nobody's play changes the deals."""
        rng = self.np_random
        deals, thoughts = rng.integers(0, 2**63, size=2).tolist()
        self.seat = int(rng.integers(self.rules.players))
        if self._learner_seat is not None:
            self.seat = self._learner_seat
        self._opponent = _draw(self._opponents, rng)
        self._partner = _draw(self._partners, rng) if self._partners.agents else self._opponent
        self._thoughts = np.random.default_rng(thoughts)
        self._agent = self._env.possible_agents[self.seat]
        self._players = {agent: self._player_of(seat) for seat, agent in enumerate(self._env.possible_agents)}
        mates = (seat for seat, (player, _) in enumerate(self._players.values()) if player is None and seat != self.seat)
        self._env.learner = (self.seat, *mates)
        self._env.reset(seed=deals, options=position)
        self._over = self._forfeit = False
        self._has_begun = True
        self._illegal = _NONE
        self._decisions = 0
        self._reward = 0.0
        accounts, own = np.arange(self.rules.n_accounts, dtype=np.int64), self.rules.account_of(self.seat)
        self._opponent.start(accounts[accounts != own])
        if self._has_partners:
            self._partner.start(accounts[accounts == own])

    def _player_of(self, seat: int) -> tuple[Agent | None, npt.NDArray[np.int64]]:
        """Who plays a seat (None: the learner), and the row number it knows the match by, as in ``LearnerBatch``."""
        account = self.rules.account_of(seat)
        row = np.array([account])
        if account != self.rules.account_of(self.seat):
            return self._opponent, row
        return (None if seat == self.seat or self._whole_side else self._partner), row

    def _play_on(self) -> None:
        """Let the agents play to the learner's next decision, or to the end."""
        env = self._env
        while not env.terminations[self._agent]:
            agent, row = self._players[env.agent_selection]
            if agent is None:
                return
            view = env.observe(env.agent_selection)
            actions = agent.act(view["observation"][None], view["action_mask"][None], self._thoughts, row)
            self._step(int(check_integers(actions, (1,), f"actions of {agent.name}")[0]), agent.name)
        self._over = True

    def _step(self, action: int, name: str) -> None:
        try:
            self._env.step(action)
        except (IllegalActionError, ActionError) as error:
            raise type(error)(f"{name} as {error}") from None
        self._reward += self._env.rewards[self._agent]

    def step(self, action: SupportsIndex) -> tuple[_Observation, float, bool, bool, dict[str, Any]]:
        """Carry out the learner's action and play to its next decision.

        Returns:
            Observation, reward, terminated, truncated (never) and info: ``action_mask`` int8 (N_ACTIONS,), ``seat`` (the learner's),
            ``to_act`` (the seat that decides, with ``learner="side"`` any of its account), ``opponent``, ``partner`` where one plays,
            ``illegal_action`` (the action given if it was not legal, else -1); at the end also ``result`` (1 won, -1 lost, 0 a hand with
            equal points), ``scores`` (the learner's account first), ``hands``, ``decisions``, ``forfeit`` (whether an illegal action
            ended the episode).

        Raises:
            ActionError: anything but an integer from 0 to 35; nothing has changed.
            IllegalActionError: with ``illegal_action="raise"``; nothing has changed.
            gymnasium.error.ResetNeeded: the episode is over, or none has begun.
        """
        if self._over:
            raise gymnasium.error.ResetNeeded("no episode is running: call reset() before step()")
        index = check_action(action)
        legal = self._mask()
        self._illegal = _NONE if legal[index] else index
        self._reward = 0.0 if self._decisions else self._reward
        if self._illegal != _NONE and self._illegal_action == "terminate":
            self._reward += _FORFEIT
            self._over = self._forfeit = True
        else:
            resample = self._illegal != _NONE and self._illegal_action == "resample"
            self._step(int(self._thoughts.choice(np.flatnonzero(legal))) if resample else index, "the learner")
            self._play_on()
        self._decisions += 1
        return self._observe(), self._reward, self._over, False, self._info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the learner's legal actions, bool (N_ACTIONS,), for sb3-contrib's MaskablePPO; none at the end of an episode."""
        return self._mask().astype(np.bool_)

    def _observe(self) -> _Observation:
        agent = self._agent if self._over else self._env.agent_selection
        view: _Observation = self._env.observe(agent)["observation"]
        return view

    def _mask(self) -> npt.NDArray[np.int8]:
        if self._over:
            return np.zeros(N_ACTIONS, dtype=np.int8)
        mask: npt.NDArray[np.int8] = self._env.observe(self._env.agent_selection)["action_mask"]
        return mask

    def _info(self) -> dict[str, Any]:
        to_act = self.seat if self._over else self._env.possible_agents.index(self._env.agent_selection)
        info: dict[str, Any] = {"action_mask": self._mask(), "seat": self.seat, "to_act": to_act, "opponent": self._opponent.name}
        if self._has_partners:
            info["partner"] = self._partner.name
        if self._decisions:
            info["illegal_action"] = self._illegal
        if self._over:
            outcome = self._env.outcome()
            n, own = self.rules.n_accounts, self.rules.account_of(self.seat)
            info["result"] = -1 if self._forfeit else self._env.result_of(own)
            info["scores"] = [outcome["scores"][(own + i) % n] for i in range(n)]
            info["hands"] = outcome["hands"]
            info["decisions"] = self._decisions
            info["forfeit"] = self._forfeit
        return info

    @property
    def game(self) -> Game:
        """An independent ``Game`` in this position, with the whole match and everybody's cards; playing it changes nothing here.

        Raises:
            gymnasium.error.ResetNeeded: no episode has begun.
        """
        self._need_episode("game")
        return self._env.game

    def view(self) -> View:
        """Return what the learner may know, as readable values: the seat that decides, after the episode the learner's.

        Raises:
            gymnasium.error.ResetNeeded: no episode has begun.
        """
        self._need_episode("view()")
        return self._env.view(self._agent if self._over else self._env.agent_selection)

    def _need_episode(self, name: str) -> None:
        if not self._has_begun:
            raise gymnasium.error.ResetNeeded(f"no episode has begun: call reset() before {name}")

    def render(self) -> str | None:
        """Return the position as text in mode ``"ansi"``; in mode ``"human"`` every position has been written already.

        Raises:
            gymnasium.error.ResetNeeded: no episode has begun.
        """
        self._need_episode("render()")
        return self._env.render() if self.render_mode == "ansi" else None

    def action_name(self, action: int) -> str:
        """Return what an action would be now, such as ``"7O"`` or ``"truco"``.

        Raises:
            ActionError: anything but an integer from 0 to 35.
            gymnasium.error.ResetNeeded: no episode has begun.
        """
        return self.game.action_name(Action(check_action(action)))


def _draw(pool: Pool, rng: np.random.Generator) -> Agent:
    shares = np.array(pool.weights or [1.0] * len(pool.agents))
    return pool.agents[int(rng.choice(len(pool.agents), p=shares / shares.sum()))]
