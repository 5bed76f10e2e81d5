"""Rollout: the decisions of an update, and what they turned out to be worth, account by account."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

from truco_agents.training.policy import Anchored

_NOBODY: Final = -1  #: owner of a place without a decision
_KEPT: Final = ("observations", "actions", "values", "log_probs", "action_masks", "owners")


class Rollout(MaskableRolloutBuffer):
    """A rollout buffer in which each account of a match has decisions of its own; it is allocated once and shuffles from its own generator.

    Advantages are generalised advantage estimates over the decisions that one account took in one match, whoever decided between them.
    Where the learner plays all accounts of a match, the rollout may end before it is known what the last decision of an account led to:
    such decisions are kept, at most one for each account that is not about to decide, and are part of the next update instead. So
    every decision is learned from exactly once.

    Args:
        buffer_size: decisions of each match in an update.
        observation_space: of the environments.
        action_space: of the environments.
        device: of the tensors that ``get`` yields.
        gae_lambda: trade-off of bias and variance.
        gamma: discount per decision of an account.
        n_envs: matches.
        accounts: accounts of a match.
        mirrored: whether there are matches in which the learner plays all of them.

    Attributes:
        rng: order of the decisions in the epochs.
        owners: int8 (kept + buffer_size, n_envs), the account of each decision, -1 where there is none.
        usable: bool, same shape, whether what a decision led to is known.
        anchors: float32 ((kept + buffer_size) * n_envs, N_ACTIONS), log probabilities of a magnet in the order of the flattened decisions,
            to be yielded with the masks; None without one.
    """

    rng: np.random.Generator

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Box,
        action_space: spaces.Discrete,
        device: torch.device | str = "auto",
        gae_lambda: float = 1.0,
        gamma: float = 1.0,
        n_envs: int = 1,
        *,
        accounts: int,
        mirrored: bool,
    ) -> None:
        self.kept = accounts - 1 if mirrored else 0
        shape = (self.kept + buffer_size, n_envs)
        self.owners = np.full(shape, _NOBODY, dtype=np.int8)
        self.usable = np.zeros(shape, dtype=np.bool_)
        self._earned = np.zeros((*shape, accounts), dtype=np.float32)
        self._dones = np.zeros(shape, dtype=np.bool_)
        self.anchors: torch.Tensor | None = None
        self._estimated = False
        super().__init__(shape[0], observation_space, action_space, device, gae_lambda, gamma, n_envs)

    def reset(self) -> None:
        """Make room for the next rollout: nothing remains but decisions that have not been learned from."""
        if not hasattr(self, "observations"):
            super().reset()
            self.action_masks = np.ones(self.action_masks.shape, dtype=np.int8)
        if self._estimated:
            rows = np.arange(self.n_envs)
            waiting = (self.owners != _NOBODY) & ~self.usable
            times = np.argsort(~waiting, axis=0, kind="stable")[: self.kept]
            self.owners[~waiting] = _NOBODY
            for name in _KEPT:
                array = getattr(self, name)
                array[: self.kept] = array[times, rows]
            self._estimated = False
        self.pos, self.full = self.kept, False

    def record(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        actions: npt.NDArray[np.int64],
        values: torch.Tensor,
        log_probabilities: torch.Tensor,
        owners: npt.NDArray[np.int8],
        earned: npt.NDArray[np.float32],
        dones: npt.NDArray[np.bool_],
    ) -> None:
        """Add a decision of every match and what followed it.

        Args:
            observations: int8 (n_envs, size), what was seen.
            masks: int8 (n_envs, N_ACTIONS), what was legal.
            actions: int64 (n_envs,).
            values: float32 (n_envs, 1), estimates of the decisions' returns.
            log_probabilities: float32 (n_envs,), of the actions.
            owners: int8 (n_envs,), the accounts that decided.
            earned: float32 (n_envs, accounts), see ``LearnerStep.earned``.
            dones: bool (n_envs,), whether an episode ended.
        """
        at = self.pos
        self.observations[at], self.action_masks[at], self.actions[at, :, 0] = observations, masks, actions
        self.values[at], self.log_probs[at] = values.cpu().numpy()[:, 0], log_probabilities.cpu().numpy()
        self.owners[at], self._earned[at], self._dones[at] = owners, earned, dones
        self.pos += 1
        self.full = self.pos == self.buffer_size

    def estimate(self, last_values: npt.NDArray[np.float32], owners: npt.NDArray[np.int8]) -> None:
        """Work out advantages and returns of a full rollout.

        Args:
            last_values: float32 (n_envs,), estimates for the decisions that come next.
            owners: int8 (n_envs,), the accounts that decide next.
        """
        rows = np.arange(self.n_envs)
        reward, value, gain = np.zeros((3, *self._earned.shape[1:]), dtype=np.float32)  # of each account's next decision
        known = np.zeros(reward.shape, dtype=np.bool_)
        value[rows, owners], known[rows, owners] = last_values, True
        for t in reversed(range(self.buffer_size)):
            if t >= self.kept:
                done, earned = self._dones[t], self._earned[t]
                reward[rows, owners] = earned[rows, owners]
                reward[done], value[done], gain[done], known[done] = earned[done], 0.0, 0.0, True
            owners = self.owners[t]
            usable = known[rows, owners] & (owners != _NOBODY)
            delta = reward[rows, owners] + self.gamma * value[rows, owners] - self.values[t]
            advantages = np.where(usable, delta + self.gamma * self.gae_lambda * gain[rows, owners], np.float32(0.0))
            self.advantages[t], self.usable[t] = advantages, usable
            if t >= self.kept:
                value[rows, owners], gain[rows, owners], known[rows, owners] = self.values[t], advantages, True
        self.returns = self.advantages + self.values
        self._estimated = True

    def get(  # type: ignore[override]
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Yield all usable decisions once, in random order, in equal parts of about ``batch_size``."""
        total = self.buffer_size * self.n_envs
        arrays = (self.observations, self.actions, self.values, self.log_probs, self.advantages, self.returns, self.action_masks)
        tensors = [torch.from_numpy(array.reshape(total, *array.shape[2:])).to(self.device) for array in arrays]
        order = torch.from_numpy(self.rng.permutation(np.flatnonzero(self.usable))).to(self.device)
        for indices in torch.tensor_split(order, max(1, round(len(order) / (batch_size or total)))):
            samples = MaskableRolloutBufferSamples(*(tensor.index_select(0, indices) for tensor in tensors))
            if self.anchors is not None:
                anchored = Anchored(samples.action_masks, self.anchors.index_select(0, indices))
                samples = samples._replace(action_masks=cast("torch.Tensor", anchored))  # SB3 only hands it on to the policy
            yield samples

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """Return the decisions that wait for the next update, between two of them."""
        return {name: getattr(self, name)[: self.kept].copy() for name in _KEPT}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go back to what ``save`` returned.

        Raises:
            ValueError: the state is damaged, or of another kind of rollout.
        """
        for name in _KEPT:
            room = getattr(self, name)[: self.kept]
            if state[name].shape != room.shape or state[name].dtype != room.dtype:
                raise ValueError(f"{name} are {state[name].dtype} {state[name].shape}, not {room.dtype} {room.shape}")
            room[:] = state[name]
