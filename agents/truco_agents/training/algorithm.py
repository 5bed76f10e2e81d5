"""TrucoPPO: MaskablePPO of sb3-contrib whose loops run over arrays instead of environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv

from truco_agents.training.config import Schedule
from truco_agents.training.policy import TrucoPolicy
from truco_agents.training.rollout import Rollout
from truco_agents.training.vec_env import TrucoVecEnv


class TrucoPPO(MaskablePPO):
    """MaskablePPO with a schedule for the entropy, matches against itself, and no Python loop over environments.

    Args:
        env: the matches.
        mirrored: whether there are matches of the learner against itself among them.
        entropy: schedule of the entropy's weight.
        schedule_steps: decisions over which schedules run, however long the run is.
        order: generator of the order of minibatches.
        **kwargs: those of MaskablePPO, but for the policy and the buffer.
    """

    policy: TrucoPolicy
    rollout_buffer: Rollout

    def __init__(
        self,
        *,
        env: TrucoVecEnv,
        mirrored: bool,
        entropy: Schedule,
        schedule_steps: int,
        order: np.random.Generator,
        **kwargs: Any,
    ) -> None:
        self.entropy = entropy
        self.schedule_steps = schedule_steps
        accounts = {"accounts": env.batch.rules.n_accounts, "mirrored": mirrored}
        super().__init__(policy=TrucoPolicy, env=env, rollout_buffer_class=Rollout, rollout_buffer_kwargs=accounts, **kwargs)
        self.rollout_buffer.rng = order

    def collect_rollouts(
        self, env: VecEnv, callback: BaseCallback, rollout_buffer: RolloutBuffer, n_rollout_steps: int, use_masking: bool = True
    ) -> bool:
        """Fill the buffer (see MaskablePPO); matches always end by themselves, so nothing is bootstrapped at their end."""
        assert isinstance(env, TrucoVecEnv) and isinstance(rollout_buffer, Rollout)
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        observations = self._last_obs
        assert isinstance(observations, np.ndarray)
        with torch.no_grad():
            for _ in range(n_rollout_steps):
                masks, accounts = env.action_masks(), env.accounts
                choices, values, log_probabilities = self.policy(torch.as_tensor(observations, device=self.device), action_masks=masks)
                actions = choices.cpu().numpy()
                new_observations, _, dones, _ = env.step(actions)
                self.num_timesteps += env.num_envs
                rollout_buffer.record(observations, masks, actions, values, log_probabilities, accounts, env.earned, dones)
                if not callback.on_step():
                    return False
                assert isinstance(new_observations, np.ndarray)
                observations = new_observations
            self._last_obs = observations
            last_values = self.policy.predict_values(torch.as_tensor(observations, device=self.device))
        rollout_buffer.estimate(last_values.cpu().numpy()[:, 0], env.accounts)
        callback.update_locals(locals())
        callback.on_rollout_end()
        return True

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, self.schedule_steps)

    def train(self) -> None:
        """Do the epochs of an update."""
        self.ent_coef = self.entropy.at(1.0 - self._current_progress_remaining)
        super().train()
        rollout = self.rollout_buffer
        self.logger.record("train/explained_variance", explained_variance(rollout.values[rollout.usable], rollout.returns[rollout.usable]))
        rollout.reset()
