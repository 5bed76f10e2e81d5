"""The Gymnasium environment in Stable-Baselines3: made by name, its checker, worker processes."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env as check_sb3_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv

from truco_env.envs.gym import TrucoGym


@pytest.mark.filterwarnings("ignore:.*render_mode.*:UserWarning")
def test_stable_baselines3_makes_it_by_name() -> None:
    env = make_vec_env("truco_env/Truco-v0", n_envs=2, seed=1, monitor_kwargs={"info_keywords": ("result", "hands")})
    env.reset()
    for _ in range(40):
        masks = np.stack(env.env_method("action_masks"))
        _, _, dones, infos = env.step(np.where(masks.any(axis=1), masks.argmin(axis=1), 0))  # the first illegal action
        for done, info in zip(dones, infos, strict=True):
            assert done and info["episode"]["result"] == -1 and info["episode"]["hands"] >= 1
    model = MaskablePPO("MlpPolicy", "truco_env/Truco-v0", n_steps=32, batch_size=32, n_epochs=1, device="cpu", seed=1)
    model.learn(32)


def test_passes_stable_baselines3s_check_env() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_sb3_env(TrucoGym())


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_agents_are_known_by_name_in_processes_of_their_own(method: str) -> None:
    env = SubprocVecEnv([partial(TrucoGym, opponents="maestro", episode="hand")], start_method=method)
    try:
        env.seed(1)
        env.reset()
        assert env.reset_infos[0]["opponent"] == "maestro"
        (mask,) = env.env_method("action_masks")
        env.step(np.array([mask.argmax()]))
    finally:
        env.close()
