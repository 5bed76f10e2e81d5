"""TrucoPPO: MaskablePPO of sb3-contrib whose loops run over arrays instead of environments."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv

from truco_agents.training.config import Magnet, Schedule
from truco_agents.training.policy import TrucoPolicy
from truco_agents.training.rollout import Rollout
from truco_agents.training.vec_env import TrucoVecEnv


class TrucoPPO(MaskablePPO):
    """MaskablePPO with a schedule for the entropy, matches against itself, and no Python loop over environments.

    Args:
        env: the matches.
        mirrored: whether there are matches of the learner against itself among them.
        entropy: schedule of the entropy's weight.
        magnet: weight and rate of the pull towards the moving average of the weights.
        averaged: whether to keep that average.
        schedule_steps: decisions over which schedules run, however long the run is.
        order: generator of the order of minibatches.
        **kwargs: those of MaskablePPO, but for the policy, the buffer and the entropy's weight.

    Attributes:
        average: the policy with the moving average of the weights, None where it is not kept.
    """

    policy: TrucoPolicy
    rollout_buffer: Rollout

    def __init__(
        self,
        *,
        env: TrucoVecEnv,
        mirrored: bool,
        entropy: Schedule,
        magnet: Magnet,
        averaged: bool,
        schedule_steps: int,
        order: np.random.Generator,
        **kwargs: Any,
    ) -> None:
        self.entropy = entropy
        self.schedule_steps = schedule_steps
        accounts = {"accounts": env.batch.rules.n_accounts, "mirrored": mirrored}
        super().__init__(policy=TrucoPolicy, env=env, rollout_buffer_class=Rollout, rollout_buffer_kwargs=accounts, **kwargs)
        self.rollout_buffer.rng = order
        self.ent_coef = 1.0  # the policy weighs its entropy itself
        self.magnet = magnet
        self.average: TrucoPolicy | None = None
        if averaged:
            self.average = deepcopy(self.policy).requires_grad_(False)

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

    def _anchors(self) -> torch.Tensor:
        """Return what the average says of all decisions of the rollout: once an update, since it stays the same for all epochs."""
        assert self.average is not None
        rollout = self.rollout_buffer
        anchors = []
        with torch.no_grad():
            for observations, masks in zip(rollout.observations, rollout.action_masks, strict=True):
                seen = torch.as_tensor(observations, device=self.device), torch.as_tensor(masks, device=self.device)
                anchors.append(self.average.log_probabilities(*seen))
        return torch.cat(anchors)

    def train(self) -> None:
        """Do the epochs of an update, and let the average follow."""
        done = 1.0 - self._current_progress_remaining
        self.policy.entropy_weight, self.policy.magnet_weight = self.entropy.at(done), self.magnet.coef.at(done)
        self.rollout_buffer.anchors = self._anchors() if self.policy.magnet_weight else None
        super().train()
        for name, value in self.policy.take_measured().items():
            self.logger.record(f"train/{name}", value)
        if self.average is not None:
            with torch.no_grad():
                for mean, latest in zip(self.average.parameters(), self.policy.parameters(), strict=True):
                    mean.lerp_(latest, self.magnet.rate.at(done))
        rollout = self.rollout_buffer
        self.logger.record("train/explained_variance", explained_variance(rollout.values[rollout.usable], rollout.returns[rollout.usable]))
        rollout.reset()
