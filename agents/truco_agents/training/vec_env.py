"""TrucoVecEnv: the batched matches of a learner as a vector environment of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from truco_env.batch.learner import Episodes, LearnerBatch
from truco_env.rules.actions import N_ACTIONS


class TrucoVecEnv(VecEnv):
    """``batch.size`` environments whose agent is the batch's learner; ``env_method("action_masks")`` gives its legal actions.

    Observations are int8 (size, layout.size), fresh at every step. An environment restarts in the step that ends its episode; the info
    of that step has ``episode`` (``r``: sum of rewards, ``l``: decisions) and ``terminal_observation``, all other infos are empty.
    Where the learner meets itself, learn from ``earned`` and ``accounts``: the rewards of SB3's interface are those of one side only.

    Args:
        batch: the matches. Its ``reset`` and ``step`` are called from here only.

    Attributes:
        batch: the matches.
        accounts: int8 (size,), the account for which the learner decides next in every match.
        earned: float32 (size, accounts), what decisions turned out to earn in the last step, see ``LearnerStep.earned``.
        episodes: the episodes that ended in the last step, None before the first.
    """

    def __init__(self, batch: LearnerBatch) -> None:
        self.batch = batch
        self.accounts = batch.accounts
        self.earned = np.zeros((batch.size, batch.rules.n_accounts), dtype=np.float32)
        self.episodes: Episodes | None = None
        self._masks = np.zeros((batch.size, N_ACTIONS), dtype=np.int8)
        self._actions = np.zeros(batch.size, dtype=np.int64)
        self._infos: list[dict[str, Any]] = [{} for _ in range(batch.size)]
        super().__init__(
            batch.size,
            spaces.Box(batch.layout.low, batch.layout.high, dtype=np.int8),
            spaces.Discrete(N_ACTIONS),
        )

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Return the legal actions of every environment, int8 (size, N_ACTIONS)."""
        return self._masks

    def reset(self) -> npt.NDArray[np.int8]:
        """Start new matches everywhere, with the seed of the last call of ``seed`` if there was one."""
        observations, self._masks = self.batch.reset(self._seeds[0])
        self.accounts = self.batch.accounts
        self._reset_seeds()
        self._reset_options()
        return observations

    def restore(self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        """Take over what ``batch.restore`` returned, and return the observations."""
        self._masks, self.accounts = masks, self.batch.accounts
        return observations

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Keep the actions for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Play on to the learner's next decisions."""
        step = self.batch.step(self._actions)
        self._masks, self.accounts, self.earned, self.episodes = step.masks, self.batch.accounts, step.earned, step.episodes
        infos = self._infos.copy()
        ended = step.episodes
        for k, row in enumerate(ended.rows.tolist()):
            infos[row] = {
                "episode": {"r": float(ended.rewards[k]), "l": int(ended.decisions[k])},
                "terminal_observation": ended.observations[k],
            }
        return step.observations, step.rewards, step.dones, infos

    def close(self) -> None:
        """There is nothing to close."""

    def has_attr(self, attr_name: str) -> bool:
        """Tell whether the environments have an attribute."""
        return attr_name == "render_mode" or hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of this object, once per environment."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of this object, which all environments share."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> Any:
        """Return the legal actions as one array for ``action_masks``, which is all that the environments offer."""
        if method_name != "action_masks":
            raise AttributeError(f"the environments have no method {method_name!r}: they have action_masks")
        return self._masks if indices is None else self._masks[np.atleast_1d(np.asarray(self._get_indices(indices)))]

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None) -> list[bool]:
        """Tell that no environment is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return no pictures: these environments are not rendered."""
        return [None] * self.num_envs
