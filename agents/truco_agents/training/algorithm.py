"""TrucoPPO: MaskablePPO of sb3-contrib whose loops run over arrays instead of environments."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from truco_agents.training.config import Schedule
from truco_agents.training.policy import TrucoPolicy
from truco_agents.training.vec_env import TrucoVecEnv


class Rollout(MaskableRolloutBuffer):
    """A rollout buffer that is allocated once, keeps masks as int8, and shuffles from a generator of its own.

    Attributes:
        rng: order of the decisions in the epochs.
    """

    rng: np.random.Generator

    def reset(self) -> None:
        """Make it empty; the arrays are kept and overwritten."""
        if not hasattr(self, "observations"):
            super().reset()
            self.action_masks = np.ones(self.action_masks.shape, dtype=np.int8)
        self.pos, self.full = 0, False

    def get(  # type: ignore[override]
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Yield all decisions once, in random order, ``batch_size`` at a time."""
        total = self.buffer_size * self.n_envs
        arrays = (self.observations, self.actions, self.values, self.log_probs, self.advantages, self.returns, self.action_masks)
        tensors = [torch.from_numpy(array.reshape(total, *array.shape[2:])).to(self.device) for array in arrays]
        order = torch.from_numpy(self.rng.permutation(total)).to(self.device)
        for indices in torch.split(order, batch_size or total):
            yield MaskableRolloutBufferSamples(*(tensor.index_select(0, indices) for tensor in tensors))


class TrucoPPO(MaskablePPO):
    """MaskablePPO with a schedule for the entropy and no Python loop over environments.

    Args:
        entropy: schedule of the entropy's weight.
        schedule_steps: decisions over which schedules run, however long the run is.
        order: generator of the order of minibatches.
        **kwargs: those of MaskablePPO, but for the policy and the buffer.
    """

    policy: TrucoPolicy
    rollout_buffer: Rollout

    def __init__(self, *, entropy: Schedule, schedule_steps: int, order: np.random.Generator, **kwargs: Any) -> None:
        self.entropy = entropy
        self.schedule_steps = schedule_steps
        super().__init__(policy=TrucoPolicy, rollout_buffer_class=Rollout, **kwargs)
        self.rollout_buffer.rng = order

    def collect_rollouts(
        self, env: VecEnv, callback: BaseCallback, rollout_buffer: RolloutBuffer, n_rollout_steps: int, use_masking: bool = True
    ) -> bool:
        """Fill the buffer (see MaskablePPO); matches always end by themselves, so nothing is bootstrapped at their end."""
        assert isinstance(env, TrucoVecEnv) and isinstance(rollout_buffer, Rollout)
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        observations, starts = self._last_obs, self._last_episode_starts
        assert isinstance(observations, np.ndarray) and starts is not None
        with torch.no_grad():
            for _ in range(n_rollout_steps):
                masks = env.action_masks()
                choices, values, log_probabilities = self.policy(torch.as_tensor(observations, device=self.device), action_masks=masks)
                actions = choices.cpu().numpy()
                new_observations, rewards, dones, _ = env.step(actions)
                self.num_timesteps += env.num_envs
                rollout_buffer.add(observations, actions, rewards, starts, values, log_probabilities, action_masks=masks)
                if not callback.on_step():
                    return False
                assert isinstance(new_observations, np.ndarray)
                observations, starts = new_observations, dones
            self._last_obs, self._last_episode_starts = observations, starts
            last_values = self.policy.predict_values(torch.as_tensor(observations, device=self.device))
        rollout_buffer.compute_returns_and_advantage(last_values=last_values, dones=starts)
        callback.update_locals(locals())
        callback.on_rollout_end()
        return True

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, self.schedule_steps)

    def train(self) -> None:
        """Do the epochs of an update."""
        self.ent_coef = self.entropy.at(1.0 - self._current_progress_remaining)
        super().train()
