"""Training with MaskablePPO: on the batched environment, and the ways of the usual tutorials."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import gymnasium
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv
from torch import nn

from benchmarks.meter import Measurement, Sample, cpu_with_children
from truco_agents.training.config import Config
from truco_agents.training.run_folder import RunFolder
from truco_agents.training.trainer import Trainer
from truco_agents.training.vec_env import TrucoVecEnv
from truco_env.batch.learner import LearnerBatch
from truco_env.players.opponents import make_pool
from truco_env.rules.options import Rules

EPOCHS: Final = 4
WIDTHS: Final = [128, 128]
MATCHES: Final = 1024
FULL: Final = 2.0  #: seconds; with less, rollouts of the slow environments are cut short
_WATCHED: Final = ("step", "env_method", "action_masks")


class _Clock:
    """Counts the time spent in methods of one object."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._inside = False

    def watch(self, owner: object, name: str) -> None:
        """Count what calls of ``owner.name`` take; calls from inside a counted one are not counted twice."""
        method: Callable[..., Any] = getattr(owner, name)

        def timed(*args: Any, **kwargs: Any) -> Any:
            if self._inside:
                return method(*args, **kwargs)
            self._inside, began = True, time.perf_counter()
            try:
                return method(*args, **kwargs)
            finally:
                self._inside = False
                self.seconds += time.perf_counter() - began

        setattr(owner, name, timed)


def _learning(model: MaskablePPO, env: VecEnv, decisions: int, time_of: str) -> Measurement:
    """Return a measurement of ``learn()``: the learner's decisions per second of ``"cpu"`` (worker processes included) or ``"wall"`` time.

    ``share`` is what environment, masks and opponents take of the wall-clock time.
    """
    clock = _Clock()
    for name in _WATCHED:
        if hasattr(env, name):
            clock.watch(env, name)
    model.learn(model.n_steps * env.num_envs, log_interval=1 << 30)

    def measure() -> Sample:
        before, clock.seconds = model.num_timesteps, 0.0
        cpu, wall = cpu_with_children(), time.perf_counter()
        model.learn(decisions, reset_num_timesteps=False, log_interval=1 << 30)
        cpu, wall = cpu_with_children() - cpu, time.perf_counter() - wall
        done = model.num_timesteps - before
        value = done / (cpu if time_of == "cpu" else wall)
        return {"value": value, "steps": done, "cpu": cpu, "wall": wall, "share": clock.seconds / wall}

    return measure


def native(seconds: float, time_of: str, net: str, opponent: str) -> Measurement:
    """What ``train.py`` runs: the native vector environment, and MaskablePPO without Python loops over environments.

    Args:
        seconds: of a repetition, roughly.
        time_of: ``"cpu"`` or ``"wall"``.
        net: ``"shared"``: policy and value share the layers; ``"separate"``: each has its own, as in Stable-Baselines3.
        opponent: name of the agent on the other side.
    """
    widths = tuple(WIDTHS)
    shapes = {"trunk": widths} if net == "shared" else {"trunk": (), "policy": widths, "value": widths}
    config = Config.model_validate(
        {
            "name": "benchmark",
            "learner": {"n_envs": MATCHES, "reward": "shaped"},
            "opponents": {"agents": {opponent: 1.0}, "past": {"share": 0.0}},
            "ppo": {"epochs": EPOCHS},
            "net": shapes,
        }
    )
    trainer = Trainer(config, RunFolder(Path("runs/benchmark")), _Silent())  # learn() itself writes nothing there
    return _learning(trainer.model, trainer.env, _whole_rollouts(seconds, config.rollout, 40_000), time_of)


def stock(seconds: float, time_of: str, opponent: str) -> Measurement:
    """MaskablePPO of sb3-contrib as it is, on the native vector environment."""
    rules = Rules()
    batch = LearnerBatch(rules, MATCHES, make_pool(opponent, rules).agents, learner="side", reward="shaped", seed=1)
    env = TrucoVecEnv(batch)
    rollout = Config().rollout
    return _learning(_model(env, rollout), env, _whole_rollouts(seconds, rollout, 20_000), time_of)


def tutorial(seconds: float, time_of: str, kind: str, envs: int, opponent: str) -> Measurement:
    """MaskablePPO of sb3-contrib on ``make_vec_env`` of the Gymnasium environment.

    Args:
        seconds: a repetition is one rollout as long as everybody's, a shorter one with less than ``FULL``.
        time_of: ``"cpu"`` or ``"wall"``.
        kind: ``"dummy"`` or ``"subproc"``.
        envs: number of environments.
        opponent: name of the agent on the other side.
    """
    classes: dict[str, type[DummyVecEnv] | type[SubprocVecEnv]] = {"dummy": DummyVecEnv, "subproc": SubprocVecEnv}
    env = make_vec_env(_make, n_envs=envs, seed=1, vec_env_cls=classes[kind], env_kwargs={"opponent": opponent})
    rollout = int(Config().rollout * min(1.0, seconds / FULL))
    return _learning(_model(env, rollout), env, rollout, time_of)


def _make(opponent: str) -> gymnasium.Env[Any, Any]:
    return gymnasium.make("truco_env/Truco-v0", opponents=opponent, learner="side", reward="shaped")


def _whole_rollouts(seconds: float, rollout: int, guess: int) -> int:
    """Decisions that take about ``seconds`` at ``guess`` a second, in whole rollouts."""
    return rollout * max(1, round(seconds * guess / rollout))


def _model(env: VecEnv, rollout: int) -> MaskablePPO:
    """MaskablePPO with the same network, rollout and minibatch whatever the environment, so that only the environment differs."""
    ppo = Config().ppo
    return MaskablePPO(
        MaskableActorCriticPolicy,
        env,
        n_steps=rollout // env.num_envs,
        batch_size=min(ppo.minibatch, rollout),
        n_epochs=EPOCHS,
        learning_rate=ppo.learning_rate.start,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        seed=1,
        device="cpu",
        policy_kwargs={"net_arch": {"pi": WIDTHS, "vf": WIDTHS}, "activation_fn": nn.ReLU},
    )


class _Silent:
    """A reporter that says nothing."""

    def progress(self, steps: int, speed: float) -> None:
        """Nothing."""

    def evaluated(self, steps: int, results: Any) -> None:
        """Nothing."""
