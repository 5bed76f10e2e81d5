"""TrucoVector: many matches as one Gymnasium vector environment, stepped in compiled code with the opponents acting in batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from truco_env.batch.learner import Episodes, LearnerBatch, LearnerStep
from truco_env.envs.arguments import check_keywords, check_render_mode
from truco_env.envs.gym import ILLEGAL_ACTIONS
from truco_env.envs.opening import check_reset_options
from truco_env.errors import ActionError, PositionError, choose
from truco_env.game.game import Game
from truco_env.observation.arrays import check_integers
from truco_env.observation.layout import Layout
from truco_env.observation.masks import pick_uniform
from truco_env.players.opponents import NOBODY, Opponents, make_pool
from truco_env.rules.actions import N_ACTIONS
from truco_env.rules.options import Rules

_RESET_MASK: Final = "reset_mask"
_NONE: Final = -1  # in the place of an illegal action

_Observations = npt.NDArray[np.int8]
_Step = tuple[_Observations, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]


class TrucoVector(VectorEnv[_Observations, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """``gymnasium.make_vec("truco_env/Truco-v0", num_envs=...)``: ``TrucoGym`` many times over, at a fraction of the cost.

    The arguments are those of ``TrucoGym``, without rendering. All arrays returned are fresh.

    An environment restarts in the step that ends its episode (``AutoresetMode.SAME_STEP``): the observation is of the next episode, the
    last one is in ``infos["final_obs"]``, its outcome in ``infos["final_info"]``. With ``autoreset_mode="NextStep"`` it stays at the last
    position, with an empty mask, and restarts in the next step, which ignores its action and pays 0; with ``"Disabled"`` it stays there
    until ``reset(options={"reset_mask": ...})``.

    Args:
        num_envs: number of matches.
        ruleset: as in ``TrucoGym``, like all that follow.
        players: seats at the table.
        opponents: who plays the seats of the other accounts, drawn per episode.
        partners: who plays the learner's team-mates.
        learner: ``"seat"`` or ``"side"``.
        learner_seat: a seat, or ``"random"``.
        episode: ``"match"`` or ``"hand"``.
        reward: ``"win"``, ``"points"`` or ``"shaped"``.
        illegal_action: ``"terminate"``, ``"resample"`` or ``"raise"``.
        autoreset_mode: an ``AutoresetMode``, or its value: ``"SameStep"``, ``"NextStep"`` or ``"Disabled"``.
        render_mode: ``None``; there is nothing to look at.
        **options: options of the rule book (rules.md 7).

    Attributes:
        batch: the ``LearnerBatch`` below: its ``set_opponents``, ``save`` and ``restore`` may be used between steps.
        autoreset_mode: when an environment restarts; also in ``metadata``.
        rules: the rules of the table.
        layout: the layout of an observation.

    Raises:
        RulesError, ArgumentError, AgentError, PoolError, ValueError: as ``TrucoGym``.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - as the base class has it

    def __init__(
        self,
        num_envs: int = 1,
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
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
        render_mode: None = None,
        **options: object,
    ) -> None:
        super().__init__()
        check_keywords(TrucoVector, options)
        self.render_mode = check_render_mode(render_mode, self.metadata["render_modes"])
        self.rules = Game(ruleset, players, **options).rules
        self._illegal_action = ILLEGAL_ACTIONS[choose("illegal_action", illegal_action, ILLEGAL_ACTIONS)]
        name = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        self.autoreset_mode = tuple(AutoresetMode)[choose("autoreset_mode", name, [mode.value for mode in AutoresetMode])]
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        pool = make_pool(opponents, self.rules)
        mates = NOBODY if partners is None else make_pool(partners, self.rules, "partners")
        self.batch = LearnerBatch(
            self.rules,
            num_envs,
            pool.agents,
            pool.weights,
            partners=mates.agents,
            partner_weights=mates.weights,
            learner=learner,
            learner_seat=learner_seat,
            episode=episode,
            reward=reward,
            autoreset=self.autoreset_mode is AutoresetMode.SAME_STEP,
            illegal="forfeit" if illegal_action == "terminate" else "raise",
        )
        self.layout: Layout = self.batch.layout
        self.num_envs = num_envs
        self.single_observation_space = gymnasium.spaces.Box(self.layout.low, self.layout.high, dtype=np.int8)
        self.single_action_space = gymnasium.spaces.Discrete(N_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._rows = np.arange(num_envs)
        self._everywhere = np.ones(num_envs, dtype=np.bool_)
        self._has_begun = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Observations, dict[str, Any]]:
        """Begin new episodes.

        Args:
            seed: an int makes all that follows a function of it; a list has one seed (or ``None``) per environment and fixes its deals and
                seating, but not what agents draw; ``None`` goes on with the own stream.
            options: ``reset_mask``, bool (num_envs,): which environments begin anew; the others stay as they are.

        Raises:
            PositionError: another key; positions are set up in ``TrucoGym`` and ``TrucoEnv``.
            ValueError: a wrong mask, or another number of seeds. Nothing has changed, as after any error.
        """
        given = check_reset_options(options, others=(_RESET_MASK,))
        position = [name for name in given if name != _RESET_MASK]
        if position:
            raise PositionError(f"reset option {position[0]!r} is for one match: the vector environment sets up no positions")
        rows = np.flatnonzero(self._check_mask(given[_RESET_MASK])) if _RESET_MASK in given else self._rows
        seeds = None
        if seed is not None and not isinstance(seed, int | np.integer):
            if len(seed) != self.num_envs:
                raise ValueError(f"{len(seed)} seeds for {self.num_envs} environments: give one seed per environment")
            seeds = [seed[row] for row in rows.tolist()]
        elif seed is not None:
            self.batch.reseed(int(seed))
        observations, _ = self.batch.reset_rows(rows, seeds)
        self._has_begun = True
        return observations, self._infos()

    def _check_mask(self, mask: object) -> npt.NDArray[np.bool_]:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"reset_mask must be a bool array of shape ({self.num_envs},) with a True in it")
        return mask

    def step(self, actions: npt.NDArray[np.int64]) -> _Step:
        """Carry out an action in every environment and play on to the learner's next decisions.

        Returns:
            Observations, rewards float32, terminations, truncations (never) and infos: ``action_mask`` int8 (num_envs, N_ACTIONS),
            ``seat`` (the learner's) and ``to_act`` (the seat that decides, with ``learner="side"`` any of its account); where an episode
            ended ``final_obs`` and ``final_info`` (``result``, ``scores``, ``hands``, ``decisions``, ``reward``, ``seat``, ``opponent``,
            ``partner`` where one plays, ``forfeit``); ``illegal_action``, the action given where it was not legal, else -1.

        Raises:
            ValueError: ``actions`` are not integers of shape (num_envs,).
            ActionError: one of them is not from 0 to 35.
            IllegalActionError: with ``illegal_action="raise"``.
            gymnasium.error.ResetNeeded: no episode has begun, or with ``autoreset_mode="Disabled"`` one is over. After any of these
                nothing has changed.
        """
        actions = self._check_actions(actions)
        over = self.batch.over
        if not self._has_begun or (over.any() and self.autoreset_mode is not AutoresetMode.NEXT_STEP):
            where = f"environment {int(over.argmax())} has ended" if self._has_begun else "no episode has begun"
            raise gymnasium.error.ResetNeeded(f"{where}: call reset() before step()")
        masks = self.batch.masks
        wrong = masks[self._rows, actions] == 0
        wrong &= ~over
        illegal = np.where(wrong, actions, _NONE)
        if self._illegal_action == "resample" and wrong.any():
            actions = actions.copy()
            actions[wrong] = pick_uniform(masks[wrong], self.batch.rng)
        step = self._restart_and_step(over, actions) if over.any() else self.batch.step(actions)
        infos = self._infos()
        infos["illegal_action"], infos["_illegal_action"] = illegal, wrong
        if step.dones.any():
            self._add_finals(infos, step.episodes, step.dones)
        return step.observations, step.rewards, step.dones, np.zeros(self.num_envs, dtype=np.bool_), infos

    def _check_actions(self, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        checked = check_integers(actions, (self.num_envs,), "actions")
        if checked.min() < 0 or checked.max() >= N_ACTIONS:
            row = int(np.argmax((checked < 0) | (checked >= N_ACTIONS)))
            raise ActionError(f"environment {row}: {checked[row]} is no action: give an integer from 0 to {N_ACTIONS - 1}")
        return checked

    def _restart_and_step(self, over: npt.NDArray[np.bool_], actions: npt.NDArray[np.int64]) -> LearnerStep:
        """Begin anew where an episode ended in the step before, and carry out the actions elsewhere."""
        step = self.batch.step_rows(np.flatnonzero(~over), actions[~over])
        observations, masks = self.batch.reset_rows(np.flatnonzero(over))
        return step._replace(observations=observations, masks=masks)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions of every environment, bool (num_envs, N_ACTIONS)."""
        return self.batch.masks.astype(np.bool_)

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self.batch.masks,
            "_action_mask": self._everywhere.copy(),
            "seat": self.batch.learner_seats,
            "_seat": self._everywhere.copy(),
            "to_act": self.batch.seats,
            "_to_act": self._everywhere.copy(),
        }

    def _names(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.object_]:
        agents = self.batch.agents
        return np.array([agents[i].name if i in agents else "" for i in ids.tolist()], dtype=object)

    def _add_finals(self, infos: dict[str, Any], ended: Episodes, dones: npt.NDArray[np.bool_]) -> None:
        observations = np.full(self.num_envs, None, dtype=object)
        for k, row in enumerate(ended.rows.tolist()):
            observations[row] = ended.observations[k]
        outcome: dict[str, Any] = {}
        for name, values in (
            ("result", ended.results),
            ("scores", ended.scores),
            ("hands", ended.hands),
            ("decisions", ended.decisions),
            ("reward", ended.rewards),
            ("seat", ended.seats),
            ("opponent", self._names(ended.opponents)),
            *((("partner", self._names(ended.partners)),) if self.batch.has_partners else ()),
            ("forfeit", ended.forfeits),
        ):
            whole = np.full((self.num_envs, *values.shape[1:]), None if values.dtype == object else 0, dtype=values.dtype)
            whole[ended.rows] = values
            outcome[name], outcome[f"_{name}"] = whole, dones.copy()
        infos["final_obs"], infos["_final_obs"] = observations, dones.copy()
        infos["final_info"], infos["_final_info"] = outcome, dones.copy()
